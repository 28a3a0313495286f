import { type Clock, sleep } from '@quartermaster/kernel';
import { type Cache, isRead, staleReason } from '@quartermaster/kube';
import type { StaleSource } from '../model/node-inventory.ts';

/** What is needed of a cache to judge how far it can be believed. */
type FollowedSource = Pick<Cache<unknown>, 'status' | 'subscribe' | 'stop'>;

interface Subscribable {
  subscribe(changed: () => void): () => void;
}

const lookIntervalMs = 50;

/** The caches from which an answer is made, by name. A source has answered when it was read once, or when the server said that there is no such kind. */
export class FollowedSources {
  readonly #sources: ReadonlyMap<string, FollowedSource>; // name -> cache
  readonly #clock: Clock;
  readonly #unsubscribe: (() => void)[] = [];

  constructor(sources: Readonly<Record<string, FollowedSource>>, clock: Clock) {
    this.#sources = new Map(Object.entries(sources));
    this.#clock = clock;
  }

  /** Calls back on every change of the sources, and until `stop` of what else is given. */
  subscribe(changed: () => void, ...others: readonly Subscribable[]): void {
    for (const source of this.#sources.values()) source.subscribe({ added: changed, updated: changed, deleted: changed });
    this.#unsubscribe.push(...others.map((other) => other.subscribe(changed)));
  }

  haveAnswered(): boolean {
    return [...this.#sources.values()].every((source) => isRead(source.status()));
  }

  /** Why an answer is missing, in the words of the failure. */
  lastError(): string | undefined {
    return [...this.#sources.values()].map((source) => source.status().lastError).find((error) => error !== undefined);
  }

  /** Those that are not being followed right now. */
  stale(): StaleSource[] {
    return [...this.#sources].flatMap(([source, followed]) => {
      const status = followed.status();
      const reason = staleReason(status);
      return reason === undefined ? [] : [{ source, lastContactAt: status.lastContactAt, reason }];
    });
  }

  /** Resolves once every source has answered. No cache tells by itself that its kind does not exist: hence the looking. */
  async whenReady(signal: AbortSignal): Promise<void> {
    while (!this.haveAnswered()) await sleep(this.#clock, lookIntervalMs, signal);
  }

  async stop(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    await Promise.all([...this.#sources.values()].map((source) => source.stop()));
  }
}
