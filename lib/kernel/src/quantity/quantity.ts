import { StatusError } from '../status-error.ts';

/** The family of suffixes that a quantity is printed with. */
export type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent';

/** A Kubernetes quantity: exact to a billionth, without an upper bound. Never changes once made. */
export interface Quantity {
  /** The value in billionths of its unit (cores, bytes, pieces). */
  readonly nanos: bigint;
  readonly format: QuantityFormat;
  /** The text it was parsed from, where Kubernetes prints that again instead of the canonical form; see `parseQuantity`. */
  readonly text: string | undefined;
}

export const nanosPerUnit = 1_000_000_000n;
const nanosPerMilli = 1_000_000n;

function quantityOf(nanos: bigint, format: QuantityFormat): Quantity {
  return { nanos, format, text: undefined };
}

export function quantityFromWhole(value: number | bigint, format: QuantityFormat = 'DecimalSI'): Quantity {
  return quantityOf(integer(value, 'value') * nanosPerUnit, format);
}

export function quantityFromMillis(millis: number | bigint, format: QuantityFormat = 'DecimalSI'): Quantity {
  return quantityOf(integer(millis, 'millis') * nanosPerMilli, format);
}

/** The sum, printed like `left`; like `right` when `left` is zero. */
export function addQuantity(left: Quantity, right: Quantity): Quantity {
  return quantityOf(left.nanos + right.nanos, formatOfResult(left, right));
}

/** The difference, printed like `left`; like `right` when `left` is zero. */
export function subtractQuantity(left: Quantity, right: Quantity): Quantity {
  return quantityOf(left.nanos - right.nanos, formatOfResult(left, right));
}

/** `quantity` times an integer. */
export function scaleQuantity(quantity: Quantity, factor: number | bigint): Quantity {
  return quantityOf(quantity.nanos * integer(factor, 'factor'), quantity.format);
}

export function negateQuantity(quantity: Quantity): Quantity {
  return quantityOf(-quantity.nanos, quantity.format);
}

/** Compares values, not texts: `1` equals `1000m`. Fit for `Array.sort`. */
export function compareQuantity(left: Quantity, right: Quantity): -1 | 0 | 1 {
  if (left.nanos === right.nanos) return 0;
  return left.nanos < right.nanos ? -1 : 1;
}

/**
 * The value in thousandths, rounded away from zero, as Go's `MilliValue()` documents. Exact where that one overflows 64 bits,
 * and also for negative fractions, some of which it rounds the other way.
 */
export function milliValue(quantity: Quantity): bigint {
  return divideAwayFromZero(quantity.nanos, nanosPerMilli);
}

/** The value in whole units, rounded away from zero, as Go's `Value()` documents; exact as `milliValue` is. */
export function wholeValue(quantity: Quantity): bigint {
  return divideAwayFromZero(quantity.nanos, nanosPerUnit);
}

/** The quotient with any fraction raised to the next integer away from zero. The divisor must be positive. */
export function divideAwayFromZero(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  if (quotient * divisor === dividend) return quotient;
  return dividend < 0n ? quotient - 1n : quotient + 1n;
}

function formatOfResult(left: Quantity, right: Quantity): QuantityFormat {
  return left.nanos === 0n ? right.format : left.format;
}

function integer(value: number | bigint, name: string): bigint {
  if (typeof value === 'bigint') return value;
  if (Number.isSafeInteger(value)) return BigInt(value);
  throw new StatusError('invalid_argument', `${name} ${value} must be an integer of at most 2^53-1; pass a bigint for more`);
}
