import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { celText } from '../../filter/cel-text.ts';
import type { ApiError } from '../api/api-error.ts';
import { callApi } from '../api/call-api.ts';
import { hostKind, kindPath } from '../api/object-kind.ts';
import { listsKey, type ObjectPage } from '../api/use-object.ts';
import type { Host } from '../hosts/host.ts';
import { useSession } from '../session/session.ts';
import { type RackElevation, racksOf } from './rack-elevation.ts';

export interface Racks {
  /** Undefined before the first answer. */
  readonly racks: readonly RackElevation[] | undefined;
  readonly problem: ApiError | null;
  /** Reads the next racks; undefined when these are all. */
  readonly more: (() => void) | undefined;
  readonly isReadingMore: boolean;
}

/** So many racks are drawn at a time: a few hundred hosts. */
const hostsPerPage = 400;

/** The racks by name, or one of them, whole ones only: a rack whose hosts go on in the next answer waits for it. */
export function useRacks(rack: string): Racks {
  const session = useSession();
  const filter = rack === '' ? 'this.spec.rack != ""' : `this.spec.rack == ${celText(rack)}`;
  const query = useInfiniteQuery<ObjectPage<Host>, ApiError, readonly ObjectPage<Host>[], readonly unknown[], string>({
    queryKey: [...listsKey(hostKind), 'racks', filter],
    queryFn: ({ pageParam, signal }) =>
      callApi(kindPath(session, hostKind), {
        query: { filter, order: 'spec.rack', limit: hostsPerPage, skip_total: true, cursor: pageParam },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor: next }) => (next === '' ? undefined : next),
    select: ({ pages }) => pages,
  });
  const { data, hasNextPage } = query;
  const racks = useMemo(() => data && wholeRacks(data, hasNextPage), [data, hasNextPage]);
  return {
    racks,
    problem: query.error ?? query.failureReason,
    more: hasNextPage ? () => void query.fetchNextPage() : undefined,
    isReadingMore: query.isFetchingNextPage,
  };
}

function wholeRacks(pages: readonly ObjectPage<Host>[], hasMore: boolean): readonly RackElevation[] {
  const hosts = pages.flatMap(({ items }) => items);
  const last = hosts.at(-1)?.spec?.rack;
  const isOne = hosts.every(({ spec }) => spec?.rack === last);
  return racksOf(hasMore && !isOne ? hosts.filter(({ spec }) => spec?.rack !== last) : hosts);
}
