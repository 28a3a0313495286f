import { StatusError } from '@quartermaster/kernel';
import type { KubeWriter } from '@quartermaster/kube';
import type { Pod } from '@quartermaster/kube/shapes';
import { describe, expect, it } from 'vitest';
import type { Taint } from '../model/inventory-change.ts';
import { placementGate } from '../model/lease-labels.ts';
import { giveNode } from './give-node.ts';

const required = (nodeSelectorTerms: readonly object[]) => ({
  nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } },
});
const expressions = [{ key: 'gpu', operator: 'Exists' }];
const waiting = (gates: readonly string[]): Pod => ({
  metadata: { namespace: 'lease-amy-7-1-1', name: 'web-1', resourceVersion: '41' },
  spec: { containers: [], schedulingGates: gates.map((name) => ({ name })), affinity: required([{ matchExpressions: expressions }]) },
});

async function given(found: Pod | undefined, { fails, toleratedTaints = [] }: { fails?: string; toleratedTaints?: readonly Taint[] } = {}) {
  const patches: object[] = [];
  const writer = {
    patch: async (_type: unknown, ref: object, { body }: { body: object }) => {
      patches.push({ ref, body });
      if (fails !== undefined) throw new StatusError('aborted', fails, { details: { kind: fails, causes: [] } });
    },
  } as unknown as KubeWriter;
  await giveNode(writer, found, { name: 'n-1', unit: 2, toleratedTaints }, new AbortController().signal);
  return patches;
}

describe('a pod that is given its node', () => {
  it('gets it and loses its gate in one write, of the state that was read, with what else it asks of nodes and waits for', async () => {
    const here = [{ key: 'metadata.name', operator: 'In', values: ['n-1'] }];
    expect(await given(waiting(['example.com/other', placementGate]))).toEqual([
      {
        ref: { namespace: 'lease-amy-7-1-1', name: 'web-1' },
        body: {
          metadata: { resourceVersion: '41', labels: { 'quartermaster.dev/unit': '2' } },
          spec: {
            affinity: required([{ matchExpressions: expressions, matchFields: here }]),
            tolerations: [],
            schedulingGates: [{ name: 'example.com/other' }],
          },
        },
      },
    ]);
  });

  it('tolerates the taints of the node that it may tolerate, beside what it tolerates anyway', async () => {
    const anyway = { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 };
    const pod = waiting([placementGate]);
    const found = { ...pod, spec: { ...pod.spec, containers: [], tolerations: [anyway] } };
    const [patch] = await given(found, { toleratedTaints: [{ key: 'nvidia.com/gpu', value: '', effect: 'NoSchedule' }] });
    const added = { key: 'nvidia.com/gpu', operator: 'Equal', value: '', effect: 'NoSchedule' };
    expect(patch).toMatchObject({ body: { spec: { tolerations: [anyway, added] } } });
  });

  it('is left as it is where it is gone, or was given one already', async () => {
    expect(await given(undefined)).toEqual([]);
    expect(await given(waiting([]))).toEqual([]);
    expect(await given(waiting(['example.com/other']))).toEqual([]);
  });

  it('is looked at again where somebody else was faster', async () => {
    for (const kind of ['conflict', 'not-found']) expect(await given(waiting([placementGate]), { fails: kind })).toHaveLength(1);
    await expect(given(waiting([placementGate]), { fails: 'forbidden' })).rejects.toThrow('forbidden');
  });
});
