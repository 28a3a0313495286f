/** What of a kind a caller sees: its own tenants' objects, and of kinds that are seen through another one those of its own objects of that. */
import type { Principal } from '@quartermaster/auth';
import { isOwn, isVisible, visibleOf } from '@quartermaster/auth';
import { StatusError } from '@quartermaster/kernel';
import { columnAt, type Queryable, type StoredObject, type Views } from '@quartermaster/store';
import type { FieldColumn, SqlParameters } from '@quartermaster/store/filter';
import type { AnyKind, Kind } from '../kinds/index.ts';

/** The tenants that see an object. */
async function viewersOf<M extends StoredObject>(db: Queryable, kind: Kind<M>, object: M): Promise<readonly string[]> {
  if (kind.seenThrough === undefined) return object.metadata?.tenants ?? [];
  const owner = kind.ownerOf(object);
  if (owner === '') return [];
  const table = kind.seenThrough.kind;
  const [row] = await db.query<{ readonly tenants: readonly string[] }>(
    { name: `tenants-of-${table}`, text: `select tenants from ${table} where id = $1` },
    [owner],
  );
  return row?.tenants ?? [];
}

/** The column with the id of the object that one of this kind is seen through. */
function ownerColumn(kind: Pick<AnyKind, 'name' | 'columns' | 'seenThrough'>): string {
  const { name, seenThrough } = kind;
  const column = columnAt(kind, seenThrough?.path ?? '')?.name;
  if (column === undefined)
    throw new StatusError('internal', `${name} are seen through ${seenThrough?.path}, which has no column: declare it`);
  return column;
}

/** An object that was read, with the tenants that see it. */
export interface SeenObject<M> {
  readonly object: M;
  readonly viewers: readonly string[];
}

/** Reads both at once. */
export async function readSeen<M extends StoredObject>(db: Queryable, kind: Kind<M>, id: string): Promise<SeenObject<M> | undefined> {
  const { name, store, seenThrough } = kind;
  if (seenThrough === undefined) {
    const object = await store.get(db, id);
    return object === undefined ? undefined : { object, viewers: object.metadata?.tenants ?? [] };
  }
  const owners = seenThrough.kind;
  const text = `select body, (select tenants from ${owners} where ${owners}.id = ${name}.${ownerColumn(kind)}) as viewers from ${name} where id = $1`;
  const [row] = await db.query<{ readonly body: Uint8Array; readonly viewers: readonly string[] | null }>({ name: `seen-${name}`, text }, [
    id,
  ]);
  return row === undefined ? undefined : { object: store.decode(row.body), viewers: row.viewers ?? [] };
}

/** The tenants that see an object before and after a write, as the feed needs it. Asks the database only when the object goes to another owner. */
export async function viewsOf<M extends StoredObject>(
  db: Queryable,
  kind: Kind<M>,
  before: SeenObject<M> | undefined,
  after: M,
): Promise<Views> {
  if (kind.seenThrough === undefined) return {};
  const isMoved = before === undefined || kind.ownerOf(before.object) !== kind.ownerOf(after);
  return { before: before?.viewers ?? [], after: isMoved ? await viewersOf(db, kind, after) : before.viewers };
}

/** Whether the caller sees an object of the kind that these tenants see. Through another object one sees with what is one's own, not with what is shared with everybody. */
export function sees({ seenThrough }: Pick<AnyKind, 'seenThrough'>, principal: Principal, viewers: readonly string[]): boolean {
  return seenThrough === undefined ? isVisible(principal, viewers) : isOwn(principal, viewers);
}

export async function maySee<M extends StoredObject>(db: Queryable, kind: Kind<M>, principal: Principal, object: M): Promise<boolean> {
  if (principal.visibleTenants === 'all') return true;
  return sees(kind, principal, await viewersOf(db, kind, object));
}

/** The condition that keeps a list to what the caller sees. Undefined: it sees everything. */
export function scopeOf(
  kind: Pick<AnyKind, 'name' | 'columns' | 'seenThrough'>,
  principal: Principal,
): ((parameters: SqlParameters) => string) | undefined {
  const { visibleTenants, assignableTenants } = principal;
  if (visibleTenants === 'all') return undefined;
  return (parameters) => {
    if (kind.seenThrough === undefined) return `tenants && ${parameters.add(visibleTenants, 'text[]')}`;
    return `${ownerColumn(kind)} in (select id from ${kind.seenThrough.kind} where tenants && ${parameters.add(assignableTenants, 'text[]')})`;
  };
}

/** Columns that hold more than the caller may know, cut to what it may: its filters must not find out the rest. */
export function seenColumns(principal: Principal, parameters: SqlParameters): ReadonlyMap<string, FieldColumn> {
  const { visibleTenants } = principal;
  if (visibleTenants === 'all') return new Map();
  let sql: string | undefined;
  // A parameter that no condition uses has no type, and PostgreSQL refuses it.
  const tenants: FieldColumn = {
    form: 'text[]',
    get sql() {
      sql ??= `array(select each from unnest(tenants) as each where each = any(${parameters.add(visibleTenants, 'text[]')}))`;
      return sql;
    },
  };
  return new Map([['metadata.tenants', tenants]]);
}

/** The object with those of its tenants that the caller may know of. Changes it in place: it is the caller's own copy. */
export function withSeenTenants<T extends { metadata?: { tenants: string[] } | undefined }>(principal: Principal, object: T): T {
  if (object.metadata !== undefined && principal.visibleTenants !== 'all') {
    object.metadata.tenants = visibleOf(principal, object.metadata.tenants);
  }
  return object;
}
