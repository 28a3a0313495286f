import type { TopicState } from './topic.ts';

/** The fields that changed; null for those that are gone. */
export type FieldPatch<T extends object> = { readonly [K in keyof T]?: T[K] | null };

/** What changed between two states of a topic. An absent part did not change. */
export interface TopicPatch<Head extends object, Row extends object> {
  readonly head?: FieldPatch<Head> | undefined;
  /** Key and what is new about the row; all of it when the row is new. */
  readonly changed?: readonly (readonly [string, FieldPatch<Row>])[] | undefined;
  /** Keys. */
  readonly removed?: readonly string[] | undefined;
}

export type AnyPatch = TopicPatch<object, object>;

/** The patch that turns `before` into `after`, or undefined when they are equal. Pure. */
export function diffTopic<Head extends object, Row extends object>(
  before: TopicState<Head, Row>,
  after: TopicState<Head, Row>,
  keyOf: (row: Row) => string,
): TopicPatch<Head, Row> | undefined {
  const head = diffFields(before.head, after.head);
  const { changed, removed } = diffRows(before.rows, after.rows, keyOf);
  if (head === undefined && changed.length === 0 && removed.length === 0) return undefined;
  return { head, changed: changed.length === 0 ? undefined : changed, removed: removed.length === 0 ? undefined : removed };
}

/** The state after the change. Rows that stay keep their place and, where nothing changed, their identity; new ones come last. */
export function applyTopicPatch<Head extends object, Row extends object>(
  before: TopicState<Head, Row>,
  { head, changed = [], removed = [] }: TopicPatch<Head, Row>,
  keyOf: (row: Row) => string,
): TopicState<Head, Row> {
  const newHead = head === undefined ? before.head : patchFields(before.head, head);
  if (changed.length === 0 && removed.length === 0) return { head: newHead, rows: before.rows };
  const rows = new Map(before.rows.map((row) => [keyOf(row), row])); // key -> row
  for (const key of removed) rows.delete(key);
  for (const [key, fields] of changed) rows.set(key, patchFields(rows.get(key), fields));
  return { head: newHead, rows: [...rows.values()] };
}

function diffRows<Row extends object>(
  before: readonly Row[],
  after: readonly Row[],
  keyOf: (row: Row) => string,
): { readonly changed: (readonly [string, FieldPatch<Row>])[]; readonly removed: string[] } {
  if (before === after) return { changed: [], removed: [] };
  const known = new Map(before.map((row) => [keyOf(row), row])); // key -> row before
  const changed: (readonly [string, FieldPatch<Row>])[] = [];
  for (const row of after) {
    const key = keyOf(row);
    const fields = diffFields(known.get(key), row);
    known.delete(key);
    if (fields !== undefined) changed.push([key, fields]);
  }
  return { changed, removed: [...known.keys()] };
}

function diffFields<T extends object>(before: T | undefined, after: T): FieldPatch<T> | undefined {
  if (before === after) return undefined;
  if (before === undefined) return after;
  const patch: { [K in keyof T]?: T[K] | null } = {};
  let isSame = true;
  for (const key of fieldsOf(after)) {
    if (isEqual(before[key], after[key])) continue;
    patch[key] = after[key] ?? null;
    isSame = false;
  }
  for (const key of fieldsOf(before)) {
    if (Object.hasOwn(after, key) || before[key] === undefined) continue;
    patch[key] = null;
    isSame = false;
  }
  return isSame ? undefined : patch;
}

function patchFields<T extends object>(before: T | undefined, patch: FieldPatch<T>): T {
  const fields = Object.entries({ ...before, ...patch }).filter(([, value]) => value !== null);
  // A patch holds all fields of a new row and the changed ones of a known one: what comes out is whole.
  return Object.fromEntries(fields) as T;
}

const fieldsOf = <T extends object>(value: T): (keyof T)[] => Object.keys(value) as (keyof T)[];

/** Equality of JSON values; an absent field equals an undefined one, the order of keys does not matter. */
function isEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (!isObject(a) || !isObject(b) || Array.isArray(a) !== Array.isArray(b)) return false;
  for (const key of Object.keys(a)) if (!isEqual(a[key], b[key])) return false;
  for (const key of Object.keys(b)) if (!Object.hasOwn(a, key) && b[key] !== undefined) return false;
  return true;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null;
