import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ConsoleNode, ConsoleSnapshot } from './console-source.ts';
import { applyPatch, diffSnapshots } from './snapshot-patch.ts';

const amount = fc.integer({ min: 0, max: 3 });
const name = fc.constantFrom('a', 'b', 'c', 'd', 'constructor', '__proto__');

const node: fc.Arbitrary<ConsoleNode> = fc.record(
  {
    name,
    isReady: fc.boolean(),
    state: fc.constantFrom('Ready', 'NotReady'),
    rack: fc.constantFrom('r1', 'r2'),
    cpuMillis: amount,
    memoryBytes: amount,
    gpus: fc.dictionary(fc.constantFrom('h100', 'a100'), amount),
    pods: amount,
    heartbeatAt: amount,
  },
  { requiredKeys: ['name', 'isReady', 'state', 'cpuMillis', 'memoryBytes', 'gpus', 'pods'] },
);

const snapshot: fc.Arbitrary<ConsoleSnapshot> = fc.record(
  {
    installation: fc.record({
      version: fc.constantFrom('1', '2'),
      startedAt: amount,
      kubernetes: fc.constant('simulated' as const),
      server: fc.constant('https://127.0.0.1:1'),
      kubeconfig: fc.constant('/k'),
    }),
    parts: fc.array(
      fc.record({
        name,
        kind: fc.constant('role' as const),
        state: fc.constantFrom('ready' as const, 'failed' as const),
        since: amount,
        facts: fc.constant({}),
      }),
      { maxLength: 2 },
    ),
    cluster: fc.record({
      observedAt: amount,
      nodes: fc.uniqueArray(node, { selector: (each) => each.name, maxLength: 5 }),
      podsByPhase: fc.dictionary(fc.constantFrom('Running', 'Failed'), amount),
      recentPods: fc.array(fc.record({ namespace: name, name, phase: fc.constant('Running'), changedAt: amount }), { maxLength: 2 }),
    }),
  },
  { requiredKeys: ['installation', 'parts'] },
);

const byName = ({ cluster, ...rest }: ConsoleSnapshot): unknown => ({
  ...rest,
  cluster: cluster && { ...cluster, nodes: cluster.nodes.toSorted((a, b) => (a.name < b.name ? -1 : 1)) },
});

describe('the patch between two snapshots', () => {
  it('turns any snapshot into any other, also after a trip through JSON', () => {
    fc.assert(
      fc.property(snapshot, snapshot, (before, after) => {
        const patch = diffSnapshots(before, after);
        const sent = JSON.parse(JSON.stringify(patch ?? {})) as NonNullable<typeof patch>;
        expect(byName(applyPatch(before, sent))).toEqual(byName(after));
      }),
    );
  });

  it('is nothing between equal snapshots, whoever made them', () => {
    fc.assert(
      fc.property(snapshot, (each) => {
        expect(diffSnapshots(each, structuredClone(each))).toBeUndefined();
      }),
    );
  });

  it('holds only the nodes that changed', () => {
    fc.assert(
      fc.property(snapshot, snapshot, (before, after) => {
        const changed = diffSnapshots(before, after)?.cluster?.changedNodes ?? [];
        for (const each of changed) expect(before.cluster?.nodes ?? []).not.toContainEqual(each);
      }),
    );
  });

  it('keeps the identity of nodes that did not change, so that their rows are not drawn again', () => {
    const [steady, moving] = [0, 1].map(
      (index): ConsoleNode => ({
        name: `n${index}`,
        isReady: true,
        state: 'Ready',
        cpuMillis: 1,
        memoryBytes: 1,
        gpus: {},
        pods: 0,
      }),
    );
    if (steady === undefined || moving === undefined) throw new Error('two nodes were made');
    const base: ConsoleSnapshot = {
      installation: { version: '1', startedAt: 0, kubernetes: 'given', server: 's', kubeconfig: 'k' },
      parts: [],
      cluster: { observedAt: 1, nodes: [steady, moving], podsByPhase: {}, recentPods: [] },
    };
    const after = applyPatch(base, { cluster: { observedAt: 2, changedNodes: [{ ...moving, pods: 5 }] } });
    expect(after.cluster?.nodes[0]).toBe(steady);
    expect(after.cluster?.nodes[1]?.pods).toBe(5);
    expect(applyPatch(after, { cluster: { observedAt: 3 } }).cluster?.nodes).toBe(after.cluster?.nodes);
  });

  it('makes the cluster unknown again rather than empty', () => {
    const installation = { version: '1', startedAt: 0, kubernetes: 'given', server: 's', kubeconfig: 'k' } as const;
    const known: ConsoleSnapshot = { installation, parts: [], cluster: { observedAt: 1, nodes: [], podsByPhase: {}, recentPods: [] } };
    const patch = diffSnapshots(known, { installation, parts: [] });
    expect(patch).toEqual({ cluster: null });
    expect(applyPatch(known, patch ?? {})).not.toHaveProperty('cluster');
  });
});
