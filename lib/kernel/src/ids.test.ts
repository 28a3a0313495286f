import { describe, expect, it } from 'vitest';
import { FakeClock } from './fake-clock.ts';
import { createUuidV7 } from './ids.ts';
import { type Random, seededRandom, systemRandom } from './random.ts';

const timeOf = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

/** Starts every counter at the highest value it may start at, and fills with ones. */
const highest: Random = { next: () => 1 - 2 ** -52, fill: (bytes) => bytes.fill(0xff) };

describe('createUuidV7', () => {
  it('gives the layout of RFC 9562: time, version 7, variant 10', () => {
    const clock = new FakeClock(0x0123456789ab);
    const lowest: Random = { next: () => 0, fill: (bytes) => bytes.fill(0) };
    expect(createUuidV7({ clock, random: highest })()).toBe('01234567-89ab-77ff-bfff-ffffffffffff');
    expect(createUuidV7({ clock, random: lowest })()).toBe('01234567-89ab-7000-8000-000000000000');
  });

  it('repeats with the same seed and differs with another', () => {
    const clock = new FakeClock();
    const first = (seed: number): string => createUuidV7({ clock, random: seededRandom(seed) })();
    expect(first(1)).toBe(first(1));
    expect(first(1)).not.toBe(first(2));
  });

  it('gives growing, distinct ids within one millisecond, also beyond what its counter holds', () => {
    const clock = new FakeClock();
    const next = createUuidV7({ clock, random: seededRandom(7) });
    const ids = Array.from({ length: 10_000 }, next);
    expect(ids).toEqual(ids.toSorted());
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.every((id) => /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id))).toBe(true);
  });

  it('steps ahead of the clock when a millisecond is full, and at least 2048 fit into one', () => {
    const clock = new FakeClock();
    const next = createUuidV7({ clock, random: highest });
    const times = Array.from({ length: 2050 }, () => timeOf(next()) - clock.now());
    expect(times.indexOf(1)).toBe(2049);
    expect(times.slice(0, 2049).every((ahead) => ahead === 0)).toBe(true);
  });

  it('keeps growing when the wall clock goes back', async () => {
    const clock = new FakeClock();
    const next = createUuidV7({ clock, random: systemRandom });
    const before = next();
    clock.skewWall(-3_600_000);
    const during = next();
    await clock.advance(3_600_001);
    const after = next();
    expect([before, during, after]).toEqual([before, during, after].toSorted());
    expect(timeOf(after)).toBe(clock.now());
  });

  it('takes the time from the clock in each new millisecond', async () => {
    const clock = new FakeClock();
    const next = createUuidV7({ clock, random: systemRandom });
    for (let i = 0; i < 3; i += 1) {
      await clock.advance(1.5);
      expect(timeOf(next())).toBe(Math.floor(clock.now()));
    }
  });
});
