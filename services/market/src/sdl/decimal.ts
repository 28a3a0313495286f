/** Digits after the point that an amount of money may have. */
export const decimalPlaces = 18;

const scale = 10n ** BigInt(decimalPlaces);

/** A decimal number as a count of 10^-18, or undefined for what is none: signs, exponents, more than 18 digits after the point. */
export function parseDecimal(text: string): bigint | undefined {
  const match = /^([0-9]{1,40})(?:\.([0-9]{1,18}))?$/.exec(text);
  if (match === null) return undefined;
  const [, whole = '', fraction = ''] = match;
  return BigInt(whole) * scale + BigInt(fraction.padEnd(decimalPlaces, '0'));
}

/** The shortest text of it: no zeros at either end. */
export function formatDecimal(value: bigint): string {
  const fraction = String(value % scale).padStart(decimalPlaces, '0');
  return `${value / scale}.${fraction}`.replace(/\.?0+$/, '');
}
