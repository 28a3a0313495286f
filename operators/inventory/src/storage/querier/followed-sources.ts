import { type Clock, sleep } from '@quartermaster/kernel';
import { type CacheStatus, isRead, staleReason } from '@quartermaster/kube';
import type { StaleSource } from '../../model/stale-source.ts';

/** What is needed of a cache to judge how far it can be believed. */
export interface FollowedSource {
  status(): CacheStatus;
  stop(): Promise<void>;
}

const lookEveryMs = 50;

/** The caches from which an answer is made, by name. A source has answered when it was read once, or when the server said that there is no such kind. */
export class FollowedSources {
  readonly #sources: ReadonlyMap<string, FollowedSource>; // name -> cache

  constructor(sources: Readonly<Record<string, FollowedSource>>) {
    this.#sources = new Map(Object.entries(sources));
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
  async whenAnswered(clock: Clock, signal: AbortSignal): Promise<void> {
    while (!this.haveAnswered()) await sleep(clock, lookEveryMs, signal);
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#sources.values()].map((source) => source.stop()));
  }
}
