import type { Random } from '@quartermaster/kernel';

const suffixAlphabet = 'bcdfghjklmnpqrstvwxz2456789';
const dash = 0x2d;

/** A name that starts with the prefix, cut where the result would be too long. */
export function generatedName(prefix: string, random: Random): string {
  const pick = (): string => suffixAlphabet[Math.floor(random.next() * suffixAlphabet.length)] ?? 'x';
  return `${prefix.slice(0, 58)}${Array.from({ length: 5 }, pick).join('')}`;
}

/** A UUID of random bits, version 4. */
export function newUid(random: Random): string {
  const hex = Buffer.from(random.fill(new Uint8Array(16))).toString('hex');
  // Read from bytes, the text is one piece: joined of slices it would hold on to all of them for as long as the object lives.
  const text = Buffer.allocUnsafe(36);
  let at = 0;
  for (const [from, to] of [
    [0, 8],
    [8, 12],
    [12, 16],
    [16, 20],
    [20, 32],
  ] as const) {
    if (from > 0) at = text.writeUInt8(dash, at);
    at += text.write(hex.slice(from, to), at, 'latin1');
  }
  text.write('4', 14, 'latin1');
  text.write('a', 19, 'latin1');
  return text.toString('latin1');
}
