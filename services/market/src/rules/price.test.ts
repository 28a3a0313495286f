import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareAmounts, isSamePrice, priceViolations } from './price.ts';

const money = (amount: string, denom = 'uakt') => ({ amount, denom });
const fieldsOf = (price: { amount: string; denom: string } | undefined) => priceViolations('price', price).map(({ field }) => field);

describe('a price', () => {
  it.each(['1', '0.000000000000000001', '12.50', '999999999999999999999999999999'])('may be %s', (amount) => {
    expect(fieldsOf(money(amount))).toEqual([]);
  });

  it.each(['', '0', '0.0', '-1', '+1', '1e3', '1.', '.5', '1.0000000000000000001', '1,5', ' 1', '1'.repeat(41)])(
    'may not be %j',
    (amount) => {
      expect(fieldsOf(money(amount))).toEqual(['price.amount']);
    },
  );

  it.each(['', '1x', 'a b', `a${'b'.repeat(128)}`])('may not be in %j', (denom) => {
    expect(fieldsOf(money('1', denom))).toEqual(['price.denom']);
  });

  it('must be there', () => {
    expect(fieldsOf(undefined)).toEqual(['price']);
  });
});

it('compares amounts exactly, whatever zeros they end with', () => {
  const digits = fc.bigInt({ min: 0n, max: 10n ** 40n });
  const textOf = (units: bigint): string => {
    const text = units.toString().padStart(19, '0');
    return `${text.slice(0, -18)}.${text.slice(-18)}`;
  };
  fc.assert(
    fc.property(digits, digits, (a, b) => {
      expect(Math.sign(compareAmounts(money(textOf(a)), money(textOf(b))))).toBe(a < b ? -1 : a > b ? 1 : 0);
    }),
  );
  expect(isSamePrice(money('5'), money('5.000'))).toBe(true);
  expect(isSamePrice(money('5'), money('5', 'usd'))).toBe(false);
  expect(compareAmounts(money('5'), money('nothing'))).toBeLessThan(0);
});
