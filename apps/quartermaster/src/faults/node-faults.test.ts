import { StatusError } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { type FaultyNodes, NodeFaults } from './node-faults.ts';

function scripted() {
  const calls: string[] = [];
  const known = (name: string): void => {
    if (name !== 'n1') throw new StatusError('not_found', `there is no simulated node "${name}"`);
  };
  const nodes: FaultyNodes = {
    loseNode: (name) => {
      known(name);
      calls.push(`lose ${name}`);
    },
    restoreNode: async (name) => void calls.push(`restore ${name}`),
    loseGpus: async (name, count) => void calls.push(`lose ${count} GPUs of ${name}`),
    restoreGpus: async (name) => void calls.push(`restore GPUs of ${name}`),
    reportXid: (name, code, count) => void calls.push(`Xid ${code} of ${count} GPUs of ${name}`),
    resetGpus: (name) => void calls.push(`reset GPUs of ${name}`),
    skewClock: (name, skewMs) => void calls.push(`skew ${name} by ${skewMs}`),
  };
  return { faults: new NodeFaults(nodes), calls };
}

describe('NodeFaults', () => {
  it('inflicts each fault and mends it when it is removed', async () => {
    const { faults, calls } = scripted();
    const ids = [
      await faults.add({ kind: 'node-loss', node: 'n1' }),
      await faults.add({ kind: 'gpu-loss', node: 'n1', count: 2 }),
      await faults.add({ kind: 'gpu-xid', node: 'n1', code: 79, count: 1 }),
      await faults.add({ kind: 'clock-skew', node: 'n1', byMs: -5000 }),
    ];
    expect(faults.list().map(({ id }) => id)).toEqual(ids);
    for (const id of ids) expect(await faults.remove(id)).toBe(true);
    expect(calls).toEqual([
      'lose n1',
      'lose 2 GPUs of n1',
      'Xid 79 of 1 GPUs of n1',
      'skew n1 by -5000',
      'restore n1',
      'restore GPUs of n1',
      'reset GPUs of n1',
      'skew n1 by 0',
    ]);
    expect(faults.list()).toEqual([]);
  });

  it('refuses a second fault of one kind on one node and names the one to remove', async () => {
    const { faults } = scripted();
    await faults.add({ kind: 'gpu-loss', node: 'n1', count: 1 });
    await expect(faults.add({ kind: 'gpu-loss', node: 'n1', count: 3 })).rejects.toThrow('remove gpu-loss:n1 first');
    expect(faults.list()).toHaveLength(1);
  });

  it('keeps no fault that could not be inflicted', async () => {
    const { faults } = scripted();
    await expect(faults.add({ kind: 'node-loss', node: 'n9' })).rejects.toThrow('no simulated node "n9"');
    expect(faults.list()).toEqual([]);
    expect(await faults.remove('node-loss:n9')).toBe(false);
  });
});
