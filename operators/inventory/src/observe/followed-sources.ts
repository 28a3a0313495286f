import { type Clock, sleep } from '@quartermaster/kernel';
import { type Cache, isRead } from '@quartermaster/kube';
import type { StaleSource } from '../model/node-inventory.ts';

/** What is needed of a cache to judge how far it can be believed. */
type FollowedSource = Pick<Cache<unknown>, 'get' | 'status' | 'stale' | 'subscribe' | 'stop' | 'unreadable'>;

interface Subscribable {
  subscribe(changed: () => void): () => void;
}

const lookIntervalMs = 50;
/** How long a source may fail at the start before the others go on without it. One that is being read may take longer. */
const patienceMs = 30_000;

/** The caches from which an answer is made. A source has answered when it was read once, or when the server said that there is no such kind. */
export class FollowedSources {
  readonly #sources: readonly FollowedSource[];
  readonly #clock: Clock;
  readonly #unsubscribe: (() => void)[] = [];

  constructor(sources: readonly FollowedSource[], clock: Clock) {
    this.#sources = sources;
    this.#clock = clock;
  }

  /** Calls back on every change of the sources, and until `stop` of what else is given. */
  subscribe(changed: () => void, ...others: readonly Subscribable[]): void {
    for (const source of this.#sources) source.subscribe({ added: changed, updated: changed, deleted: changed });
    this.#unsubscribe.push(...others.map((other) => other.subscribe(changed)));
  }

  haveAnswered(): boolean {
    return this.#sources.every((source) => isRead(source.status()));
  }

  /** Whether there are objects that could never be read, so that nothing follows from their absence. */
  hasUnread(): boolean {
    return this.#sources.some((source) => source.unreadable().some(({ key }) => source.get(key) === undefined));
  }

  /** Why an answer is missing, in the words of the failure. */
  lastError(): string | undefined {
    return this.#sources.map((source) => source.status().lastError).find((error) => error !== undefined);
  }

  /** Those that are not being followed right now. */
  stale(): StaleSource[] {
    return this.#sources.flatMap((source) => source.stale() ?? []);
  }

  /** Resolves once every source has answered. No cache tells by itself that its kind does not exist: hence the looking. */
  async whenAnswered(signal: AbortSignal): Promise<void> {
    while (!this.haveAnswered()) await sleep(this.#clock, lookIntervalMs, signal);
  }

  /** Resolves once every source has answered, or is not worth waiting for: the server refuses it, or it has failed for a while. */
  async whenReady(signal: AbortSignal): Promise<void> {
    const since = this.#clock.monotonic();
    const isSettled = (source: FollowedSource): boolean => {
      const status = source.status();
      const isFailing = status.lastError !== undefined && this.#clock.monotonic() - since >= patienceMs;
      return isRead(status) || status.refused || isFailing;
    };
    while (!this.#sources.every(isSettled)) await sleep(this.#clock, lookIntervalMs, signal);
  }

  async stop(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    await Promise.all(this.#sources.map((source) => source.stop()));
  }
}
