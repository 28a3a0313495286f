import { describe, expect, it } from 'vitest';
import type { ConsoleNode } from '../console-source.ts';
import { summariseCluster } from './cluster-summary.ts';

const node = (name: string, change: Partial<ConsoleNode>): ConsoleNode => ({
  name,
  isReady: true,
  state: 'Ready',
  cpuMillis: 1000,
  memoryBytes: 10,
  gpus: {},
  pods: 0,
  ...change,
});

describe('the summary of a cluster', () => {
  const summary = summariseCluster({
    observedAt: 0,
    nodes: [
      node('a', { gpus: { h100: 8 } }),
      node('b', { gpus: { h100: 8, t4: 1 }, state: 'NotReady: kubelet stopped posting', isReady: false }),
      node('c', { state: 'SchedulingDisabled' }),
      node('d', {}),
    ],
    podsByPhase: { Failed: 1, Running: 5, Odd: 2 },
  });

  it('counts nodes by state, usable ones first', () => {
    expect(summary.nodesByState.map(({ state, count }) => [state, count])).toEqual([
      ['Ready', 2],
      ['NotReady: kubelet stopped posting', 1],
      ['SchedulingDisabled', 1],
    ]);
    expect([summary.readyCount, summary.nodeCount, summary.podCount]).toEqual([3, 4, 8]);
  });

  it('counts as usable only what is on nodes that are ready and take pods', () => {
    expect(summary.gpuModels).toMatchObject([
      { model: 'h100', total: 16, usable: 8, nodes: 2 },
      { model: 't4', total: 1, usable: 0, nodes: 1 },
    ]);
    expect([summary.usableCpuMillis, summary.cpuMillis]).toEqual([2000, 4000]);
    expect([summary.usableMemoryBytes, summary.memoryBytes]).toEqual([20, 40]);
  });
});
