import { decimalDigits } from '@quartermaster/kernel';

export { decimalDigits, formatDecimal, parseDecimal } from '@quartermaster/kernel';

export const divideUp = (value: bigint, by: bigint): bigint => (value + by - 1n) / by;

/** The least number of so many digits that is not less. */
export function roundUp(value: bigint, digits: number): bigint {
  const step = 10n ** BigInt(Math.max(decimalDigits - digits, 0));
  return divideUp(value, step) * step;
}
