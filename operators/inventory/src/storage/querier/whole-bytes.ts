import { parseQuantity, wholeValue } from '@quartermaster/kernel';

/** A quantity in whole bytes, at most 2^53-1; undefined when absent, negative or not a quantity: one odd object must not cost the others. */
export function wholeBytes(quantity: string | null | undefined): number | undefined {
  if (quantity === undefined || quantity === null || quantity === '') return undefined;
  try {
    const value = Number(wholeValue(parseQuantity(quantity)));
    return value >= 0 ? Math.min(value, Number.MAX_SAFE_INTEGER) : undefined;
  } catch {
    // An API server takes exponents that we do not compute with. Whoever may ask for a volume could have every class unknown by them.
    const beyond = /^\+?(?=[\d.]*[1-9])[\d.]+[eE]([+-]?)\d{4,}$/.exec(quantity);
    if (beyond === null) return undefined;
    return beyond[1] === '-' ? 1 : Number.MAX_SAFE_INTEGER;
  }
}

/** `value` × `numerator` / `denominator`, exact, rounded as said: downwards for what there is, upwards for what is taken. */
export function scaled(value: number, numerator: number, denominator: number, rounding: 'down' | 'up'): number {
  const product = BigInt(value) * BigInt(numerator);
  const divisor = BigInt(denominator);
  return Number(rounding === 'down' ? product / divisor : (product + divisor - 1n) / divisor);
}
