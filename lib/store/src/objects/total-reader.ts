import type { Queryable } from '../database.ts';
import type { SqlParameters } from '../filter/contract/sql-parameters.ts';
import { KeptTotal, type TotalMark } from './kept-total.ts';
import type { KeptTotals } from './kept-totals.ts';
import { allMatching, changedSince, type Matching, type TotalColumns, withChanges, withTotal } from './total-sql.ts';

/** The total of one list: carried forward from one that is kept, or counted. */
export class TotalReader {
  readonly #db: Queryable;
  readonly #matching: Matching;
  readonly #values: readonly unknown[];
  readonly #totals: KeptTotals | undefined;
  readonly #condition: string;
  readonly #kept: KeptTotal | undefined;
  readonly #mark: TotalMark | undefined;

  /** Without `totals` it is counted every time. */
  constructor(db: Queryable, matching: Matching, values: readonly unknown[], totals: KeptTotals | undefined) {
    this.#db = db;
    this.#matching = matching;
    this.#values = values;
    this.#totals = totals;
    this.#condition = totals === undefined ? '' : conditionOf(matching, values);
    this.#kept = totals?.find(this.#condition);
    this.#mark = this.#kept?.mark();
  }

  /** A statement for the page whose rows also tell the total. Counts only when the page has more rows than `least`. */
  statement(page: string, least: number, parameters: SqlParameters): string {
    if (this.#mark === undefined) return withTotal(page, this.#matching, least);
    return withChanges(page, this.#matching, parameters.add(this.#mark.snapshot, 'pg_snapshot'));
  }

  /** Undefined when the rows do not tell. */
  async totalOf(rows: readonly TotalColumns[]): Promise<number | undefined> {
    if (this.#kept !== undefined && this.#mark !== undefined) {
      // An empty page says nothing.
      if (rows.length === 0) return undefined;
      const since = changedSince(rows);
      if (since === undefined) this.#totals?.forget(this.#condition);
      return since === undefined ? undefined : this.#kept.carry(this.#mark, since);
    }
    const counted = rows[0]?.total;
    if (counted === undefined || counted === null) return undefined;
    await this.#totals?.counted(this.#condition, Number(counted), () => this.#readAll());
    return Number(counted);
  }

  async #readAll(): Promise<KeptTotal> {
    const [row] = await this.#db.query<{ readonly snapshot: string; readonly ids: readonly string[] }>(
      { text: allMatching(this.#matching) },
      this.#values,
    );
    return new KeptTotal(row?.snapshot ?? '', row?.ids ?? []);
  }
}

function conditionOf({ kind, where }: Matching, values: readonly unknown[]): string {
  return JSON.stringify([kind, where, values], (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value));
}
