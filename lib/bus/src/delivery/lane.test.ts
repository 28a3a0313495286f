import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { laneCount, laneOf } from './lane.ts';

describe('laneOf', () => {
  it('depends on the key alone where there is one', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.string(), fc.string(), (key, a, b) => {
        expect(laneOf({ id: a, key })).toBe(laneOf({ id: b, key }));
      }),
    );
  });

  it('is one of the lanes', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (id, key) => {
        expect(Array.from({ length: laneCount }, (_, lane) => lane)).toContain(laneOf({ id, key }));
      }),
    );
  });

  it('spreads events', () => {
    const lanes = Array.from({ length: 8_000 }, (_, i) => laneOf({ id: `event-${i}`, key: '' }));
    const counts = Array.from({ length: laneCount }, (_, lane) => lanes.filter((each) => each === lane).length);
    expect(Math.min(...counts)).toBeGreaterThan(500);
  });

  it('never changes, since stored events have it in their subjects', () => {
    // The published values of FNV-1a for 'a' and 'foobar' end in 0x2c and 0x68.
    expect(['a', 'foobar', 'lease-1', 'Zürich', '東京'].map((key) => laneOf({ id: '', key }))).toEqual([4, 0, 7, 0, 7]);
  });
});
