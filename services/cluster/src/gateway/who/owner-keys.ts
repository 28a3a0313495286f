import { type Clock, codeOf, StatusError } from '@quartermaster/kernel';
import type { Market, OwnerKey } from '../../market/market.ts';

/** An answer of the market counts for so long before it is asked again. */
const freshMs = 5_000;
/** One who failed to answer is left alone for so long, however many callers knock. */
const againMs = 1_000;
/** While it cannot be asked, its last answer lets callers in for so long. */
const keptMs = 300_000;
const maxOwners = 10_000;

interface Answer {
  readonly keys: readonly OwnerKey[];
  /** Monotonic. */
  readonly at: number;
}

interface Failure {
  readonly why: unknown;
  /** Monotonic. */
  readonly at: number;
}

/** The keys of owners, as the market last said. Each owner is asked for once at a time, and no more often than every few seconds. */
export class OwnerKeys {
  readonly #market: Pick<Market, 'keysOf'>;
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** Ends what is asked when the gateway does: those who wait share an answer, and none of them may end it. */
  readonly #signal: AbortSignal;
  readonly #answers = new Map<string, Answer>(); // owner -> what the market said; the longest ago first
  readonly #failures = new Map<string, Failure>(); // owner -> why the market last did not answer; the longest ago first
  readonly #asked = new Map<string, Promise<readonly OwnerKey[]>>(); // owner -> the answer that is under way

  constructor(market: Pick<Market, 'keysOf'>, clock: Pick<Clock, 'monotonic'>, signal: AbortSignal) {
    this.#market = market;
    this.#clock = clock;
    this.#signal = signal;
  }

  /** None for an owner that the market does not let this provider ask for. Throws `unavailable` while it cannot be asked and has not answered lately. */
  async of(owner: string): Promise<readonly OwnerKey[]> {
    const last = this.#answers.get(owner);
    if (last !== undefined && this.#ageOf(last) < freshMs) return last.keys;
    try {
      return await this.#ask(owner);
    } catch (thrown) {
      if (last !== undefined && this.#ageOf(last) < keptMs) return last.keys;
      throw new StatusError('unavailable', 'the keys of the account cannot be read from the market at the moment: try again', {
        cause: thrown,
      });
    }
  }

  #ageOf({ at }: { readonly at: number }): number {
    return this.#clock.monotonic() - at;
  }

  async #ask(owner: string): Promise<readonly OwnerKey[]> {
    const failure = this.#failures.get(owner);
    if (failure !== undefined && this.#ageOf(failure) < againMs) throw failure.why;
    const asked = this.#asked.get(owner) ?? this.#read(owner).finally(() => this.#asked.delete(owner));
    this.#asked.set(owner, asked);
    return await asked;
  }

  async #read(owner: string): Promise<readonly OwnerKey[]> {
    const at = this.#clock.monotonic();
    const keys = await this.#market.keysOf(owner, this.#signal).catch((why: unknown) => {
      if (codeOf(why) === 'permission_denied' || codeOf(why) === 'not_found') return [];
      keep(this.#failures, owner, { why, at: this.#clock.monotonic() });
      throw why;
    });
    this.#failures.delete(owner);
    keep(this.#answers, owner, { keys, at });
    return keys;
  }
}

function keep<T>(map: Map<string, T>, owner: string, value: T): void {
  map.delete(owner);
  map.set(owner, value);
  const [oldest] = map.keys();
  if (map.size > maxOwners && oldest !== undefined) map.delete(oldest);
}
