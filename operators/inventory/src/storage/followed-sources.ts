import { type Clock, sleep } from '@quartermaster/kernel';
import type { CacheStatus } from '@quartermaster/kube';
import type { StaleSource } from '../model/stale-source.ts';

/** What is needed of a cache to judge how far it can be believed. */
export interface FollowedSource {
  status(): CacheStatus;
  stop(): Promise<void>;
}

/** A quiet kind has contact about once a minute, through bookmarks. */
const silentAfterMs = 120_000;
const lookEveryMs = 50;

/**
 * The caches from which an answer is made, by name. A source has answered when it was read once, or when the server said that there is no such kind;
 * that is remembered, because a cache that tries again, or has lost its server, no longer says so.
 */
export class FollowedSources {
  readonly #sources: ReadonlyMap<string, FollowedSource>; // name -> cache
  readonly #absent = new Set<string>();

  constructor(sources: Readonly<Record<string, FollowedSource>>) {
    this.#sources = new Map(Object.entries(sources));
  }

  haveAnswered(): boolean {
    return [...this.#sources].every(([name, source]) => this.#hasAnswered(name, source.status()));
  }

  /** Why an answer is missing, in the words of the failure. */
  lastError(): string | undefined {
    return [...this.#sources.values()].map((source) => source.status().lastError).find((error) => error !== undefined);
  }

  /** Those that cannot be heard. */
  stale(): StaleSource[] {
    return [...this.#sources].flatMap(([source, followed]) => {
      const status = followed.status();
      const { lastContactAt, staleMs, lastError } = status;
      if (!this.#hasAnswered(source, status)) return [{ source, lastContactAt, reason: lastError ?? 'not read yet' }];
      if (!status.synced || staleMs === undefined || staleMs <= silentAfterMs) return [];
      return [{ source, lastContactAt, reason: lastError ?? `the API server has been silent for ${Math.round(staleMs / 1000)} s` }];
    });
  }

  /** Resolves once every source has answered. No cache tells by itself that its kind does not exist: hence the looking. */
  async whenAnswered(clock: Clock, signal: AbortSignal): Promise<void> {
    while (!this.haveAnswered()) await sleep(clock, lookEveryMs, signal);
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#sources.values()].map((source) => source.stop()));
  }

  #hasAnswered(name: string, { synced, state }: CacheStatus): boolean {
    if (state === 'kind-missing') this.#absent.add(name);
    return synced || this.#absent.has(name);
  }
}
