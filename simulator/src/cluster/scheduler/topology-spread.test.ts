import type { TopologySpreadConstraint } from '@quartermaster/kube/shapes';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ClusterState } from './cluster-state.ts';
import { viewNode } from './node-room.ts';
import { place } from './place.ts';
import { viewPod } from './pod-view.ts';

const labelSelector = { matchLabels: { app: 'web' } };
const spread = (constraint: Partial<TopologySpreadConstraint> = {}): TopologySpreadConstraint => ({
  topologyKey: 'zone',
  maxSkew: 1,
  whenUnsatisfiable: 'DoNotSchedule',
  labelSelector,
  ...constraint,
});

/** A cluster with a node for each zone that is named; empty for a node without one. */
function cluster(zones: readonly string[]): ClusterState {
  const state = new ClusterState();
  for (const [i, zone] of zones.entries()) {
    state.putNode(
      viewNode({
        metadata: { name: `node-${i}`, labels: zone === '' ? {} : { zone } },
        status: { allocatable: { cpu: '64', pods: '100' } },
      }),
    );
  }
  return state;
}

function web(name: string, constraints: TopologySpreadConstraint[], nodeSelector: Record<string, string> = {}) {
  return viewPod({
    metadata: { namespace: 'default', name, labels: { app: 'web' } },
    spec: { containers: [], topologySpreadConstraints: constraints, nodeSelector },
  });
}

/** Puts pods one after the other; where each went, or why it went nowhere. */
function putAll(state: ClusterState, count: number, constraints: TopologySpreadConstraint[]): string[] {
  return Array.from({ length: count }, (_, i) => {
    const pod = web(`web-${i}`, constraints);
    const placement = place(pod, state.rooms, state);
    if (placement.kind === 'node') state.assume(`default/web-${i}`, pod, placement.node);
    return placement.kind === 'node' ? placement.node : placement.message;
  });
}

describe('topology spread constraints', () => {
  it('never let one zone have more than maxSkew above another', () => {
    const zone = fc.constantFrom<string>('a', 'b', 'c');
    fc.assert(
      fc.property(fc.array(zone, { minLength: 1, maxLength: 8 }), fc.integer({ min: 1, max: 3 }), fc.nat(30), (zones, maxSkew, count) => {
        const state = cluster(zones);
        const where = putAll(state, count, [spread({ maxSkew })]);
        const counts = new Map([...new Set(zones)].map((each) => [each, 0]));
        for (const node of where) {
          const each = zones[Number(node.slice('node-'.length))] ?? '';
          counts.set(each, (counts.get(each) ?? 0) + 1);
          expect(Math.max(...counts.values()) - Math.min(...counts.values())).toBeLessThanOrEqual(maxSkew);
        }
      }),
    );
  });

  it('refuse nodes without the label, and all of them where there are too few domains', () => {
    expect(putAll(cluster(['']), 1, [spread()])).toEqual([
      "0/1 nodes are available: 1 node(s) didn't match pod topology spread constraints (missing required label).",
    ]);
    expect(putAll(cluster(['a', 'b']), 3, [spread({ minDomains: 3 })]).at(-1)).toBe(
      "0/2 nodes are available: 2 node(s) didn't match pod topology spread constraints.",
    );
  });

  it('leave zones out that the pod may not use anyway', () => {
    const state = cluster(['a', 'b']);
    for (const i of [0, 1, 2]) {
      const pod = web(`web-${i}`, [spread()], { zone: 'a' });
      expect(place(pod, state.rooms, state)).toEqual({ kind: 'node', node: 'node-0' });
      state.assume(`default/web-${i}`, pod, 'node-0');
    }
  });

  it('that only ask spread evenly as long as they can, and refuse nothing', () => {
    const asking = [spread({ whenUnsatisfiable: 'ScheduleAnyway' })];
    const where = putAll(cluster(['a', 'a', 'a', 'b']), 6, asking);
    expect(where.filter((node) => node === 'node-3')).toHaveLength(3);
    expect(putAll(cluster(['']), 2, asking)).toEqual(['node-0', 'node-0']);
  });
});
