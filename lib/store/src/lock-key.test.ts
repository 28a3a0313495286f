import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { kindKeys, lockKey, lockKeys } from './lock-key.ts';

describe('lock keys', () => {
  it('are the same in every process and release', () => {
    expect(lockKey('hosts/4711')).toBe(3_757_414_367_410_510_083n);
  });

  it('are taken once each and in the same order, however they were named', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { maxLength: 20 }), fc.infiniteStream(fc.nat()), (texts, order) => {
        const shuffled = texts
          .map((text) => ({ text, at: order.next().value ?? 0 }))
          .toSorted((a, b) => a.at - b.at)
          .map(({ text }) => text);
        const keys = lockKeys([...shuffled, ...texts]);
        expect(keys).toEqual(lockKeys(texts));
        expect(keys).toHaveLength(new Set(texts).size);
        expect(keys.every((key, index) => index === 0 || key > (keys[index - 1] ?? 0n))).toBe(true);
      }),
    );
  });

  it('of kinds are those before the first slash, once each', () => {
    expect(kindKeys(['hosts/1', 'hosts/2', 'host_sources/a/1', 'host_marks'])).toEqual(lockKeys(['hosts', 'host_sources']));
  });
});
