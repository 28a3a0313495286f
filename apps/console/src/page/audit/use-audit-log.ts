import { type InfiniteData, type UseInfiniteQueryResult, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useState } from 'react';
import type { ApiError } from '../api/api-error.ts';
import { type AuditPage, auditPath, logKey } from '../api/audit-entry.ts';
import { callApi } from '../api/call-api.ts';
import { useFeedEvents } from '../api/use-feed.ts';
import { releaseEvent, usePageEvent } from '../model/page-events.ts';

export interface AuditQuery {
  /** In the API's own filter language, over an entry. */
  readonly filter: string;
  readonly kind: string;
  /** Of that kind. */
  readonly objectId: string;
}

/** However much is written, the log is read again no more often than this. */
const settleDelayMs = 1_000;

const pageSize = 100;

export type AuditLog = UseInfiniteQueryResult<InfiniteData<AuditPage>, ApiError> & {
  /** How much happened that is not shown yet, because somebody holds the log. */
  readonly changes: number;
  readonly release: () => void;
};

/** The audit log, the newest first, page by page; read again when something happened, unless it is held. */
export function useAuditLog(
  query: AuditQuery,
  { isHeld, isWanted = true }: { readonly isHeld: boolean; readonly isWanted?: boolean },
): AuditLog {
  const { filter, kind, objectId } = query;
  const queries = useQueryClient();
  const [changes, setChanges] = useState(0);
  const [isLost, setLost] = useState(false);
  const release = useCallback(() => {
    setChanges(0);
    setLost(false);
    void queries.invalidateQueries({ queryKey: logKey });
  }, [queries]);
  useFeedEvents((event) => {
    if (event.kind === 'changed') setChanges((count) => count + 1);
    else setLost(true);
  });
  const isDue = (changes > 0 || isLost) && !isHeld;
  useEffect(() => {
    if (!isDue) return;
    const timer = window.setTimeout(release, settleDelayMs);
    return () => window.clearTimeout(timer);
  }, [isDue, release]);
  usePageEvent(releaseEvent, release);
  const answer = useInfiniteQuery<AuditPage, ApiError, InfiniteData<AuditPage>, readonly unknown[], string>({
    queryKey: [...logKey, query],
    queryFn: ({ pageParam, signal }) =>
      callApi<AuditPage>(auditPath, { query: { filter, kind, object_id: objectId, cursor: pageParam, limit: pageSize }, signal }),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor: cursor }) => (cursor === '' ? undefined : cursor),
    placeholderData: (before) => before,
    enabled: isWanted,
  });
  return { ...answer, changes: isHeld ? changes : 0, release };
}
