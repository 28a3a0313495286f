import { type Clock, sleep } from '@quartermaster/kernel';
import type { CacheStatus } from '@quartermaster/kube';
import type { StaleSource } from '../model/snapshot.ts';

/** What is needed of a cache to judge how far it can be believed. */
export interface FollowedSource {
  status(): CacheStatus;
}

/** A quiet kind has contact about once a minute, through bookmarks. */
const silentAfterMs = 120_000;
const lookEveryMs = 50;

/** Whether the server has said what there is of the kind, be it that there is no such kind. */
export function hasAnswered({ synced, state }: CacheStatus): boolean {
  return synced || state === 'kind-missing';
}

/** The source as stale, or undefined when it is being heard. */
export function staleSource(source: string, status: CacheStatus): StaleSource | undefined {
  const { lastContactAt, staleMs, lastError } = status;
  if (!hasAnswered(status)) return { source, lastContactAt, reason: lastError ?? 'not read yet' };
  if (status.state === 'kind-missing' || staleMs === undefined || staleMs <= silentAfterMs) return undefined;
  return { source, lastContactAt, reason: lastError ?? `the API server has been silent for ${Math.round(staleMs / 1000)} s` };
}

export function staleSources(sources: Readonly<Record<string, FollowedSource>>): StaleSource[] {
  return Object.entries(sources).flatMap(([name, source]) => staleSource(name, source.status()) ?? []);
}

/** Resolves once every source has answered. A kind that does not exist has, which no cache tells by itself: hence the looking. */
export async function whenAnswered(sources: readonly FollowedSource[], clock: Clock, signal: AbortSignal): Promise<void> {
  while (!sources.every((source) => hasAnswered(source.status()))) await sleep(clock, lookEveryMs, signal);
}
