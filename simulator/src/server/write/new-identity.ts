import type { Random } from '@quartermaster/kernel';

const suffixAlphabet = 'bcdfghjklmnpqrstvwxz2456789';
/** More at a time than this is more than a source of random bytes gives. */
const uidsAtATime = 4096;

/** A name that starts with the prefix, cut where the result would be too long. */
export function generatedName(prefix: string, random: Random): string {
  const pick = (): string => suffixAlphabet[Math.floor(random.next() * suffixAlphabet.length)] ?? 'x';
  return `${prefix.slice(0, 58)}${Array.from({ length: 5 }, pick).join('')}`;
}

/** UUIDs of random bits, version 4. */
export function* newUids(count: number, random: Random): Generator<string, void> {
  // Read from bytes, each text is one piece: joined of slices it would hold on to all of them for as long as its object lives.
  const text = Buffer.from('00000000-0000-4000-a000-000000000000', 'latin1');
  for (let made = 0; made < count; made += uidsAtATime) {
    const some = Math.min(uidsAtATime, count - made);
    const hex = Buffer.from(random.fill(new Uint8Array(16 * some))).toString('hex');
    for (let at = 0; at < some * 32; at += 32) {
      text.write(hex.slice(at, at + 8), 0, 'latin1');
      text.write(hex.slice(at + 8, at + 12), 9, 'latin1');
      text.write(hex.slice(at + 13, at + 16), 15, 'latin1');
      text.write(hex.slice(at + 17, at + 20), 20, 'latin1');
      text.write(hex.slice(at + 20, at + 32), 24, 'latin1');
      yield text.toString('latin1');
    }
  }
}

export const newUid = (random: Random): string => newUids(1, random).next().value ?? '';
