/** Digits after the point that are kept. */
export const decimalDigits = 18;

const one = 10n ** BigInt(decimalDigits);
const form = /^(\d{1,40})(?:\.(\d{1,18}))?$/;

/** A decimal number that is not negative, as so many 10^-18. Undefined for anything else: signs, exponents, more digits than are kept. */
export function parseDecimal(text: string): bigint | undefined {
  const match = form.exec(text);
  if (match === null) return undefined;
  const [, whole = '', fraction = ''] = match;
  return BigInt(whole) * one + BigInt(fraction.padEnd(decimalDigits, '0'));
}

/** Without zeros that say nothing. */
export function formatDecimal(value: bigint): string {
  const fraction = (value % one).toString().padStart(decimalDigits, '0').replace(/0+$/, '');
  return fraction === '' ? String(value / one) : `${value / one}.${fraction}`;
}

export const divideUp = (value: bigint, by: bigint): bigint => (value + by - 1n) / by;

/** The least number of so many digits that is not less. */
export function roundUp(value: bigint, digits: number): bigint {
  const step = 10n ** BigInt(Math.max(decimalDigits - digits, 0));
  return divideUp(value, step) * step;
}
