/** What of a kind a caller sees: its own tenants' objects, and of hosts those of its tenants' clusters. */
import type { Cluster } from '@quartermaster/api/private';
import type { Principal } from '@quartermaster/auth';
import { isOwn, isVisible, visibleOf } from '@quartermaster/auth';
import type { ObjectStore, Queryable, Views } from '@quartermaster/store';
import type { FieldColumn, SqlParameters } from '@quartermaster/store/filter';
import type { AnyObject, Kind } from '../kinds/kind.ts';

/** The tenants that see an object. */
async function viewersOf<M extends AnyObject>(
  db: Queryable,
  kind: Kind<M>,
  clusters: ObjectStore<Cluster>,
  object: M,
): Promise<readonly string[]> {
  if (kind.clusterOf === undefined) return object.metadata?.tenants ?? [];
  const id = kind.clusterOf(object);
  if (id === '') return [];
  const cluster = await clusters.get(db, id);
  return cluster?.metadata?.tenants ?? [];
}

/** An object that was read, with the tenants that see it. */
export interface SeenObject<M> {
  readonly object: M;
  readonly viewers: readonly string[];
}

/** Reads both at once. */
export async function readSeen<M extends AnyObject>(
  db: Queryable,
  { name, store, clusterOf }: Kind<M>,
  id: string,
): Promise<SeenObject<M> | undefined> {
  if (clusterOf === undefined) {
    const object = await store.get(db, id);
    return object === undefined ? undefined : { object, viewers: object.metadata?.tenants ?? [] };
  }
  const text = `select body, (select tenants from clusters where clusters.id = ${name}.cluster) as viewers from ${name} where id = $1`;
  const [row] = await db.query<{ readonly body: Uint8Array; readonly viewers: readonly string[] | null }>({ name: `seen-${name}`, text }, [
    id,
  ]);
  return row === undefined ? undefined : { object: store.decode(row.body), viewers: row.viewers ?? [] };
}

/** The tenants that see an object before and after a write, as the feed needs it. Asks the database only when the object goes to another cluster. */
export async function viewsOf<M extends AnyObject>(
  db: Queryable,
  kind: Kind<M>,
  clusters: ObjectStore<Cluster>,
  before: SeenObject<M> | undefined,
  after: M,
): Promise<Views> {
  if (kind.clusterOf === undefined) return {};
  const isMoved = before === undefined || kind.clusterOf(before.object) !== kind.clusterOf(after);
  return { before: before?.viewers ?? [], after: isMoved ? await viewersOf(db, kind, clusters, after) : before.viewers };
}

/** Whether the caller sees an object of the kind that these tenants see. Hosts are seen in one's own clusters, not in those that are shared with everybody. */
export function sees<M extends AnyObject>(
  { clusterOf }: Pick<Kind<M>, 'clusterOf'>,
  principal: Principal,
  viewers: readonly string[],
): boolean {
  return clusterOf === undefined ? isVisible(principal, viewers) : isOwn(principal, viewers);
}

export async function maySee<M extends AnyObject>(
  db: Queryable,
  kind: Kind<M>,
  clusters: ObjectStore<Cluster>,
  principal: Principal,
  object: M,
): Promise<boolean> {
  if (principal.visibleTenants === 'all') return true;
  return sees(kind, principal, await viewersOf(db, kind, clusters, object));
}

/** The condition that keeps a list to what the caller sees. Undefined: it sees everything. */
export function scopeOf<M extends AnyObject>(kind: Kind<M>, principal: Principal): ((parameters: SqlParameters) => string) | undefined {
  const { visibleTenants, assignableTenants } = principal;
  if (visibleTenants === 'all') return undefined;
  return (parameters) => {
    if (kind.clusterOf === undefined) return `tenants && ${parameters.add(visibleTenants, 'text[]')}`;
    return `cluster in (select id from clusters where tenants && ${parameters.add(assignableTenants, 'text[]')})`;
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
