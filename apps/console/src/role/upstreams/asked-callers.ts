import { createHash } from 'node:crypto';
import type { Clock, StatusError } from '@quartermaster/kernel';
import type { CallerFacts } from '../../console-session.ts';

/** What one upstream says of the holder of a token. */
export type CallerWord =
  | { readonly kind: 'known'; readonly caller: CallerFacts }
  | { readonly kind: 'failed'; readonly error: StatusError };

/** The words of all upstreams, in their order. Each comes when it comes, and none is ever rejected. */
export type CallerWords = readonly Promise<CallerWord>[];

/** What was asked about a token. */
export interface Asked {
  readonly words: CallerWords;
  /** On the monotonic clock. */
  readonly at: number;
  isRunning: boolean;
}

/** A token that a service no longer takes works here that much longer, for what the console itself decides. */
const believeMs = 5_000;
const mostRemembered = 1_000;

/** Whose tokens are, as the upstreams said a moment ago. Of a token only its hash is kept. */
export class AskedCallers {
  readonly #ask: (token: string) => CallerWords;
  readonly #clock: Clock;
  readonly #asked = new Map<string, Asked>(); // hash of a token -> what was said, the oldest first

  constructor(ask: (token: string) => CallerWords, clock: Clock) {
    this.#ask = ask;
    this.#clock = clock;
  }

  /** What was said a moment ago, or is being asked for somebody else, as it is now. */
  recent(token: string): Asked | undefined {
    const found = this.#asked.get(hashOf(token));
    return found === undefined || found.at + believeMs <= this.#clock.monotonic() ? undefined : { ...found };
  }

  /** Asks all upstreams at once. */
  anew(token: string): Asked {
    const hash = hashOf(token);
    const words = this.#ask(token);
    this.#asked.delete(hash);
    const [oldest] = this.#asked.keys();
    if (this.#asked.size >= mostRemembered && oldest !== undefined) this.#asked.delete(oldest);
    const asked = { words, at: this.#clock.monotonic(), isRunning: true };
    this.#asked.set(hash, asked);
    void Promise.all(words).then(() => {
      asked.isRunning = false;
    });
    return asked;
  }
}

const hashOf = (token: string): string => createHash('sha256').update(token).digest('base64');
