import { createHash, timingSafeEqual } from 'node:crypto';
import type { Random } from '@quartermaster/kernel';
import { consoleHeader } from '../../console-session.ts';
import type { CookieHeaders } from './sealed-cookie.ts';

/** What is read of a request to know whose it is. */
export interface SessionHeaders extends CookieHeaders {
  readonly [consoleHeader]?: string | string[] | undefined;
}

export interface SessionKey {
  /** 256 random bits, for the page alone. */
  readonly key: string;
  /** What is sealed in the cookie. */
  readonly keyHash: string;
}

/**
 * The other half of a session. Browsers send cookies to every port of a machine, and share them among tabs; a key is kept by pages of one origin, each of
 * which shows the one that it began with. So a cookie alone is worth nothing, and no page asks in the name of whoever signed in after it.
 */
export function newSessionKey(random: Random): SessionKey {
  const key = Buffer.from(random.fill(new Uint8Array(32))).toString('base64url');
  return { key, keyHash: hashOf(key).toString('base64url') };
}

export function isKeyShown(headers: SessionHeaders, keyHash: string): boolean {
  const shown = headers[consoleHeader];
  const expected = Buffer.from(keyHash, 'base64url');
  const found = hashOf(typeof shown === 'string' ? shown : '');
  return expected.length === found.length && timingSafeEqual(expected, found);
}

const hashOf = (key: string): Buffer => createHash('sha256').update(key).digest();
