import { describe, expect, it } from 'vitest';
import { nodeFacts } from './console-node.ts';

const ready = { type: 'Ready', status: 'True' };

describe('nodeFacts', () => {
  it('reads what a healthy GPU node says of itself', () => {
    const facts = nodeFacts({
      metadata: { name: 'gpu-1', labels: { 'topology.kubernetes.io/rack': 'r1', 'nvidia.com/gpu.product': 'NVIDIA-H100' } },
      status: { conditions: [ready], capacity: { cpu: '63500m', memory: '512Gi', 'nvidia.com/gpu': '8', 'amd.com/gpu': '2', pods: '110' } },
    });
    expect(facts).toEqual({
      name: 'gpu-1',
      isReady: true,
      state: 'Ready',
      rack: 'r1',
      cpuMillis: 63_500,
      memoryBytes: 512 * 2 ** 30,
      gpus: { 'NVIDIA-H100': 8, amd: 2 },
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
    expect(nodeFacts({ metadata: { name: 'n' }, spec, status: { conditions } }).state).toBe(state);
  });

  it('shows no GPUs where the amount is zero, and nothing for what cannot be read', () => {
    const facts = nodeFacts({ metadata: { name: 'n' }, status: { capacity: { cpu: 'many', 'nvidia.com/gpu': '0' } } });
    expect(facts).toMatchObject({ cpuMillis: 0, memoryBytes: 0, gpus: {} });
  });
});
