import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededRandom, systemRandom } from './random.ts';

const draw = (seed: number, count: number): number[] => {
  const random = seededRandom(seed);
  return Array.from({ length: count }, () => random.next());
};

describe('seededRandom', () => {
  it('repeats with the same seed and differs with another', () => {
    expect(draw(42, 20)).toEqual(draw(42, 20));
    expect(draw(42, 20)).not.toEqual(draw(43, 20));
  });

  it('gives the sequence of mulberry32, the same on every machine', () => {
    expect(draw(0, 3)).toEqual([0.26642920868471265, 0.0003297457005828619, 0.2232720274478197]);
  });

  it('stays in [0, 1) for every seed', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        expect(draw(seed, 20).every((value) => value >= 0 && value < 1)).toBe(true);
      }),
    );
  });

  it('spreads over the whole range', () => {
    const buckets = Array.from({ length: 10 }, () => 0);
    for (const value of draw(5, 10_000)) buckets[Math.floor(value * 10)] = (buckets[Math.floor(value * 10)] ?? 0) + 1;
    expect(buckets.every((count) => count > 800 && count < 1200)).toBe(true);
  });

  it('fills the given array and returns it', () => {
    const bytes = new Uint8Array(64);
    expect(seededRandom(1).fill(bytes)).toBe(bytes);
    expect(new Set(bytes).size).toBeGreaterThan(32);
    expect(seededRandom(1).fill(new Uint8Array(64))).toEqual(bytes);
  });
});

describe('systemRandom', () => {
  it('draws from [0, 1) and does not repeat', () => {
    const values = Array.from({ length: 100 }, () => systemRandom.next());
    expect(values.every((value) => value >= 0 && value < 1)).toBe(true);
    expect(new Set(values).size).toBe(100);
  });

  it('fills the given array and returns it', () => {
    const bytes = new Uint8Array(64);
    expect(systemRandom.fill(bytes)).toBe(bytes);
    expect(new Set(bytes).size).toBeGreaterThan(32);
  });

  it('gives no bytes twice, and more than it keeps at hand when asked', () => {
    const ids = Array.from({ length: 500 }, () => systemRandom.fill(new Uint8Array(8)).join('.'));
    expect(new Set(ids).size).toBe(500);
    const many = systemRandom.fill(new Uint8Array(5_000));
    expect(new Set(many).size).toBe(256);
    expect(systemRandom.fill(new Uint8Array(5_000))).not.toEqual(many);
  });
});
