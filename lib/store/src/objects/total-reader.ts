import type { Queryable } from '../database.ts';
import type { SqlParameters } from '../filter/contract/sql-parameters.ts';
import { KeptTotal, type TotalMark } from './kept-total.ts';
import type { KeptTotals } from './kept-totals.ts';
import {
  allMatching,
  changedSince,
  changesAlone,
  type Matching,
  type TotalColumns,
  totalAlone,
  withChanges,
  withTotal,
} from './total-sql.ts';

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

  /** A statement whose rows tell the total, and nothing else. */
  statement(parameters: SqlParameters): string {
    return this.#mark === undefined ? totalAlone(this.#matching) : changesAlone(this.#matching, snapshotOf(this.#mark, parameters));
  }

  /** Whether there is a total to carry forward. */
  get isKept(): boolean {
    return this.#mark !== undefined;
  }

  /** A statement for the page whose rows also tell the total. `where` is its condition with these parameters. Counts only when the page has more rows than `least`. */
  pageStatement(page: string, where: string, least: number, parameters: SqlParameters): string {
    const matching = { ...this.#matching, where };
    if (this.#mark === undefined) return withTotal(page, matching, least);
    return withChanges(page, matching, snapshotOf(this.#mark, parameters));
  }

  /** Undefined when the rows do not tell: an empty page never does. */
  totalOf(rows: readonly TotalColumns[]): number | undefined {
    const [row] = rows;
    if (row === undefined) return undefined;
    if (this.#kept !== undefined && this.#mark !== undefined) {
      const since = changedSince(row);
      if (since === undefined) this.#totals?.forget(this.#condition);
      return since === undefined ? undefined : this.#kept.carry(this.#mark, since);
    }
    if (row.total === undefined || row.total === null) return undefined;
    const total = Number(row.total);
    void this.#totals?.counted(this.#condition, total, () => this.#readAll());
    return total;
  }

  async #readAll(): Promise<KeptTotal> {
    const [row] = await this.#db.query<{ readonly snapshot: string; readonly ids: readonly string[] }>(
      { text: allMatching(this.#matching) },
      this.#values,
    );
    return new KeptTotal(row?.snapshot ?? '', row?.ids ?? []);
  }
}

const snapshotOf = ({ snapshot }: TotalMark, parameters: SqlParameters): string => parameters.add(snapshot, 'pg_snapshot');

function conditionOf({ kind, where }: Matching, values: readonly unknown[]): string {
  return JSON.stringify([kind, where, values], (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value));
}
