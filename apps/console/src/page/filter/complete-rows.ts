import { type RowKey, textsOf } from '../../filter/row-filter.ts';
import { completeTerms, distinct, type TermKey } from './complete-terms.ts';
import type { Complete } from './completion.ts';

/** Completes filters of a table whose rows are all here. */
export function completeRows<Row>(keys: readonly RowKey<Row>[], rows: readonly Row[]): Complete {
  return completeTerms(
    keys.map(({ name, note, value, choices, isListed = false }): TermKey => {
      const listed = isListed ? () => distinct(rows.flatMap((row) => textsOf(value(row)).filter((each) => each !== ''))) : undefined;
      return { name, note, values: choices === undefined ? listed : () => choices.map((insert) => ({ insert })) };
    }),
  );
}
