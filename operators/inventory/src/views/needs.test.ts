import { describe, expect, it } from 'vitest';
import { gpuDevice, gpuGroup, nodeInventory } from '../../test/inventory-values.ts';
import { needsOf } from './needs.ts';

const hold = { code: 'GpuHealthSignal', message: 'The condition XIDErrors is True.', since: 5 };
const none = { capacity: 8, allocatable: 0, allocated: 0, available: 0, overcommitted: 0 };

describe('needsOf', () => {
  it('names the node whose cards a health check holds back where nobody tells cards apart', () => {
    const node = nodeInventory('n1', { gpus: [gpuGroup({ amount: none })], devices: [], conditions: [hold, hold] });
    expect(needsOf([node], [])).toMatchObject([
      { kind: 'node', id: 'n1', state: 'held-back', reason: hold, more: 1, gpus: 8, cpuMillis: 0 },
    ]);
  });

  it('names the very cards where they are known, each once', () => {
    const devices = [gpuDevice('GPU-1', { state: 'quarantined', reason: hold }), gpuDevice('GPU-2')];
    const node = nodeInventory('n1', { gpus: [gpuGroup()], devices, conditions: [hold] });
    expect(needsOf([node], []).map(({ kind, id }) => [kind, id])).toEqual([['gpu', 'GPU-1']]);
  });
});
