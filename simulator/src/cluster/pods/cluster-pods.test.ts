import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PodProjection } from './cluster-pods.ts';
import { projectPod } from './kubelet-pod.ts';
import type { PodFields } from './pod-fields.ts';
import { workloadPod } from './workload-pod.ts';

const needsCare = (image: string): boolean => image === 'agent';

const anyPod: fc.Arbitrary<PodFields> = fc
  .record({
    name: fc.constantFrom('a', 'b', 'c'),
    namespace: fc.constantFrom('one', 'two'),
    app: fc.constantFrom('web', 'db'),
    owner: fc.option(fc.constantFrom('x', 'y'), { nil: undefined }),
    node: fc.option(fc.constantFrom('n1', 'n2'), { nil: undefined }),
    ip: fc.option(fc.constantFrom('10.0.0.1', '10.0.0.2'), { nil: undefined }),
    image: fc.constantFrom('plain', 'agent', 'plain:crash'),
    cpu: fc.constantFrom('1', '250m'),
    phase: fc.constantFrom('Pending', 'Running', 'Failed'),
    ready: fc.constantFrom('True', 'False'),
    created: fc.constantFrom('2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'),
    isDeleting: fc.boolean(),
  })
  .map(({ name, namespace, app, owner, node, ip, image, cpu, phase, ready, created, isDeleting }) => ({
    metadata: {
      name,
      namespace,
      uid: `uid-${name}`,
      labels: { app },
      creationTimestamp: created,
      ...(owner === undefined
        ? {}
        : { ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: owner, uid: `uid-${owner}`, controller: true }] }),
      ...(isDeleting ? { deletionTimestamp: created, deletionGracePeriodSeconds: 5 } : {}),
    },
    spec: {
      ...(node === undefined ? {} : { nodeName: node }),
      containers: [{ name: 'main', image, resources: { requests: { cpu } }, ports: [{ containerPort: 80, hostPort: 8080 }] }],
      tolerations: [{ operator: 'Exists' }],
    },
    status: {
      phase,
      ...(ip === undefined ? {} : { podIP: ip }),
      conditions: [{ type: 'Ready', status: ready, lastTransitionTime: created }],
      containerStatuses: [
        { name: 'main', image, imageID: image, ready: true, restartCount: 0, state: { running: { startedAt: created } } },
      ],
    },
  }));

describe('PodProjection', () => {
  it('keeps of every pod the same, whichever pods it saw before', () => {
    fc.assert(
      fc.property(fc.array(anyPod, { maxLength: 30 }), (pods) => {
        const projection = new PodProjection(needsCare);
        for (const pod of pods) {
          expect(projection.of(pod)).toEqual({ ...workloadPod(pod), ...projectPod(pod, needsCare) });
        }
      }),
    );
  });

  it('keeps one copy of what similar pods have in common', () => {
    const projection = new PodProjection(needsCare);
    const pod = (name: string): PodFields => ({
      metadata: { name, namespace: 'default', uid: name, labels: { app: 'web' } },
      spec: { nodeName: `node-of-${name}`, containers: [{ name: 'main', image: 'plain', resources: { requests: { cpu: '1' } } }] },
      status: {
        phase: 'Running',
        conditions: [{ type: 'Ready', status: 'True' }],
        containerStatuses: [{ name: 'main', image: '', imageID: '', ready: true, restartCount: 0, state: { running: {} } }],
      },
    });
    const [first, second] = [projection.of(pod('first')), projection.of(pod('second'))];
    expect([first.name, first.nodeName, second.name, second.nodeName]).toEqual(['first', 'node-of-first', 'second', 'node-of-second']);
    expect(second.labels).toBe(first.labels);
    expect(second.requests).toBe(first.requests);
  });
});
