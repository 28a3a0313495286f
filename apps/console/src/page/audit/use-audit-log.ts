import { type InfiniteData, type UseInfiniteQueryResult, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { ApiError } from '../api/api-error.ts';
import { type AuditPage, auditPath } from '../api/audit-entry.ts';
import { callApi } from '../api/call-api.ts';
import { useFeedEvents } from '../api/use-feed.ts';

export interface AuditQuery {
  /** In the API's own filter language, over an entry. */
  readonly filter: string;
  readonly kind: string;
  /** Of that kind. */
  readonly objectId: string;
}

/** However much is written, the log is read again no more often than this. */
const settleMs = 1_000;

const pageSize = 100;

/** The audit log, the newest first, page by page; read again when something happened, unless it is held. */
export function useAuditLog(
  query: AuditQuery,
  options: { readonly isHeld: boolean; readonly isWanted?: boolean },
): UseInfiniteQueryResult<InfiniteData<AuditPage>, ApiError> {
  const { filter, kind, objectId } = query;
  const queries = useQueryClient();
  const isHeld = useRef(options.isHeld);
  useEffect(() => {
    isHeld.current = options.isHeld;
  }, [options.isHeld]);
  const timer = useRef<number>(undefined);
  useEffect(() => () => window.clearTimeout(timer.current), []);
  useFeedEvents(() => {
    timer.current ??= window.setTimeout(() => {
      timer.current = undefined;
      if (!isHeld.current) void queries.invalidateQueries({ queryKey: logKey });
    }, settleMs);
  });
  return useInfiniteQuery<AuditPage, ApiError, InfiniteData<AuditPage>, readonly unknown[], string>({
    queryKey: [...logKey, query],
    queryFn: ({ pageParam, signal }) =>
      callApi<AuditPage>(auditPath, {
        query: { filter, kind, object_id: objectId, cursor: pageParam, limit: pageSize },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor: cursor }) => (cursor === '' ? undefined : cursor),
    placeholderData: (before) => before,
    enabled: options.isWanted ?? true,
  });
}

const logKey = ['audit-log'] as const;
