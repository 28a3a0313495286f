import type { Clock } from '@quartermaster/kernel';
import { type Cache, isRead } from '@quartermaster/kube';
import type { SilentSource } from './freshness.ts';

/** The cache, unless it is being followed. */
export function silentCache(cache: Pick<Cache<unknown>, 'name' | 'status' | 'stale'>, clock: Clock): readonly SilentSource[] {
  const status = cache.status();
  const source = cache.name;
  if (!isRead(status)) return [{ source, lastHeardAt: undefined }];
  if (cache.stale() === undefined) return [];
  return [{ source, lastHeardAt: status.staleMs === undefined ? undefined : clock.monotonic() - status.staleMs }];
}
