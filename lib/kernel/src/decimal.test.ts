import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDecimal, parseDecimal } from './decimal.ts';

describe('decimals', () => {
  it.each([
    ['0', '0'],
    ['10', '10'],
    ['1000.50', '1000.5'],
    ['007.000', '7'],
    ['0.000000000000000001', '0.000000000000000001'],
  ])('prints %s as %s', (text, printed) => {
    expect(formatDecimal(parseDecimal(text) ?? -1n)).toBe(printed);
  });

  it.each(['', '.5', '5.', '-1', '+1', '1e3', '0x1', '1_0', ' 1', 'NaN', '0.0000000000000000001', '9'.repeat(41)])('refuses %j', (text) => {
    expect(parseDecimal(text)).toBeUndefined();
  });

  it('adds what floating point cannot', () => {
    const sum = (parseDecimal('0.1') ?? 0n) + (parseDecimal('0.2') ?? 0n) + (parseDecimal('9007199254740993') ?? 0n);
    expect(formatDecimal(sum)).toBe('9007199254740993.3');
  });

  it('prints as many digits after the point as it is told', () => {
    expect(formatDecimal(1_230_000_000n, 24)).toBe('0.00000000000000123');
  });

  it('reads back what it prints', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 50n }), (value) => {
        expect(parseDecimal(formatDecimal(value))).toBe(value);
      }),
    );
  });
});
