import { describe, expect, it } from 'vitest';
import { gpuDevice, nodeInventory } from '../../test/inventory-values.ts';
import { nodeNotices } from './node-notices.ts';

const heard = nodeInventory('n1', { devices: [gpuDevice('GPU-1')] });
const silent = nodeInventory('n1', {
  devices: [gpuDevice('GPU-1', { state: 'unknown' })],
  stale: [{ source: 'agent', lastContactAt: 0, reason: 'its pod is not ready' }],
});

describe('nodeNotices', () => {
  it('tells once that the agent fell silent, and once that it is back', () => {
    const told = [nodeNotices(heard, silent), nodeNotices(silent, silent), nodeNotices(silent, heard)];
    expect(told.map((notices) => notices.map(({ type, reason }) => [type, reason]))).toEqual([
      [['Warning', 'AgentSilent']],
      [],
      [['Normal', 'AgentHeard']],
    ]);
    expect(told[0]?.[0]?.note).toContain('silent (its pod is not ready)');
  });
});
