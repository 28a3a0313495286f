/** Digits after the point that an amount of money may have. */
export const decimalDigits = 18;

const form = /^([0-9]{1,40})(?:\.([0-9]{1,18}))?$/;

/** A decimal number as a count of 10^-18, or undefined for what is none: signs, exponents, more than 18 digits after the point. */
export function parseDecimal(text: string): bigint | undefined {
  const [, whole, fraction = ''] = form.exec(text) ?? [];
  return whole === undefined ? undefined : BigInt(whole + fraction.padEnd(decimalDigits, '0'));
}

/** The shortest text of a count of 10^-18, or of what has more or fewer digits after the point: no zeros at either end. */
export function formatDecimal(value: bigint, digits = decimalDigits): string {
  const text = String(value).padStart(digits + 1, '0');
  return `${text.slice(0, -digits)}.${text.slice(-digits)}`.replace(/\.?0+$/, '');
}
