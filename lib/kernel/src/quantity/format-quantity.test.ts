import { describe, expect, it } from 'vitest';
import vectors from '../vectors/quantities.json' with { type: 'json' };
import { formatQuantity } from './format-quantity.ts';
import { parseQuantity } from './parse-quantity.ts';
import { addQuantity, quantityFromMillis, quantityFromWhole, scaleQuantity } from './quantity.ts';

const accepted = vectors.quantities.flatMap(({ text, canonical, exact }) =>
  canonical === undefined || exact === undefined ? [] : [{ text, canonical, exact }],
);
/** Go has no suffix above E and Ei, and prints such values without one: as another value. */
const suffixLost = accepted.filter(
  ({ canonical, exact }) => /^-?[0-9]+$/.test(canonical) && BigInt(canonical) !== BigInt(exact.split('.')[0] ?? ''),
);

describe('formatQuantity', () => {
  it.each(accepted.filter((vector) => !suffixLost.includes(vector)))('prints $text as Go does: $canonical', ({ text, canonical }) => {
    expect(formatQuantity(parseQuantity(text))).toBe(canonical);
  });

  it('keeps the largest suffix where Go loses it and with it the value', () => {
    expect(suffixLost.map(({ text, canonical }) => [text, canonical])).toEqual([
      ['1000E', '1'],
      ['-1000E', '-1'],
      ['1500000E', '1500'],
    ]);
    for (const { text } of suffixLost) expect(formatQuantity(parseQuantity(text))).toBe(text);
    expect(formatQuantity(scaleQuantity(parseQuantity('1Ei'), 1024))).toBe('1024Ei');
  });

  it('prints binary values below 1024 and fractions with decimal suffixes', () => {
    expect(formatQuantity(quantityFromWhole(1023, 'BinarySI'))).toBe('1023');
    expect(formatQuantity(quantityFromWhole(-1000, 'BinarySI'))).toBe('-1k');
    expect(formatQuantity(quantityFromWhole(1024, 'BinarySI'))).toBe('1Ki');
    expect(formatQuantity(quantityFromMillis(2048_500, 'BinarySI'))).toBe('2048500m');
  });

  it('prints the canonical form after arithmetic, not the text that was read', () => {
    expect(formatQuantity(addQuantity(parseQuantity('1.500'), parseQuantity('0')))).toBe('1500m');
  });
});
