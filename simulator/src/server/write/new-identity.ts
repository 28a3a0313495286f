import type { Random } from '@quartermaster/kernel';

const suffixAlphabet = 'bcdfghjklmnpqrstvwxz2456789';

/** A name that starts with the prefix, cut where the result would be too long. */
export function generatedName(prefix: string, random: Random): string {
  const pick = (): string => suffixAlphabet[Math.floor(random.next() * suffixAlphabet.length)] ?? 'x';
  return `${prefix.slice(0, 58)}${Array.from({ length: 5 }, pick).join('')}`;
}

/** A UUID of random bits, version 4. Read from bytes, its text is one piece: joined of slices it would take more memory. */
export function newUid(random: Random): string {
  const bytes = random.fill(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Buffer.from(bytes).toString('hex');
  const text = hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  return Buffer.from(text, 'latin1').toString('latin1');
}
