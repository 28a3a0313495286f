import type { CacheStatus } from './cache-api.ts';

/** A cache that is not being followed right now. */
export interface StaleCache {
  /** Its name. */
  readonly source: string;
  /** When the server last said anything about it, wall clock in ms; undefined if never. */
  readonly lastContactAt: number | undefined;
  readonly reason: string;
}

/** Whether what a cache holds is what the server had at some time: it was read once, or is known not to exist. */
export function isRead({ synced, absent }: Pick<CacheStatus, 'synced' | 'absent'>): boolean {
  return synced || absent;
}

/**
 * Why a cache is not being followed right now, or undefined while it is. The one definition of stale: a watch that is silent for too long ends by itself, so that an open one
 * can be believed.
 */
export function staleReason(status: Pick<CacheStatus, 'synced' | 'absent' | 'state' | 'lastError'>): string | undefined {
  const { state, lastError } = status;
  if (state === 'watching' || state === 'kind-missing' || (state === 'listing' && isRead(status))) return undefined;
  return lastError ?? state;
}
