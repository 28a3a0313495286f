import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { segmentsOf } from './capacity-words.ts';
import { totalOf } from './fill.ts';
import { lineWords } from './line-words.ts';
import { poolParts } from './pool-parts.ts';
import { lessReserved, reservedOf } from './reserved.ts';

const gib = 1024 ** 3;
const amount = (pending: number, active: number, available = 100) => ({
  pending: String(pending),
  active: String(active),
  available: String(available),
});
const availability = {
  cpu: amount(2_000, 1_000),
  gpus: [
    { group: { vendor: 'nvidia', model: 'h100', interface: 'SXM5', memoryBytes: String(80 * gib) }, amount: amount(4, 2) },
    { group: { vendor: 'nvidia', model: 't4', interface: 'PCIe', memoryBytes: String(15 * gib + 9e8) }, amount: amount(1, 0) },
  ],
  storage: [
    { storageClass: 'beta3', amount: amount(gib, 0) },
    { storageClass: 'beta2' },
    { storageClass: 'longhorn', refusal: { code: 'BackendUnhealthy' } },
  ],
};
const known = { kind: 'known', availability } as const;

describe('what is reserved of a line', () => {
  it('is what the service holds of its resource, model or class', () => {
    const of = (kind: 'resource' | 'model' | 'class', name: string) => reservedOf({ kind, name }, known);
    expect(of('resource', 'cpu')).toEqual({
      pending: 2_000,
      active: 1_000,
      overcommitted: 0,
      available: 100,
      headroom: 0,
      isOversold: false,
    });
    expect(of('resource', 'gpu')).toMatchObject({ pending: 5, active: 2, overcommitted: 0, available: 200 });
    expect(of('model', 'nvidia h100 SXM5 80Gi')).toMatchObject({ pending: 4, active: 2, overcommitted: 0, available: 100 });
    expect(of('model', 'nvidia t4 PCIe 16Gi')).toMatchObject({ pending: 1 });
    expect(of('model', 'amd mi300x')).toMatchObject({ pending: 0, active: 0, overcommitted: 0, available: 0 });
    expect(of('class', 'beta3')).toEqual({ pending: gib, active: 0, overcommitted: 0, available: 100, headroom: 0, isOversold: true });
    expect(of('class', 'longhorn')).toMatchObject({ pending: 0, available: 0 });
  });

  it('is unknown rather than nothing where the service does not say', () => {
    expect(reservedOf({ kind: 'resource', name: 'memory' }, known)).toBe('unknown');
    for (const name of ['beta2', 'new']) expect(reservedOf({ kind: 'class', name }, known)).toBe('unknown');
    expect(reservedOf({ kind: 'resource', name: 'cpu' }, { kind: 'unknown', why: 'away' })).toBe('unknown');
    expect(reservedOf({ kind: 'resource', name: 'cpu' }, { kind: 'none' })).toBeUndefined();
  });
});

describe('a line less what is reserved', () => {
  const division = { allocated: 40, sellable: 30, heldBack: 2, unknown: 8 };
  const line = { kind: 'model', name: 'nvidia h100', unit: 'devices', division, why: [] } as const;

  it('shows it between allocated and sellable, pending and active apart on hover', () => {
    const segments = segmentsOf(line, { pending: 4, active: 2, overcommitted: 0, available: 24 });
    expect(segments.map(({ label, amount: size }) => [label, size])).toEqual([
      ['allocated', 40],
      ['reserved', 6],
      ['sellable', 24],
      ['held back', 2],
      ['unknown', 8],
    ]);
    expect(segments[1]).toMatchObject({
      tone: 'reserved',
      title: '6 devices reserved: 4 devices pending, 2 devices active',
      href: '/reservations',
    });
  });

  it('says that less may be sellable while nobody knows what is reserved', () => {
    expect(lineWords(line, 'unknown').sellable).toBe('at most 30 of 80');
    expect(lineWords(line, { pending: 4, active: 2, overcommitted: 0, available: 24 })).toMatchObject({
      sellable: '24 of 80',
      reserved: '6',
    });
    expect(lineWords(line).sellable).toBe('30 of 80');
  });

  it('does not count what the inventory has just counted as pods once more', () => {
    const reserved = { pending: 0, active: 6, overcommitted: 0, available: 30 };
    expect(lessReserved(division, reserved)).toMatchObject({ reserved: 0, sellable: 30, beyond: 0 });
    expect(lessReserved({ ...division, allocated: 34, sellable: 36 }, reserved)).toMatchObject({ reserved: 6, sellable: 30 });
  });

  it('calls sellable what the service would promise, and the rest held back', () => {
    const reserved = { pending: 4, active: 2, overcommitted: 0, available: 20, headroom: 3 };
    expect(lessReserved(division, reserved)).toMatchObject({ reserved: 6, sellable: 20, heldBack: 6, kept: 4, headroom: 3 });
    expect(lineWords(line, reserved)).toMatchObject({ sellable: '20 of 80', reserved: '6', heldBack: '6' });
    const held = { ...line, why: [{ state: 'held-back', code: 'Cordoned', amount: 2, nodes: 1 }] } as const;
    expect(lineWords(held, reserved).reasons.slice(0, 3)).toMatchObject([
      { text: '2 on 1 cordoned node' },
      { text: '3 as headroom', href: '/reservations' },
      { text: '1 not counted as free by the cluster service', href: '/reservations' },
    ]);
  });

  it('takes off a storage class what is reserved of it, in classes of its space and as headroom', () => {
    const own = { pending: 10, active: 0, overcommitted: 0, isOversold: true };
    expect(lessReserved(division, { ...own, available: 20 })).toMatchObject({ reserved: 10, sellable: 20, kept: 0 });
    expect(lessReserved(division, { ...own, available: 12 })).toMatchObject({ reserved: 10, sellable: 12, kept: 8 });
    expect(lessReserved(division, { ...own, pending: 0, available: 5 })).toMatchObject({ reserved: 0, sellable: 5, kept: 25 });
    // Sold more than once, it is still shown what is reserved of what there is.
    expect(lessReserved(division, { ...own, available: 500 })).toMatchObject({ reserved: 10, sellable: 20, kept: 0 });
  });

  it('keeps apart what is promised where nothing can be sold', () => {
    const reserved = { pending: 0, active: 10, overcommitted: 4, available: 24 };
    expect(lessReserved(division, reserved)).toMatchObject({ reserved: 6, sellable: 24, beyond: 4 });
  });

  it('adds up, whatever is promised', () => {
    const size = fc.integer({ min: 0, max: 100 });
    const anyDivision = fc.record({ allocated: size, sellable: size, heldBack: size, unknown: size });
    fc.assert(
      fc.property(anyDivision, size, size, size, size, fc.boolean(), (whole, pending, active, overcommitted, available, isOversold) => {
        const divided = lessReserved(whole, { pending, active, overcommitted, available, isOversold });
        expect(totalOf(divided)).toBe(totalOf(whole));
        expect(divided.sellable).toBeGreaterThanOrEqual(0);
        expect(divided.sellable).toBeLessThanOrEqual(available);
        expect((divided.reserved ?? 0) + divided.beyond).toBeLessThanOrEqual(pending + active);
        expect(divided.beyond).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});

it('divides a pool so that its parts add up, over-committed or not', () => {
  const pool = { allocatable: '10', allocated: '4', pending: '5', active: '3', overcommitted: '2' };
  expect(poolParts(pool)).toEqual({ total: 10, allocated: 4, active: 3, pending: 3, available: 0, overcommitted: 2 });
  expect(poolParts({ allocatable: '10', pending: '1' })).toMatchObject({ pending: 1, available: 9, overcommitted: 0 });
});
