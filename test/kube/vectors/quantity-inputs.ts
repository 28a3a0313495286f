import type { PairQuestion } from './oracle.ts';

const words = (text: string): string[] => text.trim().split(/\s+/);

/** Texts whose reading by Kubernetes the quantity vectors record, refused ones included. */
export const quantityTexts: readonly string[] = [
  // Every suffix, bare and with fractions that move it to another one.
  ...words('0 1 1n 1u 1m 1k 1M 1G 1T 1P 1E 1Ki 1Mi 1Gi 1Ti 1Pi 1Ei'),
  ...words('100n 100u 100m 250m 1500m 999k 1023Ki 1024Ki 1025Ki 1024Mi 2048Gi 1000m 1000k 1000Mi 10000Gi'),
  ...words('1.5n 1.5u 1.5m 1.5 1.5k 1.5M 1.5G 1.5T 1.5P 1.5E 1.5Ki 1.5Mi 1.5Gi 1.5Ti 1.5Pi 1.5Ei'),
  ...words('0.1 0.01 0.001 0.0001 0.5Ki 0.25Mi 0.1Gi 0.0001Ki 0.3Ki 0.9999999999Ki'),
  // Exponents.
  ...words('1e3 1E3 1e+3 1E-3 1e-3 1e0 1e1 1e2 1e6 1e9 1e10 1e18 1e20 1e100 12e6 1.5e3 1.25e1 1e-9 1e-10 1e-100 100e-3 1e03 0e5'),
  // Signs, leading and trailing points and zeros, and what Go prints back as written.
  ...words(
    '+1 -1 +1.5 -1.5 -1Ki +1Ki -100m .5 -.5 +.5 5. 5.k 5.Mi .5Gi 00 007 010m 01Ki 0100Mi 1.0 1.00 1.000 1.500 1.250k 0.100 -0 +0 -0Ki 0.0 0m 0Gi',
  ),
  // The lengths up to which Go keeps the text.
  ...words(
    '+123456789012345678 +1234567890123456789 +1.234567891 +12345678901.2345678 +12345678901Ki +123456789012Ki +12345678Mi +123456789Mi',
  ),
  ...words('+12345Gi +123457Gi +12Ti +123Ti +1Pi +1e-9 +1e-10'),
  // No digits at all.
  ...words('- + . -. k m Ki -k e5 .n Ti Pi Ei e-10 .Ei'),
  // Beyond nano, rounded away from zero.
  ...words('0.1n 0.9n 1.1n -0.1n -1.1n 0.0000000001 0.1234567891 1.0000000001 -1.0000000001 0.1u 0.0001u 123.4567891234'),
  ...words('0.0000000001Ki 1.0000000001Ki 0.00000001Gi'),
  // The edges of 64 bits, where the binary family is capped and the others are not.
  ...words('9223372036854775807 9223372036854775808 -9223372036854775808 -9223372036854775809 18446744073709551615 12345678901234567890'),
  ...words(
    '7Ei 8Ei 9Ei 16Ei -8Ei -9Ei 7.9999999999Ei 8191Pi 8192Pi 9007199254740993Ki 9007199254740992Ki 1000000Pi 999E 1000E -1000E 1500000E 1e21',
  ),
  ...words(
    '123456789012345678 1234567890123456789 123456789012345678m 123456789012345678901n 12345678901Ki 123456789012Ki 12345Gi 123456Gi 12Ti 123Ti',
  ),
  // The binary family below 1024 and with fractions.
  ...words('1023 1024 0.5Mi 1000Ki 1022.5Ki 1.00048828125Ki 1.1Ki 1.1Mi 3.3Gi 0.00097656250Ki 512Mi 513Mi 4Gi 8Gi'),
  // Refused.
  ...['', ' ', ' 1', '1 ', '1 Mi', '1\n', '１', '1µ', '∞'],
  ...words(
    '1K 1ki 1mi 1i 1MiB 1B 1KB 1kk 1mm 1Mim 1.2.3 1..2 --1 +-1 1-1 1+1 1e 1e+ 1E+ 1ee3 1e3e3 1e1.5 1e3k 1ke3 1Kie3 0x10 1_000 1,5 NaN Infinity abc 1h 1d 5%',
  ),
  ...words('1u1 1n-1 1i3 e E+ 1mi5 1Ki2'),
];

/** Pairs for sum, difference, comparison, scaling (`left` by `by`) and negation (of `left`). */
export const quantityPairs: readonly PairQuestion[] = words(`
  0,1Gi,2 1Gi,0,3 0,0,5 0Ki,1k,7 1Gi,1G,4 1G,1Gi,1000 1,1Ki,1024 1Ki,1,1024 100m,1,10 1,100m,-3 1,1000m,0 1Mi,1024Ki,1 1e3,1k,1000 1k,1e3,5
  1n,1,1000000000 1,1n,-1 500m,500m,2 1.5Gi,512Mi,2 512Mi,1.5Gi,-2 -1,1,9 -1Gi,1Gi,2 1023,1,1 1Ki,-1,1 1Ki,1m,1000 0.5Ki,0.5Ki,2 1.1Ki,0.9Ki,10
  8Ei,1,2 7Ei,1Ei,1 9223372036854775807,1,1 9223372036854775807,-1,2 -9223372036854775807,-9223372036854775807,2 1E,1n,3 999E,1,1 999Ti,1Ti,1024
  123456789012345678,987654321098765432,1000 1e20,1,3 1e-9,1e-9,500000000 +1,0,1 1.500,0,1 0,+1,1 0,1.500,2 01Ki,0,1 1u,999n,1000 1m,1u,1
  4,250m,16 64Gi,1536Mi,12 2T,1Ti,3 0.1,0.2,3 0.3,0.1,10 1e3,1Ki,2 1Ki,1e3,2 -0,1m,2 -,1,2 100k,100Ki,-10 1P,1Pi,8 3,-3,-3 1Ei,1Ei,1024 500E,500E,2 1e6,1M,-1 0.1n,0.1n,7
`).map((line) => {
  const [left = '', right = '', by = ''] = line.split(',');
  return { left, right, by: Number(by) };
});
