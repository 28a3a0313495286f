import { systemClock } from '@quartermaster/kernel';
import { useEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import { releaseEvent, usePageEvent } from '../model/page-events.ts';
import { useSession } from '../session/session.ts';
import type { ApiObject } from './api-object.ts';
import { callApi } from './call-api.ts';
import { kindPath, type ObjectKind } from './object-kind.ts';
import { type ListState, ObjectList, type ReadPage } from './object-list.ts';
import { useFeedEvents } from './use-feed.ts';

export interface ListQuery {
  /** In the API's own filter language; undefined while it is not known yet, and then nothing is asked. */
  readonly filter: string | undefined;
  /** `metadata.name desc, id`. */
  readonly order: string;
}

export interface ListedObjects<T> extends ListState<T> {
  /** Whether it is about what was asked for last, and not about the query before. */
  readonly isCurrent: boolean;
  /** Tells which rows are in sight. */
  readonly show: (first: number, end: number) => void;
  /** Goes on the element that holds the rows: they keep their places while the pointer is there. */
  readonly holdProps: { readonly onPointerEnter: () => void; readonly onPointerLeave: () => void };
  readonly release: () => void;
}

/** All objects of a kind that match, however many, kept up to date. While a new query is answered, what was there before stays. */
export function useObjectList<T extends ApiObject>(kind: ObjectKind, { filter, order }: ListQuery): ListedObjects<T> {
  const session = useSession();
  const path = kindPath(session, kind);
  const list = useMemo(() => new ObjectList<T>(readerOf(path, { filter, order }), systemClock), [path, filter, order]);
  const isKnown = filter !== undefined;
  useEffect(() => {
    if (!isKnown) return;
    list.start();
    return () => list.stop();
  }, [list, isKnown]);
  useFeedEvents((event) => {
    if (event.kind === 'lost' || event.payload === kind.payload) list.take(event);
  });
  const release = useMemo(() => () => list.refresh(), [list]);
  usePageEvent(releaseEvent, release);
  const state = useSyncExternalStore(list.subscribe, list.current);
  const last = useRef(state);
  useEffect(() => {
    if (state.total !== undefined) last.current = state;
  }, [state]);
  const isCurrent = state.total !== undefined;
  const shown = isCurrent ? state : { ...last.current, problem: state.problem };
  const handles = useMemo(
    () => ({
      show: (first: number, end: number) => list.show(first, end),
      holdProps: { onPointerEnter: () => list.hold(true), onPointerLeave: () => list.hold(false) },
    }),
    [list],
  );
  return { ...shown, ...handles, isCurrent, release };
}

function readerOf<T>(path: string, query: ListQuery): ReadPage<T> {
  return async ({ offset, cursor, limit, isCounted }, signal) => {
    const answer = await callApi<{ readonly items: readonly T[]; readonly total?: number; readonly next_cursor: string }>(path, {
      query: { ...query, offset, cursor, limit, skip_total: isCounted ? undefined : true },
      signal,
    });
    return { items: answer.items, total: answer.total, nextCursor: answer.next_cursor };
  };
}
