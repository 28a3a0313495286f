import { createHash } from 'node:crypto';
import { type Clock, codeOf, type Random, StatusError } from '@quartermaster/kernel';

const codeBytes = 32;
const goodForMs = 10 * 60_000;
/** Whoever asks for more has the oldest ones forgotten. */
const mostCodes = 1_000;

export interface LinkCode {
  /** 256 random bits. */
  readonly code: string;
  /** In milliseconds since the epoch. */
  readonly endsAt: number;
}

/** One-time codes, each bound to a token, in the memory of this process alone. Of a code only its hash is kept. */
export class LinkCodes {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #tokens = new Map<string, { readonly token: string; readonly until: number }>(); // hash of a code -> what it opens

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  issue(token: string): LinkCode {
    const now = this.#clock.monotonic();
    for (const [hash, { until }] of this.#tokens) if (until <= now) this.#tokens.delete(hash);
    const [oldest] = this.#tokens.keys();
    if (this.#tokens.size >= mostCodes && oldest !== undefined) this.#tokens.delete(oldest);
    const code = Buffer.from(this.#random.fill(new Uint8Array(codeBytes))).toString('base64url');
    this.#tokens.set(hashOf(code), { token, until: now + goodForMs });
    return { code, endsAt: this.#clock.now() + goodForMs };
  }

  /** Uses the token behind a code, once: a use that fails because something is away does not count. */
  async redeem<T>(code: string, use: (token: string) => Promise<T>): Promise<T> {
    const hash = hashOf(code);
    const found = this.#tokens.get(hash);
    this.#tokens.delete(hash);
    if (found !== undefined && found.until > this.#clock.monotonic()) {
      return await use(found.token).catch((thrown: unknown) => {
        if (codeOf(thrown) === 'unavailable') this.#tokens.set(hash, found);
        throw thrown;
      });
    }
    throw new StatusError(
      'unauthenticated',
      'code: it was used, or is older than ten minutes, or is of another console: ask for a new link with `quartermaster console link`',
    );
  }
}

const hashOf = (code: string): string => createHash('sha256').update(code).digest('base64');
