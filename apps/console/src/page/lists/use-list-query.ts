import { type TokenPages, useTokenPages } from '../parts/table/token-pages.tsx';
import { useQuery } from '../parts/table/use-query.ts';
import { useTyped } from '../pods/use-pods.ts';

/** What a list that comes in pages is asked for. */
export interface ListQuery {
  /** The filter as it stands in the address. */
  readonly query: string;
  readonly setQuery: (query: string | null) => void;
  /** The filter after a pause in typing. */
  readonly typed: string;
  readonly pages: TokenPages;
  /** Names what the rows are a view of. */
  readonly scope: string;
}

/** The filter and the page of a list. Another filter, or something else in `besides`, begins at the first page. */
export function useListQuery(besides = ''): ListQuery {
  const [query, setQuery] = useQuery('q');
  const typed = useTyped(query ?? '');
  const asked = `${besides}\n${typed}`;
  const pages = useTokenPages(asked);
  return { query: query ?? '', setQuery, typed, pages, scope: `${asked}\n${pages.token ?? ''}` };
}
