import { describe, expect, it } from 'vitest';
import { gib, gpuGroup, nodeInventory } from '../../test/inventory-values.ts';
import { observeNode } from '../observe/observe-node.ts';
import { nodeRow } from './node-row.ts';

const ready = { type: 'Ready', status: 'True' };
const silent = { state: 'unknown', reasons: [{ code: 'ReadyUnknown', message: 'silent', since: 7 }] } as const;

describe('nodeRow', () => {
  it('shows a healthy GPU node with its rack, and how everything on it divides', () => {
    const observed = observeNode({
      metadata: { name: 'gpu-1', labels: { 'topology.kubernetes.io/rack': 'r1', 'topology.kubernetes.io/zone': 'z1' } },
      status: { conditions: [ready] },
    });
    const row = nodeRow(observed, nodeInventory('gpu-1', { gpus: [gpuGroup()], pods: 3 }));
    expect(row).toMatchObject({
      name: 'gpu-1',
      isReady: true,
      state: 'Ready',
      rack: 'r1',
      cpuMillis: 16_000,
      memoryBytes: 64 * gib,
      pods: 3,
    });
    expect(row.silentSince).toBeUndefined();
    expect(row.gpus).toEqual({ 'nvidia h100 SXM5 80Gi': 8 });
    expect(row.sale?.gpu).toEqual([8, 2, 6, 0, 0]);
  });

  it('gives a silent node one age, and counts nothing on it as allocated', () => {
    const stale = [{ source: 'kubelet', lastContactAt: 7, reason: 'the kubelet does not report' }];
    const conditions = [{ type: 'Ready', status: 'Unknown', message: 'kubelet stopped posting' }];
    const row = nodeRow(
      observeNode({ metadata: { name: 'n' }, status: { conditions } }),
      nodeInventory('n', { sellability: silent, stale, gpus: [gpuGroup()] }),
    );
    expect(row).toMatchObject({ isReady: false, state: 'NotReady: kubelet stopped posting', silentSince: 7 });
    expect(row.sale).toMatchObject({
      state: 'unknown',
      gpu: [8, 0, 0, 0, 8],
      cpu: [16_000, 0, 0, 0, 16_000],
    });
  });

  it.each([
    ['Ready', {}, [ready]],
    ['SchedulingDisabled', { unschedulable: true }, [ready]],
    [
      'NotReady: kubelet stopped posting',
      {},
      [{ type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown', message: 'kubelet stopped posting' }],
    ],
    ['NotReady: NoNetwork, SchedulingDisabled', { unschedulable: true }, [{ type: 'Ready', status: 'False', reason: 'NoNetwork' }]],
    ['NotReady: the node has not reported yet', {}, []],
  ])('says %s', (state, spec, conditions) => {
    expect(nodeRow(observeNode({ metadata: { name: 'n' }, spec, status: { conditions } }), nodeInventory('n')).state).toBe(state);
  });
});
