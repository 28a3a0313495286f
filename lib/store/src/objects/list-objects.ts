import type { Queryable } from '../database.ts';
import type { ColumnsOf } from '../filter/contract/columns-of.ts';
import type { Filter } from '../filter/contract/filter.ts';
import type { Order } from '../filter/contract/order.ts';
import { SqlParameters } from '../filter/contract/sql-parameters.ts';
import { StatementNames } from '../statement-names.ts';
import type { KeptTotals } from './kept-totals.ts';
import { decodeCursor, encodeCursor, listName } from './list-cursor.ts';
import type { ObjectTable } from './object-table.ts';
import { type ShownRow, shownColumns, showRow } from './shown-row.ts';
import type { StoredObject } from './stored-object.ts';
import { TotalReader } from './total-reader.ts';
import type { TotalColumns } from './total-sql.ts';

export interface ListQuery<M extends StoredObject> {
  /** What the caller may see at all, as a condition. Whatever the filter says, nothing else is listed or counted. */
  readonly scope?: ((parameters: SqlParameters) => string) | undefined;
  readonly filter?: Filter | undefined;
  /** As the caller wrote it: part of what a cursor belongs to. */
  readonly filterText: string;
  readonly order: Order;
  /** The place of an object in the order, where the order is over another form of it. */
  readonly keyOf?: ((object: M) => readonly string[]) | undefined;
  /** Made for each statement, since a column may need a parameter of its own. */
  readonly columns: (parameters: SqlParameters) => ColumnsOf;
  readonly offset: number;
  /** 0 asks for the total alone. */
  readonly limit: number;
  /** Empty: from the start. */
  readonly cursor: string;
  readonly isCounted: boolean;
  readonly now: Date;
}

export interface Page<M extends StoredObject> {
  readonly items: readonly M[];
  /** Undefined when it was not asked for. */
  readonly total: number | undefined;
  /** Empty at the end. */
  readonly nextCursor: string;
}

/** Few filters come again and again, with other values: the product's own. */
const names = new StatementNames('list');

/**
 * One page of the objects, and how many there are, both as of the same moment; only for an empty page beyond the end are they counted afterwards. Totals that who sees everything
 * asks for again and again are kept in `totals`, and carried forward by what changed since, which the same statement reads from the feed.
 */
export async function listObjects<M extends StoredObject>(
  db: Queryable,
  store: ObjectTable<M>,
  query: ListQuery<M>,
  totals?: KeptTotals,
): Promise<Page<M>> {
  // What a caller with a scope sees depends on more than these objects.
  const kept = query.scope === undefined ? totals : undefined;
  if (query.limit === 0) return { items: [], total: query.isCounted ? await count(db, store, query, kept) : undefined, nextCursor: '' };
  const list = listName(store.type.name, query.filterText, query.order.text);
  const first = await readPage(db, store, query, list, kept);
  const isTold = !query.isCounted || first.total !== undefined || first.items.length === 0;
  const { items, isLast, total } = isTold ? first : await readPage(db, store, query, list, undefined);
  const nextCursor = isLast ? '' : cursorAfter(list, query, items);
  if (!query.isCounted) return { items, total: undefined, nextCursor };
  return { items, total: total ?? (await count(db, store, query, kept)), nextCursor };
}

type PageRow = ShownRow & TotalColumns;

interface ReadPage<M extends StoredObject> {
  readonly items: readonly M[];
  readonly isLast: boolean;
  /** Undefined when the page does not tell. */
  readonly total: number | undefined;
}

async function readPage<M extends StoredObject>(
  db: Queryable,
  store: ObjectTable<M>,
  query: ListQuery<M>,
  list: string,
  totals: KeptTotals | undefined,
): Promise<ReadPage<M>> {
  const { limit, offset, cursor } = query;
  let { parameters, columns, where } = selectionOf(query);
  const { name: kind } = store.type;
  const counting = query.isCounted ? new TotalReader(db, { kind, where: whereOf(where) }, [...parameters.values], totals) : undefined;
  // Of many that match, the first are found soon by any plan, and to plan costs more than to find them.
  if (counting?.isKept === true) ({ parameters, columns, where } = selectionOf(query, { isPlannedOnce: true }));
  const after = cursor === '' ? [] : [query.order.after(decodeCursor(cursor, list), columns, parameters)];
  const page =
    `select ${shownColumns(store.type)} from ${kind}${whereOf([...where, ...after])} order by ${query.order.toSql(columns)} ` +
    `limit ${limit + 1}${offset === 0 ? '' : ` offset ${parameters.add(offset, 'bigint')}`}`;
  const text = counting?.pageStatement(page, whereOf(where), cursor === '' ? limit : 0, parameters) ?? page;
  const rows = await db.query<PageRow>(names.statement(text), parameters.values);
  const isLast = rows.length <= limit;
  // A last page that was reached from the start has counted already.
  const counted = isLast && cursor === '' && (rows.length > 0 || offset === 0) ? offset + rows.length : undefined;
  const total = counting?.totalOf(rows);
  return { items: rows.slice(0, limit).map((row) => showRow(store, row)), isLast, total: total ?? counted };
}

async function count<M extends StoredObject>(
  db: Queryable,
  store: ObjectTable<M>,
  query: ListQuery<M>,
  totals: KeptTotals | undefined,
): Promise<number> {
  const { parameters, where } = selectionOf(query);
  const counting = new TotalReader(db, { kind: store.type.name, where: whereOf(where) }, [...parameters.values], totals);
  const rows = await db.query<TotalColumns>(names.statement(counting.statement(parameters)), parameters.values);
  return counting.totalOf(rows) ?? (totals === undefined ? 0 : await count(db, store, query, undefined));
}

interface Selection {
  readonly parameters: SqlParameters;
  readonly columns: ColumnsOf;
  readonly where: readonly string[];
}

function selectionOf<M extends StoredObject>(query: ListQuery<M>, options: { readonly isPlannedOnce?: boolean } = {}): Selection {
  const parameters = new SqlParameters(options);
  const columns = query.columns(parameters);
  const where: string[] = [];
  if (query.scope !== undefined) where.push(`(${query.scope(parameters)})`);
  if (query.filter !== undefined) where.push(`(${query.filter.toSql(columns, parameters, query.now)})`);
  return { parameters, columns, where };
}

function whereOf(conditionTexts: readonly string[]): string {
  return conditionTexts.length === 0 ? '' : ` where ${conditionTexts.join(' and ')}`;
}

function cursorAfter<M extends StoredObject>(list: string, query: ListQuery<M>, items: readonly M[]): string {
  const last = items.at(-1);
  if (last === undefined) return '';
  return encodeCursor({ list, key: query.keyOf === undefined ? query.order.keyOf(last) : query.keyOf(last) });
}
