import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ClusterState } from './cluster-state.ts';
import { viewNode } from './node-room.ts';
import { place } from './place.ts';
import { type PodView, viewPod } from './pod-view.ts';
import { planPreemption } from './preemption.ts';

const gpus = 4;
const priorityOf = ({ priority }: PodView): number => priority;

const gpuPod = (name: string, count: number, priority: number): PodView =>
  viewPod({
    metadata: { namespace: 'default', name },
    spec: { priority, containers: [{ name: 'main', resources: { requests: { 'nvidia.com/gpu': String(count) } } }] },
  });

/** Nodes of four GPUs with these pods, [GPUs, priority] each. */
function cluster(nodes: readonly (readonly (readonly [number, number])[])[]): ClusterState {
  const state = new ClusterState();
  for (const [n, pods] of nodes.entries()) {
    const allocatable = { 'nvidia.com/gpu': String(gpus), pods: '10' };
    state.putNode(viewNode({ metadata: { name: `node-${n}` }, status: { allocatable } }));
    for (const [p, [count, priority]] of pods.entries())
      state.assume(`default/${n}-${p}`, gpuPod(`${n}-${p}`, count, priority), `node-${n}`);
  }
  return state;
}

const plan = (state: ClusterState, pod: PodView) => planPreemption(pod, state.rooms, state, { priorityOf });

describe('planPreemption', () => {
  it('takes the node whose most important victim matters least, and as few pods as will do', () => {
    const state = cluster([
      [[4, 5]],
      [
        [2, 1],
        [1, 2],
        [1, 3],
      ],
      [[4, 9]],
    ]);
    expect(plan(state, gpuPod('new', 1, 10))).toEqual({ node: 'node-1', victims: ['default/1-0'] });
    expect(plan(state, gpuPod('new', 4, 10))).toEqual({ node: 'node-1', victims: ['default/1-2', 'default/1-1', 'default/1-0'] });
  });

  it('leaves pods alone that are as important', () => {
    expect(plan(cluster([[[4, 5]]]), gpuPod('new', 1, 5))).toBeUndefined();
    expect(plan(cluster([[[4, 5]]]), gpuPod('new', 5, 9))).toBeUndefined();
  });

  it('finds victims exactly where their going makes the pod fit, all of lower priority', () => {
    const node = fc.array(fc.tuple(fc.integer({ min: 1, max: 2 }), fc.integer({ min: 0, max: 4 })), { maxLength: 2 });
    const wish = fc.tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 0, max: 5 }));
    fc.assert(
      fc.property(fc.array(node, { minLength: 1, maxLength: 4 }), wish, (nodes, [count, priority]) => {
        const state = cluster(nodes);
        const pod = gpuPod('new', count, priority);
        if (place(pod, state.rooms, state).kind === 'node') return;
        const found = plan(state, pod);
        const possible = nodes.some((pods) => pods.reduce((free, [used, p]) => free - (p < priority ? 0 : used), gpus) >= count);
        expect(found !== undefined).toBe(possible);
        for (const key of found?.victims ?? []) {
          const victim = state.rooms.flatMap(({ pods }) => pods.get(key) ?? [])[0];
          expect(victim?.priority).toBeLessThan(priority);
          state.removePod(key);
        }
        if (found !== undefined) expect(place(pod, state.rooms, state)).toEqual({ kind: 'node', node: found.node });
      }),
    );
  });
});
