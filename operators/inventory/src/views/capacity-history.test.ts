import type { CapacityLine } from '@quartermaster/api/inventory-views';
import { FakeClock } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { CapacityHistory } from './capacity-history.ts';

const hourMs = 3_600_000;

function start() {
  const clock = new FakeClock();
  const now = { allocated: 0, isKnown: true };
  const read = (): readonly CapacityLine[] | undefined => {
    const division = { allocated: now.allocated, sellable: 1, heldBack: 2, unknown: 3 };
    return now.isKnown ? [{ kind: 'resource', name: 'cpu', unit: 'millicores', division, why: [] }] : undefined;
  };
  const history = new CapacityHistory({ clock, read, changed: () => {} });
  return { clock, now, history };
}

describe('CapacityHistory', () => {
  it('keeps a sample every 10 s of the last hour and one a minute of the day before', () => {
    const clock = { now: () => at, monotonic: () => at, schedule: () => () => {} };
    let at = 0;
    const history = new CapacityHistory({ clock, read: () => [], changed: () => {} });
    const run = (hours: number): void => {
      for (const end = at + hours * hourMs; at < end; ) {
        at += 10_000;
        history.take();
      }
    };
    run(3);
    expect(history.lastHour()).toHaveLength(360);
    expect(history.lastHour().at(-1)?.at).toBe(3 * hourMs);
    const older = history.since(0).slice(0, -360);
    expect(older).toHaveLength(121);
    expect(older.slice(1).every((sample) => sample.at % 60_000 === 0)).toBe(true);
    run(30);
    const all = history.since(0);
    expect(all[0]?.at).toBe(9 * hourMs + 60_000);
    expect(all).toHaveLength(360 + 23 * 60);
  });

  it('gives samples from a moment on', async () => {
    const { clock, history } = start();
    await clock.advance(60_000);
    expect(history.since(clock.now() - 20_000)).toHaveLength(3);
  });

  it('keeps a gap a gap, also when a minute is made one sample', async () => {
    const { clock, now, history } = start();
    await clock.advance(30_000);
    now.isKnown = false;
    await clock.advance(10_000);
    now.isKnown = true;
    const gapAt = clock.now();
    await clock.advance(20_000);
    expect(history.lastHour().filter(({ cpu }) => cpu === undefined)).toEqual([{ at: gapAt }]);
    await clock.advance(2 * hourMs);
    const [first, ...others] = history.since(0).filter(({ at }) => at < clock.now() - hourMs);
    expect(first).not.toHaveProperty('cpu');
    expect(others.every(({ cpu }) => cpu !== undefined)).toBe(true);
  });

  it('shows a gap for a time in which the process did not run', async () => {
    const { clock, history } = start();
    await clock.advance(20_000);
    history.stop();
    const last = clock.now();
    await clock.advance(120_000);
    history.take();
    expect(history.lastHour().slice(-2)).toEqual([{ at: last + 10_000 }, { at: clock.now(), cpu: [0, 1, 2, 3] }]);
  });
});
