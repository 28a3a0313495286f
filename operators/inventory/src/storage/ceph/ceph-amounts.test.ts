import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { amountFromRaw, amountOnPool, type PoolPromise, type PoolState } from './ceph-amounts.ts';
import type { Redundancy } from './ceph-facts.ts';

const gib = 2 ** 30;
const threeTimes: Redundancy = { raw: 3, data: 1 };
const twice: Redundancy = { raw: 2, data: 1 };
const fourPlusTwo: Redundancy = { raw: 6, data: 4 };

/** In GiB. */
function pool(redundancy: Redundancy, stored: number, maxAvail: number, promised: number, quota?: number): PoolState {
  const quotaBytes = quota === undefined ? undefined : quota * gib;
  return { redundancy, storedBytes: stored * gib, maxAvailBytes: maxAvail * gib, promisedBytes: promised * gib, quotaBytes };
}

const inGib = <T extends object>(amounts: T): Record<string, number> =>
  Object.fromEntries(Object.entries(amounts).map(([key, bytes]) => [key, Number(bytes) / gib]));

/*
 * 12 000 GiB raw, of which Ceph lets 95 % be written: 11 400. Half full: 6 000 raw are used, 5 400 can be written.
 *
 *   pool    stored   raw used   max_avail       promised   unwritten   raw of that
 *   × 3        800      2 400   5 400/3 = 1 800    1 000         200          600
 *   × 2        900      1 800   5 400/2 = 2 700    1 500         600        1 200
 *   4+2      1 200      1 800   5 400·4/6 = 3 600    900           0            0
 *
 * Of the 5 400, 1 800 are promised and not yet written: 3 600 raw are left, that is 1 200, 1 800 or 2 400 of data.
 */
describe('three pools on a cluster that is half full', () => {
  const x3 = pool(threeTimes, 800, 1800, 1000);
  const x2 = pool(twice, 900, 2700, 1500);
  const ec = pool(fourPlusTwo, 1200, 3600, 900);

  it('gives each what is left of the raw space, by its own redundancy', () => {
    expect(inGib(amountOnPool(x3, [x2, ec], x3.promisedBytes))).toEqual({
      capacity: 2600,
      allocatable: 2200,
      allocated: 1000,
      available: 1200,
      overcommitted: 0,
    });
    expect(inGib(amountOnPool(x2, [x3, ec], x2.promisedBytes))).toEqual({
      capacity: 3600,
      allocatable: 3300,
      allocated: 1500,
      available: 1800,
      overcommitted: 0,
    });
    expect(inGib(amountOnPool(ec, [x3, x2], ec.promisedBytes))).toEqual({
      capacity: 4800,
      allocatable: 3300,
      allocated: 900,
      available: 2400,
      overcommitted: 0,
    });
  });

  it('counts what another class on the same pool was promised as taken', () => {
    expect(inGib(amountOnPool(x2, [], 1000 * gib))).toMatchObject({ allocatable: 3100, allocated: 1000, available: 2100 });
    expect(inGib(amountOnPool(x2, [], 500 * gib))).toMatchObject({ allocatable: 2600, allocated: 500, available: 2100 });
  });

  it('stays within a quota, whatever the devices could hold', () => {
    const limited = pool(threeTimes, 800, 1800, 1000, 1100);
    expect(inGib(amountOnPool(limited, [], limited.promisedBytes))).toMatchObject({ capacity: 1100, allocatable: 1100, available: 100 });
  });
});

/*
 * The same cluster nearly full: 11 100 raw are used, 300 can be written. Volumes are larger than what is stored.
 *
 *   pool    stored   raw used   max_avail   promised   unwritten, at most max_avail   raw of that
 *   × 3      1 700      5 100         100      2 500                             100          300
 *   × 2      1 500      3 000         150      1 500                               0            0
 *   4+2      2 000      3 000         200      2 100                             100          150
 */
describe('three pools on a cluster that is nearly full', () => {
  const x3 = pool(threeTimes, 1700, 100, 2500);
  const x2 = pool(twice, 1500, 150, 1500);
  const ec = pool(fourPlusTwo, 2000, 200, 2100);

  it('has nothing left to promise, shows what is promised too much, and nothing is negative', () => {
    expect(inGib(amountOnPool(x3, [x2, ec], x3.promisedBytes))).toEqual({
      capacity: 1800,
      allocatable: 1750,
      allocated: 2500,
      available: 0,
      overcommitted: 750,
    });
    expect(inGib(amountOnPool(x2, [x3, ec], x2.promisedBytes))).toEqual({
      capacity: 1650,
      allocatable: 1425,
      allocated: 1500,
      available: 0,
      overcommitted: 75,
    });
    expect(inGib(amountOnPool(ec, [x3, x2], ec.promisedBytes))).toEqual({
      capacity: 2200,
      allocatable: 2000,
      allocated: 2100,
      available: 0,
      overcommitted: 100,
    });
  });
});

describe('a single pool that others reported as negative', () => {
  it('has 113 GiB left with 491 stored, 232 writable and 610 promised', () => {
    expect(inGib(amountOnPool(pool({ raw: 1, data: 1 }, 491, 232, 610), [], 610 * gib))).toEqual({
      capacity: 723,
      allocatable: 723,
      allocated: 610,
      available: 113,
      overcommitted: 0,
    });
  });

  it('cannot promise more than is physically free although little is promised', () => {
    expect(inGib(amountOnPool(pool({ raw: 1, data: 1 }, 491, 232, 10), [], 10 * gib))).toMatchObject({ allocatable: 242, available: 232 });
  });
});

describe('the rule for pools', () => {
  const bytes = fc.integer({ min: 0, max: 2 ** 50 });
  const redundancy = fc.constantFrom(threeTimes, twice, fourPlusTwo, { raw: 1, data: 1 }, { raw: 11, data: 8 });
  const quotaBytes = fc.option(bytes, { nil: undefined });
  const anyPool = fc.record({ redundancy, quotaBytes, storedBytes: bytes, maxAvailBytes: bytes, promisedBytes: bytes });

  it('keeps 0 ≤ available ≤ allocatable ≤ capacity, and available within what is physically free', () => {
    fc.assert(
      fc.property(anyPool, fc.array(anyPool, { maxLength: 4 }), fc.nat(1000), (state, others, share) => {
        const own = Math.floor((state.promisedBytes * share) / 1000);
        const { capacity, allocatable, available, overcommitted } = amountOnPool(state, others, own);
        expect(available).toBeGreaterThanOrEqual(0);
        expect(overcommitted).toBeGreaterThanOrEqual(0);
        expect(available).toBeLessThanOrEqual(allocatable);
        expect(allocatable).toBeLessThanOrEqual(capacity);
        expect(available).toBeLessThanOrEqual(state.maxAvailBytes);
        expect(available * overcommitted).toBe(0);
      }),
    );
  });

  it('does not change when a tenant writes into what was promised', () => {
    fc.assert(
      fc.property(redundancy, bytes, bytes, bytes, fc.nat(1000), (of, stored, more, maxAvail, share) => {
        const promisedBytes = stored + more;
        const before = { redundancy: of, quotaBytes: undefined, storedBytes: stored, maxAvailBytes: maxAvail, promisedBytes };
        const written = Math.floor((Math.min(more, maxAvail) * share) / 1000);
        const after = { ...before, storedBytes: stored + written, maxAvailBytes: maxAvail - written };
        expect(amountOnPool(after, [], promisedBytes)).toEqual(amountOnPool(before, [], promisedBytes));
      }),
    );
  });

  it('promises exactly as many bytes as are available, and then has none left', () => {
    fc.assert(
      fc.property(anyPool, fc.array(anyPool, { maxLength: 3 }), (state, others) => {
        const { available } = amountOnPool(state, others, state.promisedBytes);
        const promised = { ...state, promisedBytes: state.promisedBytes + available };
        const after = amountOnPool(promised, others, promised.promisedBytes);
        // Data of nobody becomes somebody's as more is promised, and then counts as written.
        const ofNobody = Math.max(state.storedBytes - state.promisedBytes, 0);
        expect(after.available).toBeLessThanOrEqual(Math.min(ofNobody, available));
        if (available > 0 && ofNobody === 0) expect(after.overcommitted).toBe(0);
      }),
    );
  });
});

/*
 * By Rook's raw figures alone, half full: promised raw are 1 000·3 + 1 500·2 + 900·6/4 = 7 350, more than the 6 000 that are used, so 11 400 − 7 350 =
 * 4 050 raw are left.
 */
describe('pools of which only the raw space of the cluster is known', () => {
  const raw = { totalBytes: 12_000 * gib, usedBytes: 6000 * gib, fullRatio: 0.95 };
  const promise = (redundancy: Redundancy, promised: number, quota?: number): PoolPromise => ({
    redundancy,
    promisedBytes: promised * gib,
    quotaBytes: quota === undefined ? undefined : quota * gib,
  });
  const x3 = promise(threeTimes, 1000);
  const x2 = promise(twice, 1500);
  const ec = promise(fourPlusTwo, 900);

  it('divides what is left by the redundancy of each', () => {
    expect(inGib(amountFromRaw(raw, x3, [x2, ec], x3.promisedBytes))).toEqual({
      capacity: 3800,
      allocatable: 2350,
      allocated: 1000,
      available: 1350,
      overcommitted: 0,
    });
    expect(inGib(amountFromRaw(raw, x2, [x3, ec], x2.promisedBytes))['available']).toBe(2025);
    expect(inGib(amountFromRaw(raw, ec, [x3, x2], ec.promisedBytes))['available']).toBe(2700);
  });

  it('goes by what is used when that is more than what is promised', () => {
    const full = { ...raw, usedBytes: 11_100 * gib };
    expect(inGib(amountFromRaw(full, x3, [x2, ec], x3.promisedBytes))['available']).toBe(100);
    expect(inGib(amountFromRaw({ ...raw, usedBytes: 11_700 * gib }, x3, [x2, ec], x3.promisedBytes))).toMatchObject({ available: 0 });
  });

  it('stays within a quota', () => {
    expect(inGib(amountFromRaw(raw, promise(threeTimes, 1000, 1200), [x2, ec], 1000 * gib))).toMatchObject({
      capacity: 1200,
      available: 200,
    });
  });

  it('is never negative and never beyond what is free', () => {
    const bytes = fc.integer({ min: 0, max: 2 ** 50 });
    const redundancy = fc.constantFrom(threeTimes, twice, fourPlusTwo);
    const promises = fc.record({ redundancy, promisedBytes: bytes, quotaBytes: fc.option(bytes, { nil: undefined }) });
    fc.assert(
      fc.property(bytes, bytes, promises, fc.array(promises, { maxLength: 4 }), (totalBytes, usedBytes, own, others) => {
        const result = amountFromRaw({ totalBytes, usedBytes, fullRatio: 0.95 }, own, others, own.promisedBytes);
        expect(Math.min(result.available, result.overcommitted, result.allocatable)).toBeGreaterThanOrEqual(0);
        expect(result.available).toBeLessThanOrEqual(result.allocatable);
        expect(result.allocatable).toBeLessThanOrEqual(result.capacity);
        expect(result.available).toBeLessThanOrEqual(Math.max(Math.floor(totalBytes * 0.95) - usedBytes, 0));
      }),
    );
  });
});
