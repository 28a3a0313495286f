import type { GpuFacts, HardwareFacts } from '@quartermaster/api/node-hardware';
import { describe, expect, it } from 'vitest';
import { keepKnown } from './keep-known.ts';

const card: GpuFacts = {
  pciAddress: '0000:17:00.0',
  vendorId: '10de',
  productId: '2330',
  uuid: 'GPU-1',
  driver: 'nvidia',
  driverVersion: '550.1',
  cudaVersion: '12.4',
  memoryBytes: 80,
  nvlinks: 18,
  health: { state: 'healthy' },
};
const poor: GpuFacts = {
  pciAddress: '0000:17:00.0',
  vendorId: '10de',
  productId: '2330',
  uuid: 'GPU-1',
  driver: 'nvidia',
  driverVersion: '550.1',
  health: { state: 'unknown', reason: 'nvidia-smi did not answer' },
};
const facts = (more: Partial<HardwareFacts>): HardwareFacts => ({ observedAt: '', agentVersion: '1', machine: {}, ...more });

describe('keepKnown', () => {
  it('keeps what only a tool can tell while the tool does not answer, but not the health', () => {
    const kept = keepKnown(facts({ gpus: [card] }), facts({ gpus: [poor] }));
    expect(kept.gpus).toEqual([{ ...card, health: poor.health }]);
  });

  it('keeps the beginning of an illness that is still the same, and of no other', () => {
    const ill = (since: string, reason = 'Xid 79'): GpuFacts => ({
      ...card,
      health: { state: 'unhealthy', code: 'XidError', reason, since },
    });
    const before = facts({ gpus: [ill('2026-01-01T00:00:00.000Z')] });
    expect(keepKnown(before, facts({ gpus: [ill('2026-01-01T00:00:01.000Z')] })).gpus).toEqual(before.gpus);
    const worse = [ill('2026-01-01T00:00:01.000Z', 'Xid 79, Xid 95')];
    expect(keepKnown(before, facts({ gpus: worse })).gpus).toEqual(worse);
    expect(keepKnown(before, facts({ gpus: [card] })).gpus).toEqual([card]);
  });

  it('forgets a card that is no longer there', () => {
    expect(keepKnown(facts({ gpus: [card] }), facts({ gpus: [] })).gpus).toEqual([]);
  });

  it('takes nothing over from another card in the same slot', () => {
    const other = { ...poor, uuid: 'GPU-2' };
    expect(keepKnown(facts({ gpus: [card] }), facts({ gpus: [other] })).gpus).toEqual([other]);
  });

  it('takes nothing over when the card went to another driver', () => {
    const through: GpuFacts = {
      pciAddress: card.pciAddress,
      vendorId: '10de',
      productId: '2330',
      driver: 'vfio-pci',
      health: { state: 'unknown' },
    };
    expect(keepKnown(facts({ gpus: [card] }), facts({ gpus: [through] })).gpus).toEqual([through]);
  });

  it('asks a new version of the driver for its own CUDA version', () => {
    const [gpu] = keepKnown(facts({ gpus: [card] }), facts({ gpus: [{ ...poor, driverVersion: '580.1' }] })).gpus ?? [];
    expect(gpu).toMatchObject({ driverVersion: '580.1', memoryBytes: 80, cudaVersion: undefined, nvlinks: undefined });
  });

  it('keeps a section that could not be read this time, with the newer problems', () => {
    const older = facts({ disks: [{ name: 'sda', kind: 'ssd', sizeBytes: 1 }], machine: { serial: 'S1' }, problems: ['old'] });
    expect(keepKnown(older, facts({ problems: ['new'] }))).toEqual(
      facts({ disks: [{ name: 'sda', kind: 'ssd', sizeBytes: 1 }], machine: { serial: 'S1' }, problems: ['new'] }),
    );
  });
});
