import { describe, expect, it } from 'vitest';
import { exactPrice, perMonth } from './price-words.ts';

const uakt = (amount: string) => ({ denom: 'uakt', amount });

describe('a price for a month', () => {
  it.each([
    ['100', '43.83 AKT'],
    ['0.5', '0.22 AKT'],
    ['0.000000000000000001', '4.4e-19 AKT'],
    ['10000', '4 383 AKT'],
  ])('of %s uakt for each block is %s', (amount, words) => {
    expect(perMonth(uakt(amount))).toBe(words.replace(' ', words.startsWith('4 ') ? '\u202f' : ' '));
  });

  it('is a sum for each denom, exact before it is rounded', () => {
    expect(perMonth(uakt('0.1'), uakt('0.2'), { denom: 'uact', amount: '1' }, undefined)).toBe('0.13 AKT + 0.44 ACT');
    expect(perMonth({ denom: 'usd', amount: '0.001' })).toBe('438.3 usd');
    expect(perMonth()).toBe('');
  });

  it('is told exactly as it was bid', () => {
    expect(exactPrice(uakt('0.125'))).toBe('0.125 uakt for each block of 6 s');
  });
});
