import { describe, expect, it } from 'vitest';
import { monthText, priceWords, sumPrices } from './price-words.ts';

const uakt = (amount: string) => ({ amount, denom: 'uakt' });

describe('prices in words', () => {
  it.each([
    ['25', '10.9575 AKT'],
    ['0.000000000000000001', '0.0000000000000000004383 AKT'],
    ['100', '43.83 AKT'],
    ['9007199254740993.1', '3947855433352977.27573 AKT'],
    ['0', '0 AKT'],
  ])('multiplies %s millionths by the 438300 blocks of a month, exactly', (amount, month) => {
    expect(monthText(uakt(amount))).toBe(month);
  });

  it('shows what is no number as it is, and makes up no month', () => {
    expect(priceWords(uakt('much'))).toBe('much uakt per block');
    expect(priceWords(uakt('2.5'))).toBe('2.5 uakt per block, 1.09575 AKT per month');
  });

  it('shows a denom that has no coin as it is', () => {
    expect(monthText({ denom: 'ibc/1F', amount: '0.001' })).toBe('438.3 ibc/1F');
  });

  it('adds what has the same denom, and leaves out a sum that is not known', () => {
    expect(sumPrices([uakt('0.1'), uakt('0.2'), { amount: '3', denom: 'usd' }])).toEqual([uakt('0.3'), { amount: '3', denom: 'usd' }]);
    expect(sumPrices([uakt('1'), uakt('?')])).toEqual([]);
    expect(sumPrices([])).toEqual([]);
  });
});
