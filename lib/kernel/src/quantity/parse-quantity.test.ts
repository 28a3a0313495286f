import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StatusError } from '../status-error.ts';
import vectors from '../vectors/quantities.json' with { type: 'json' };
import { formatQuantity } from './format-quantity.ts';
import { bytes, millicores, parseQuantity } from './parse-quantity.ts';
import { milliValue, type Quantity, wholeValue } from './quantity.ts';

const refused = vectors.quantities.filter((vector) => vector.error !== undefined);
const accepted = vectors.quantities.filter((vector) => vector.error === undefined);

/** A plain decimal, as Go prints exact values, in billionths. */
function nanosOf(decimal = ''): bigint {
  const [whole = '', fraction = ''] = decimal.split('.');
  return BigInt(whole + fraction.padEnd(9, '0'));
}

function thrownBy(action: () => unknown): StatusError {
  try {
    action();
  } catch (thrown) {
    if (thrown instanceof StatusError) return thrown;
    throw thrown;
  }
  throw new Error('nothing was thrown');
}

describe('parseQuantity, against the answers of Go', () => {
  it.each(accepted)('reads $text as Go does', (vector) => {
    const quantity = parseQuantity(vector.text);
    expect(quantity.nanos).toBe(nanosOf(vector.exact));
    expect(quantity.format).toBe(vector.format);
  });

  it.each(accepted)('rounds $text up as Go does', (vector) => {
    const quantity = parseQuantity(vector.text);
    expect(milliValue(quantity) * 1_000_000n).toBe(nanosOf(vector.millis));
    expect(wholeValue(quantity) * 1_000_000_000n).toBe(nanosOf(vector.whole));
  });

  it.each(refused)('refuses $text as Go does', (vector) => {
    const error = thrownBy(() => parseQuantity(vector.text));
    expect(error.code).toBe('invalid_argument');
    expect(error.message).toContain(JSON.stringify(vector.text));
    expect(error.message).toMatch(/ must (be|have) /);
  });

  it('has vectors of both kinds', () => {
    expect(accepted.length).toBeGreaterThan(160);
    expect(refused.length).toBeGreaterThan(40);
  });
});

describe('parseQuantity', () => {
  it('refuses exponents that would exhaust memory, which Go accepts', () => {
    expect(thrownBy(() => parseQuantity('1e1000')).message).toContain('between -999 and 999');
    expect(thrownBy(() => parseQuantity('1e-2147483648')).message).toContain('between -999 and 999');
    expect(parseQuantity('1e999').nanos).toBe(10n ** 1008n);
    expect(parseQuantity('1e-999').nanos).toBe(1n);
  });

  it('quotes no more than the beginning of a long text', () => {
    expect(thrownBy(() => parseQuantity('x'.repeat(5000))).message.length).toBeLessThan(300);
  });

  it('keeps a text that Go prints back as written', () => {
    expect(parseQuantity('+1').text).toBe('+1');
    expect(parseQuantity('1.500').text).toBe('1.500');
    expect(parseQuantity('1.5').text).toBeUndefined();
  });

  it('reads back what formatQuantity prints', () => {
    const amounts = fc.record({
      nanos: fc.bigInt({ min: -(2n ** 62n) * 10n ** 9n, max: 2n ** 62n * 10n ** 9n }),
      format: fc.constantFrom<Quantity['format']>('DecimalSI', 'BinarySI', 'DecimalExponent'),
      text: fc.constant(undefined),
    });
    fc.assert(
      fc.property(amounts, (quantity) => {
        const text = formatQuantity(quantity);
        const again = parseQuantity(text);
        expect(again.nanos).toBe(quantity.nanos);
        expect(formatQuantity({ ...again, text: undefined })).toBe(text);
      }),
    );
  });

  it('gives the same value however many zeros lead or trail', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(999), fc.nat(5), fc.nat(5), (whole, fraction, leading, trailing) => {
        const padded = String(fraction).padStart(3, '0');
        const plain = parseQuantity(`${whole}.${padded}Mi`);
        expect(parseQuantity(`${'0'.repeat(leading)}${whole}.${padded}${'0'.repeat(trailing)}Mi`).nanos).toBe(plain.nanos);
      }),
    );
  });
});

describe('millicores and bytes', () => {
  it.each([
    ['1', 1000],
    ['1500m', 1500],
    ['0.1', 100],
    ['1n', 1],
    ['1000001u', 1001],
    ['2k', 2_000_000],
    ['0', 0],
  ])('reads %s as %d millicores', (text, expected) => {
    expect(millicores(text)).toBe(expected);
  });

  it.each([
    ['1Ki', 1024],
    ['1.5Gi', 1_610_612_736],
    ['1G', 1_000_000_000],
    ['1m', 1],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
  ])('reads %s as %d bytes', (text, expected) => {
    expect(bytes(text)).toBe(expected);
  });

  it('refuses what a number cannot hold exactly', () => {
    expect(thrownBy(() => bytes('9007199254740992')).message).toBe('quantity "9007199254740992" must be at most 2^53-1 bytes');
    expect(thrownBy(() => millicores('10T')).code).toBe('invalid_argument');
  });
});
