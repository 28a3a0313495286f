import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codeOf } from '../status-error.ts';
import vectors from '../vectors/quantities.json' with { type: 'json' };
import { formatQuantity } from './format-quantity.ts';
import { parseQuantity } from './parse-quantity.ts';
import {
  addQuantity,
  compareQuantity,
  divideAwayFromZero,
  milliValue,
  negateQuantity,
  type Quantity,
  quantityFromMillis,
  quantityFromWhole,
  scaleQuantity,
  subtractQuantity,
  wholeValue,
} from './quantity.ts';

const quantities: fc.Arbitrary<Quantity> = fc.record({
  nanos: fc.oneof(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), fc.bigInt({ min: -5n, max: 5n })),
  format: fc.constantFrom<Quantity['format']>('DecimalSI', 'BinarySI', 'DecimalExponent'),
  text: fc.constant(undefined),
});

const printed = (quantity: Quantity): { canonical: string; format: string } => ({
  canonical: formatQuantity(quantity),
  format: quantity.format,
});
/** `500E` and `500E` sum to what Go prints without a suffix; see format-quantity.test.ts. */
const isPrintable = ({ canonical, exact }: { canonical: string; exact: string }): boolean =>
  !/^-?[0-9]+$/.test(canonical) || BigInt(canonical) === BigInt(exact.split('.')[0] ?? '');

describe('quantity arithmetic, against the answers of Go', () => {
  it.each(vectors.pairs)('adds, subtracts and compares $left and $right, and scales by $by', ({ left, right, by, ...expected }) => {
    const [a, b] = [parseQuantity(left), parseQuantity(right)];
    expect(compareQuantity(a, b)).toBe(expected.compared);
    const results = [
      [addQuantity(a, b), expected.sum],
      [subtractQuantity(a, b), expected.difference],
      [scaleQuantity(a, by), expected.scaled],
      [negateQuantity(a), expected.negated],
    ] as const;
    for (const [ours, theirs] of results) {
      if (isPrintable(theirs)) expect(printed(ours)).toEqual({ canonical: theirs.canonical, format: theirs.format });
      expect(ours.nanos).toBe(BigInt(theirs.exact.replace(/\..*/, '') + (theirs.exact.split('.')[1] ?? '').padEnd(9, '0')));
    }
  });

  it('leaves only the two pairs out that Go prints as another value', () => {
    const left = vectors.pairs.filter((pair) => ![pair.sum, pair.difference, pair.scaled, pair.negated].every(isPrintable));
    expect(left.map((pair) => pair.left)).toEqual(['1Ei', '500E']);
  });
});

describe('quantity arithmetic', () => {
  it('is undone by the opposite operation', () => {
    fc.assert(
      fc.property(quantities, quantities, (a, b) => {
        expect(subtractQuantity(addQuantity(a, b), b).nanos).toBe(a.nanos);
        expect(addQuantity(subtractQuantity(a, b), b).nanos).toBe(a.nanos);
        expect(negateQuantity(negateQuantity(a))).toEqual(a);
      }),
    );
  });

  it('adds in any order and grouping', () => {
    fc.assert(
      fc.property(quantities, quantities, quantities, (a, b, c) => {
        expect(addQuantity(a, b).nanos).toBe(addQuantity(b, a).nanos);
        expect(addQuantity(addQuantity(a, b), c).nanos).toBe(addQuantity(a, addQuantity(b, c)).nanos);
      }),
    );
  });

  it('scales as repeated addition does, format included', () => {
    fc.assert(
      fc.property(quantities, fc.integer({ min: 1, max: 20 }), (quantity, factor) => {
        let sum = quantity;
        for (let i = 1; i < factor; i += 1) sum = addQuantity(sum, quantity);
        expect(scaleQuantity(quantity, factor)).toEqual(sum);
      }),
    );
  });

  it('compares as the exact values do', () => {
    fc.assert(
      fc.property(quantities, quantities, (a, b) => {
        const difference = a.nanos - b.nanos;
        expect(compareQuantity(a, b)).toBe(difference === 0n ? 0 : difference < 0n ? -1 : 1);
        expect(compareQuantity(a, b) + compareQuantity(b, a)).toBe(0);
      }),
    );
  });

  it('takes the format of the left side, unless that is zero', () => {
    fc.assert(
      fc.property(quantities, quantities, (a, b) => {
        expect(addQuantity(a, b).format).toBe(a.nanos === 0n ? b.format : a.format);
        expect(subtractQuantity(a, b).format).toBe(a.nanos === 0n ? b.format : a.format);
      }),
    );
  });

  it('rounds to the nearest multiple that is no nearer to zero', () => {
    fc.assert(
      fc.property(quantities, (quantity) => {
        for (const [rounded, unit] of [
          [milliValue(quantity), 1_000_000n],
          [wholeValue(quantity), 1_000_000_000n],
        ] as const) {
          const excess = quantity.nanos < 0n ? quantity.nanos - rounded * unit : rounded * unit - quantity.nanos;
          expect(excess >= 0n && excess < unit).toBe(true);
        }
      }),
    );
  });

  it('divides exactly where it can', () => {
    expect([divideAwayFromZero(6n, 3n), divideAwayFromZero(7n, 3n), divideAwayFromZero(-7n, 3n), divideAwayFromZero(0n, 3n)]).toEqual([
      2n,
      3n,
      -3n,
      0n,
    ]);
  });
});

describe('quantityFromWhole and quantityFromMillis', () => {
  it('are undone by wholeValue and milliValue', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (value) => {
        expect(wholeValue(quantityFromWhole(value))).toBe(BigInt(value));
        expect(milliValue(quantityFromMillis(value))).toBe(BigInt(value));
      }),
    );
  });

  it('take bigints of any size', () => {
    expect(wholeValue(quantityFromWhole(10n ** 40n))).toBe(10n ** 40n);
  });

  it.each([1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])('refuse %d, which is no exact integer', (value) => {
    for (const make of [quantityFromWhole, quantityFromMillis, (factor: number) => scaleQuantity(quantityFromWhole(1), factor)]) {
      expect(thrownCode(() => make(value))).toBe('invalid_argument');
    }
  });
});

function thrownCode(action: () => unknown): string {
  try {
    action();
  } catch (thrown) {
    return codeOf(thrown);
  }
  return 'nothing was thrown';
}
