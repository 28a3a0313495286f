import { hash } from 'node:crypto';

/**
 * The number of an advisory lock: the first 64 bits of the SHA-256 of its text. Two processes, and two releases, must agree on it. Two texts that
 * share a number only wait for each other.
 */
export function lockKey(text: string): bigint {
  return hash('sha256', text, 'buffer').readBigInt64BE(0);
}

/** In one order for everybody, so that two transactions never wait for each other's locks in a circle. */
export function lockKeys(texts: readonly string[]): readonly bigint[] {
  return [...new Set(texts.map(lockKey))].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}

/** Of the kinds of the objects that the locks stand for: `hosts` for `hosts/4711`. They are held shared, so that a lock `hosts` holds off everybody who writes any host. */
export function kindKeys(texts: readonly string[]): readonly bigint[] {
  const kinds = texts.flatMap((text) => (text.includes('/') ? [text.slice(0, text.indexOf('/'))] : []));
  return lockKeys(kinds);
}
