import { type Clock, StatusError } from '@quartermaster/kernel';
import { EncryptJWT, errors, jwtDecrypt } from 'jose';
import type * as z from 'zod';
import { type CookieForm, dropCookie, mostCookieBytes, readCookie, writeCookie } from './cookie-header.ts';
import type { SessionKeys } from './session-keys.ts';

/** What is read of a request. */
export interface CookieHeaders {
  readonly host?: string | undefined;
  readonly cookie?: string | undefined;
}

export interface SealedCookieOptions<T> {
  /** What it is for: a value sealed for one purpose opens for no other. */
  readonly purpose: string;
  readonly schema: z.ZodType<T>;
  readonly isSecure: boolean;
  readonly keys: SessionKeys;
  readonly clock: Clock;
}

/** `none`: there is no cookie. `unusable`: it has ended, was altered, or was sealed with a key that is not in the ring. */
export type Opened<T> = { readonly kind: 'none' } | { readonly kind: 'unusable' } | { readonly kind: 'open'; readonly value: T };

/**
 * A value that a browser keeps and only this console can read: an encrypted JWT (RFC 7516, `dir` with A256GCM) under a key of the ring, in an `HttpOnly`
 * cookie. The server keeps nothing of it, so that any replica with the same ring can open it.
 */
export class SealedCookie<T extends object> {
  readonly #options: SealedCookieOptions<T>;

  constructor(options: SealedCookieOptions<T>) {
    this.#options = options;
  }

  async open(headers: CookieHeaders): Promise<Opened<T>> {
    const { purpose, schema, keys, clock } = this.#options;
    const sealed = readCookie(headers.cookie, this.#form(headers).name);
    if (sealed === undefined || sealed === '') return { kind: 'none' };
    try {
      const { payload } = await jwtDecrypt(sealed, ({ kid = '' }) => keys.find(kid)?.secret ?? noKey(), {
        audience: purpose,
        keyManagementAlgorithms: ['dir'],
        contentEncryptionAlgorithms: ['A256GCM'],
        requiredClaims: ['exp'],
        currentDate: new Date(clock.now()),
      });
      return { kind: 'open', value: schema.parse(payload['value']) };
    } catch {
      // Whatever is wrong with it, whoever shows it is nobody.
      return { kind: 'unusable' };
    }
  }

  /** The `Set-Cookie` lines for an answer. Throws `invalid_argument` when the value is larger than browsers and servers take. */
  async seal(headers: CookieHeaders, value: T, endsAt: number): Promise<string[]> {
    const { purpose, keys, clock } = this.#options;
    const { id, secret } = keys.current();
    const sealed = await new EncryptJWT({ value })
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: id })
      .setAudience(purpose)
      .setExpirationTime(Math.floor(endsAt / 1000))
      .encrypt(secret);
    if (sealed.length > mostCookieBytes) {
      const rule = `at most ${Math.floor((mostCookieBytes * 9) / 16 / 1024)} KiB of tokens fit into cookies`;
      throw new StatusError('invalid_argument', `token: ${rule}: have the issuer put fewer claims into it`);
    }
    return writeCookie(headers.cookie, this.#form(headers), sealed, Math.max(0, Math.floor((endsAt - clock.now()) / 1000)));
  }

  /** The `Set-Cookie` lines that take it away. */
  drop(headers: CookieHeaders): string[] {
    return dropCookie(headers.cookie, this.#form(headers));
  }

  /** Cookies know no ports: without TLS, each console of a machine has a name of its own. */
  #form({ host }: CookieHeaders): CookieForm {
    const { purpose, isSecure } = this.#options;
    const port = /:(\d+)$/.exec(host ?? '')?.[1] ?? '80';
    return { name: isSecure ? `__Host-quartermaster-${purpose}` : `quartermaster-${purpose}-${port}`, isSecure };
  }
}

function noKey(): never {
  throw new errors.JWKSNoMatchingKey();
}
