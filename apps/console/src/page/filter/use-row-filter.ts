import { useEffect, useMemo, useRef } from 'react';
import { type RowKey, rowFilter } from '../../filter/row-filter.ts';
import { unknownKeyHint } from '../../filter/terms.ts';

export interface FilteredRows<Row> {
  /** Those that match; while the filter makes no sense, those of the last one that did. */
  readonly found: readonly Row[];
  readonly problem: string | undefined;
  readonly hint: string | undefined;
  /** The filter that the rows match. */
  readonly lastGood: string;
}

/** The rows that a filter leaves, all of which are here. */
export function useRowFilter<Row>(rows: readonly Row[], query: string, keys: readonly RowKey<Row>[]): FilteredRows<Row> {
  const lastGood = useRef('');
  const asked = useMemo(() => rowFilter(query, keys), [query, keys]);
  const isGood = asked.problem === undefined;
  useEffect(() => {
    if (isGood) lastGood.current = query;
  }, [isGood, query]);
  const used = isGood ? query : lastGood.current;
  const found = useMemo(() => {
    if (used.trim() === '') return rows;
    const { matches } = rowFilter(used, keys);
    return rows.filter(matches);
  }, [rows, used, keys]);
  const hint = useMemo(
    () =>
      unknownKeyHint(
        query,
        keys.map(({ name }) => name),
      ),
    [query, keys],
  );
  return { found, problem: asked.problem, hint, lastGood: used };
}
