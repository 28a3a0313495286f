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
