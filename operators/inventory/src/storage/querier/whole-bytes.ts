import { parseQuantity, wholeValue } from '@quartermaster/kernel';

/** A quantity in whole bytes; undefined when absent or not a quantity: one odd object must not cost the others. */
export function wholeBytes(quantity: string | null | undefined): number | undefined {
  if (quantity === undefined || quantity === null || quantity === '') return undefined;
  try {
    const value = Number(wholeValue(parseQuantity(quantity)));
    return Number.isSafeInteger(value) && value >= 0 ? value : undefined;
  } catch {
    return undefined;
  }
}

/** `value` × `numerator` / `denominator`, exact, rounded as said: downwards for what there is, upwards for what is taken. */
export function scaled(value: number, numerator: number, denominator: number, rounding: 'down' | 'up'): number {
  const product = BigInt(value) * BigInt(numerator);
  const divisor = BigInt(denominator);
  return Number(rounding === 'down' ? product / divisor : (product + divisor - 1n) / divisor);
}
