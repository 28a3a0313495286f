import { nanosPerUnit, type Quantity } from './quantity.ts';
import { binarySuffixes, decimalSuffixes, maxDecimalExponent, smallestDecimalExponent } from './quantity-suffix.ts';

const smallestBinaryNanos = 1024n * nanosPerUnit;

/**
 * The text that Kubernetes prints for it: no fraction, the largest suffix of its format that loses nothing. Binary suffixes give
 * way to decimal ones below 1024 and for fractions. Values too large for every suffix keep the largest (`1000E`); Go drops the
 * suffix there and so prints another value.
 */
export function formatQuantity(quantity: Quantity): string {
  if (quantity.text !== undefined) return quantity.text;
  const { nanos, format } = quantity;
  if (nanos === 0n) return '0';
  const magnitude = nanos < 0n ? -nanos : nanos;
  const isBinary = format === 'BinarySI' && magnitude >= smallestBinaryNanos && magnitude % nanosPerUnit === 0n;
  if (isBinary) return binaryText(nanos / nanosPerUnit);
  return decimalText(nanos, { asExponent: format === 'DecimalExponent' });
}

function binaryText(value: bigint): string {
  let mantissa = value;
  let step = 0;
  while (step < binarySuffixes.length - 1 && mantissa % 1024n === 0n) {
    mantissa /= 1024n;
    step += 1;
  }
  return `${mantissa}${binarySuffixes[step]}`;
}

function decimalText(nanos: bigint, { asExponent }: { readonly asExponent: boolean }): string {
  let mantissa = nanos;
  let exponent = smallestDecimalExponent;
  while ((asExponent || exponent < maxDecimalExponent) && mantissa % 1000n === 0n) {
    mantissa /= 1000n;
    exponent += 3;
  }
  if (!asExponent) return `${mantissa}${decimalSuffixes[(exponent - smallestDecimalExponent) / 3]}`;
  return exponent === 0 ? `${mantissa}` : `${mantissa}e${exponent}`;
}
