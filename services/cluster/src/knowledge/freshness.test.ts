import { FakeClock } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { Freshness, problemOf, type SilentSource, SleepWatch } from './freshness.ts';

const maxAgeMs = 30_000;

describe('what may be promised by what was heard', () => {
  it('is nothing before anything was heard, after the age, and while nodes or pods are out of reach for as long', () => {
    const at = (heardAt: number | undefined, silent: readonly SilentSource[] = []) =>
      problemOf({ heardAt, silent }, maxAgeMs, 100_000)?.code;
    expect([at(undefined), at(70_000), at(69_999)]).toEqual(['InventoryUnknown', undefined, 'InventoryStale']);
    const pods = (lastHeardAt: number | undefined) => at(100_000, [{ source: 'pods', lastHeardAt }]);
    expect([pods(70_000), pods(69_999), pods(undefined)]).toEqual([undefined, 'InventoryIncomplete', 'InventoryIncomplete']);
  });
});

describe('Freshness', () => {
  it('judges when it is read, also by what was read before', async () => {
    const clock = new FakeClock();
    const freshness = new Freshness({ maxAgeMs, clock, silent: () => [], silentClaims: () => [] });
    freshness.heard({ protocol: 'deltas', generation: { epoch: 'e', sequence: 1n } });
    const held = freshness.current();
    expect(held).toMatchObject({ protocol: 'deltas', lastContactAt: clock.now(), problem: undefined });
    await clock.advance(maxAgeMs);
    clock.skewWall(-3_600_000);
    expect(held.problem).toBeUndefined();
    await clock.advance(1);
    expect(held.problem?.code).toBe('InventoryStale');
    freshness.heard({ protocol: 'deltas' }, clock.monotonic() - maxAgeMs - 1);
    expect(held.problem?.code).toBe('InventoryStale');
    freshness.heard({ protocol: 'deltas' });
    expect(held.problem).toBeUndefined();
  });

  it('tells apart what no cards can be promised without', async () => {
    const clock = new FakeClock();
    const silentClaims = (): readonly SilentSource[] => [{ source: 'resource-claims', lastHeardAt: 0 }];
    const freshness = new Freshness({ maxAgeMs, clock, silent: () => [], silentClaims });
    freshness.heard({ protocol: 'deltas' });
    const held = freshness.current();
    await clock.advance(maxAgeMs - clock.monotonic());
    expect(held.claimsProblem).toBeUndefined();
    await clock.advance(1);
    expect(held.claimsProblem).toMatchObject({
      code: 'CardCapacityUnknown',
      message: expect.stringMatching(/^resource-claims of the cluster were last heard of 30 s ago/),
    });
    freshness.heard({ protocol: 'deltas' });
    expect([held.problem, freshness.silent]).toEqual([undefined, silentClaims()]);
  });
});

describe('SleepWatch', () => {
  it('tells once that the process did not run, and nothing of time that it ran through', async () => {
    const clock = new FakeClock();
    let sleptMs = 0;
    const asleep = { now: () => clock.now(), monotonic: () => clock.monotonic() + sleptMs, schedule: clock.schedule.bind(clock) };
    const watch = new SleepWatch(asleep, 15_000);
    const stop = watch.start();
    await clock.advance(600_000);
    expect(watch.hasSlept()).toBe(false);
    sleptMs = 15_001;
    expect([watch.hasSlept(), watch.hasSlept()]).toEqual([true, false]);
    sleptMs = 40_000;
    // A timer that runs first does not hide it.
    await clock.advance(4_000);
    expect([watch.hasSlept(), watch.hasSlept()]).toEqual([true, false]);
    stop();
    expect(clock.pendingTimers).toBe(0);
  });
});
