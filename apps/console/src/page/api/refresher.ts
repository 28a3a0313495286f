import { systemClock } from '@quartermaster/kernel';
import type { QueryClient } from '@tanstack/react-query';
import type { FeedEvent } from './event-feed.ts';
import type { ObjectKind } from './object-kind.ts';
import { auditKey, listsKey, objectKey } from './use-object.ts';

/** However many objects change, what is shown of them is read again no more often than this. */
const settleDelayMs = 500;

/** Reads again what an event is about. `isTold`: whether a query, by its key, is kept true by these events; it is read again when some may have been missed. */
export function refresher(
  queries: QueryClient,
  kinds: readonly ObjectKind[],
  isTold: (queryKey: readonly unknown[]) => boolean,
): (event: FeedEvent) => void {
  const waiting = new Map<string, readonly unknown[]>(); // key as text -> key
  let isLost = false;
  let isScheduled = false;
  const flush = (): void => {
    isScheduled = false;
    const keys = [...waiting.values()];
    waiting.clear();
    if (isLost) void queries.invalidateQueries({ predicate: ({ queryKey }) => isTold(queryKey) });
    else for (const queryKey of keys) void queries.invalidateQueries({ queryKey });
    isLost = false;
  };
  return (event) => {
    if (event.kind === 'lost') isLost = true;
    else {
      const kind = kinds.find(({ payload }) => payload === event.payload);
      if (kind === undefined) return;
      const { id } = event.object;
      for (const key of [objectKey(kind, id), auditKey(kind, id), listsKey(kind)]) waiting.set(JSON.stringify(key), key);
    }
    if (isScheduled) return;
    isScheduled = true;
    systemClock.schedule(settleDelayMs, flush);
  };
}
