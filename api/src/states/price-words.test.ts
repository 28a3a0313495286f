import { describe, expect, it } from 'vitest';
import { monthText, priceWords, sumPrices } from './price-words.ts';

const uakt = (amount: string) => ({ amount, denom: 'uakt' });

describe('prices in words', () => {
  it.each([
    ['25', '10800000 uakt'],
    ['0.000000000000000001', '0.000000000000432 uakt'],
    ['100', '43200000 uakt'],
    ['9007199254740993.1', '3891110078048109019200 uakt'],
    ['0', '0 uakt'],
  ])('multiplies %s by the 432000 blocks of a month, exactly', (amount, month) => {
    expect(monthText(uakt(amount))).toBe(month);
  });

  it('shows what is no number as it is, and makes up no month', () => {
    expect(priceWords(uakt('much'))).toBe('much uakt per block');
    expect(priceWords(uakt('2.5'))).toBe('2.5 uakt per block, 1080000 uakt per month');
  });

  it('adds what has the same denom, and leaves out a sum that is not known', () => {
    expect(sumPrices([uakt('0.1'), uakt('0.2'), { amount: '3', denom: 'usd' }])).toEqual([uakt('0.3'), { amount: '3', denom: 'usd' }]);
    expect(sumPrices([uakt('1'), uakt('?')])).toEqual([]);
    expect(sumPrices([])).toEqual([]);
  });
});
