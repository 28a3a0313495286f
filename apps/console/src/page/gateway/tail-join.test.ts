import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TailJoin } from './tail-join.ts';

const joined = (known: readonly string[], again: readonly string[]): readonly string[] => {
  const join = new TailJoin(known);
  return [...known, ...again.flatMap((line) => join.take(line))];
};

describe('a log that is read again', () => {
  it.each([
    ['where nothing is known', [], ['a', 'b'], ['a', 'b']],
    ['where nothing is new', ['a', 'b'], ['a', 'b'], ['a', 'b']],
    ['in the middle', ['a', 'b', 'c'], ['b', 'c', 'd'], ['a', 'b', 'c', 'd']],
    ['of another container', ['a', 'b'], ['c', 'd'], ['a', 'b', 'c', 'd']],
    ['that repeats itself', ['a', 'b', 'a'], ['a', 'c'], ['a', 'b', 'a', 'c']],
    ['that looks like an overlap at first', ['a', 'b', 'a', 'c'], ['a', 'c', 'b', 'a'], ['a', 'b', 'a', 'c', 'b', 'a']],
  ])('%s has each line once', (_what, known, again, all) => {
    expect(joined(known, again)).toEqual(all);
  });

  it('is what was written, wherever it broke, when its lines differ', () => {
    fc.assert(
      fc.property(fc.nat(40), fc.nat(40), fc.nat(40), fc.nat(40), (before, missed, first, tail) => {
        const log = Array.from({ length: before + missed + first }, (_, index) => `line ${index}`);
        const from = Math.max(0, before + missed - Math.max(tail, missed));
        expect(joined(log.slice(0, before), log.slice(from))).toEqual(log);
      }),
    );
  });

  it('shows no known line again, whatever repeats itself', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'b')), fc.array(fc.constantFrom('a', 'b')), fc.nat(20), (known, more, tail) => {
        const log = [...known, ...more];
        const all = joined(known, log.slice(Math.max(0, known.length - tail)));
        expect(all.length).toBeLessThanOrEqual(log.length);
      }),
    );
  });
});
