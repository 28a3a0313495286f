import { StatusError } from '../status-error.ts';
import { divideAwayFromZero, milliValue, nanosPerUnit, type Quantity, type QuantityFormat, wholeValue } from './quantity.ts';
import { binarySuffixes, decimalSuffixes, smallestDecimalExponent } from './quantity-suffix.ts';

interface Unit {
  readonly format: QuantityFormat;
  /** Of ten, or of two when the format is binary. */
  readonly exponent: number;
}

interface Scanned {
  readonly negative: boolean;
  /** Digits before the point without leading zeros; `0` when there is nothing else. */
  readonly whole: string;
  readonly fraction: string;
  readonly suffix: string;
  readonly hasDigits: boolean;
}

/** suffix -> unit */
const units: ReadonlyMap<string, Unit> = new Map([
  ...decimalSuffixes.map((suffix, i): [string, Unit] => [suffix, { format: 'DecimalSI', exponent: smallestDecimalExponent + 3 * i }]),
  ...binarySuffixes.slice(1).map((suffix, i): [string, Unit] => [suffix, { format: 'BinarySI', exponent: 10 * (i + 1) }]),
]);

/** Go allows exponents up to 2^31, which is a way to exhaust memory with ten characters. */
const maxExponent = 999;

/** Kubernetes caps what is written with a binary suffix, and nothing else, at the largest 64-bit integer. */
const binaryCapNanos = (2n ** 63n - 1n) * nanosPerUnit;

/** Exponentiation costs more than the rest of the parse, and nearly every quantity needs one of these. */
const powersOfTen: readonly bigint[] = Array.from({ length: 28 }, (_, exponent) => 10n ** BigInt(exponent));

const zeroCode = 48;
const nineCode = 57;

/**
 * Reads a quantity as Kubernetes does, its oddities included, so that both agree on every text that an API server accepts:
 * more than nine decimals round away from zero, binary suffixes stop at 2^63-1, a sign or a suffix without digits is zero
 * (unless very large or small), and a text that passes Go's quick test for being canonical is kept as written (`+1`, `1.500`).
 * Throws `invalid_argument` for what Kubernetes refuses, and for exponents beyond ±999.
 */
export function parseQuantity(text: string): Quantity {
  const scanned = scan(text);
  const unit = units.get(scanned.suffix) ?? exponentUnit(scanned.suffix);
  if (unit === undefined || text === '') {
    throw refusal(
      text,
      'must be a decimal number with an optional suffix: n u m k M G T P E, Ki Mi Gi Ti Pi Ei, or an exponent such as e3',
    );
  }
  if (Math.abs(unit.exponent) > maxExponent) throw refusal(text, `must have an exponent between -${maxExponent} and ${maxExponent}`);
  const short = isShort(scanned, unit);
  if (!scanned.hasDigits && !short) throw refusal(text, 'must have a digit before its suffix');

  const digits = BigInt(scanned.whole + scanned.fraction);
  const magnitude = unit.format === 'BinarySI' ? binaryNanos(digits, scanned, unit) : decimalNanos(digits, scanned, unit);
  return {
    nanos: scanned.negative ? -magnitude : magnitude,
    format: unit.format === 'BinarySI' && magnitude > 0n && magnitude < nanosPerUnit ? 'DecimalSI' : unit.format,
    text: short && looksCanonical(scanned, unit) ? text : undefined,
  };
}

/** CPU text to millicores, rounded up: `1500m` and `1.5` are 1500, `1n` is 1. */
export function millicores(text: string): number {
  return safe(milliValue(parseQuantity(text)), text, 'millicores');
}

/** Memory or storage text to bytes, rounded up: `1Ki` is 1024. */
export function bytes(text: string): number {
  return safe(wholeValue(parseQuantity(text)), text, 'bytes');
}

function scan(text: string): Scanned {
  const signed = text.startsWith('-') || text.startsWith('+');
  const numberFrom = signed ? 1 : 0;
  let wholeFrom = numberFrom;
  while (text.charCodeAt(wholeFrom) === zeroCode) wholeFrom += 1;
  const wholeTo = endOfDigits(text, wholeFrom);
  const fractionFrom = text[wholeTo] === '.' ? wholeTo + 1 : wholeTo;
  const fractionTo = fractionFrom > wholeTo ? endOfDigits(text, fractionFrom) : wholeTo;
  return {
    negative: text.startsWith('-'),
    whole: wholeTo > wholeFrom ? text.slice(wholeFrom, wholeTo) : '0',
    fraction: text.slice(fractionFrom, fractionTo),
    suffix: text.slice(fractionTo),
    hasDigits: wholeTo > numberFrom || fractionTo > fractionFrom,
  };
}

function endOfDigits(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) >= zeroCode && text.charCodeAt(at) <= nineCode) at += 1;
  return at;
}

function exponentUnit(suffix: string): Unit | undefined {
  return /^[eE][+-]?[0-9]+$/.test(suffix) ? { format: 'DecimalExponent', exponent: Number(suffix.slice(1)) } : undefined;
}

function decimalNanos(digits: bigint, { fraction }: Scanned, { exponent }: Unit): bigint {
  const shift = exponent - fraction.length - smallestDecimalExponent;
  return shift >= 0 ? digits * powerOfTen(shift) : divideAwayFromZero(digits, powerOfTen(-shift));
}

function binaryNanos(digits: bigint, { fraction }: Scanned, { exponent }: Unit): bigint {
  const unscaled = (digits << BigInt(exponent)) * nanosPerUnit;
  const nanos = fraction === '' ? unscaled : divideAwayFromZero(unscaled, powerOfTen(fraction.length));
  return nanos > binaryCapNanos ? binaryCapNanos : nanos;
}

function powerOfTen(exponent: number): bigint {
  return powersOfTen[exponent] ?? 10n ** BigInt(exponent);
}

/** Whether Go reads the text into a 64-bit integer without looking closer; only then may digits be missing or the text be kept. */
function isShort({ whole, fraction }: Scanned, { format, exponent }: Unit): boolean {
  if (format === 'BinarySI') return fraction === '' && whole.length + (exponent / 10) * 3 <= 14;
  return whole.length + fraction.length <= 18 && exponent - fraction.length >= smallestDecimalExponent;
}

/** Go's quick test. It lets some texts through that are not canonical, and those are printed as they were written. */
function looksCanonical({ whole, fraction }: Scanned, { format, exponent }: Unit): boolean {
  if (format === 'BinarySI') return Number(whole) % 8 !== 0;
  return (exponent - fraction.length) % 3 === 0 && !whole.startsWith('0') && !(whole + fraction).endsWith('000');
}

function safe(value: bigint, text: string, unit: string): number {
  const result = Number(value);
  if (!Number.isSafeInteger(result)) throw refusal(text, `must be at most 2^53-1 ${unit}`);
  return result;
}

function refusal(text: string, rule: string): StatusError {
  const shown = text.length > 64 ? `${text.slice(0, 64)}…` : text;
  return new StatusError('invalid_argument', `quantity ${JSON.stringify(shown)} ${rule}`);
}
