import type { Host } from '@quartermaster/api/private';
import type { ObjectTable, Queryable } from '@quartermaster/store';
import { type BootMarks, bootMarksOf, type Mark, type MarkKind, marksOfHost, mostAlike } from './host-marks.ts';

/** What hosts are looked for by: the marks and the place of a machine, and the id of its host, which is not looked for. */
export interface Sought {
  readonly id: string;
  readonly marks: readonly Mark[];
  readonly boot: BootMarks | undefined;
  readonly place: Place | undefined;
  /** The id that the host of the machine will have, where it has none yet. */
  readonly newId?: string | undefined;
}

export interface Place {
  readonly rack: string;
  readonly low: number;
  readonly high: number;
}

/** The place of a host; undefined while it is not known. */
export function placeOf({ spec }: Pick<Host, 'spec'>): Place | undefined {
  if (spec === undefined || spec.rack === '' || spec.rackUnit < 1) return undefined;
  return { rack: spec.rack, low: spec.rackUnit, high: spec.rackUnit + Math.max(1, spec.rackHeight) - 1 };
}

/** By everything of the host. */
export const soughtOf = (host: Host): Sought => ({
  id: host.id,
  marks: marksOfHost(host),
  boot: bootMarksOf(host.spec),
  place: placeOf(host),
});

const having = (values: string, owns: string, column: string, limit: number): string =>
  `select found.id from unnest(${values}::text[], ${owns}::text[]) as m(value, own)
    cross join lateral (select id from hosts where ${column} = m.value and id <> m.own limit ${limit}) as found`;

/** Of those with the pair the one before the host and the one after it. Both columns are conditions, so that the index of the one that few hosts share finds them. */
const beside = (column: string): string => `select unnest(array[
      (array_agg(hosts.id order by hosts.id desc) filter (where hosts.id < b.at))[1], (array_agg(hosts.id order by hosts.id) filter (where hosts.id > b.at))[1]
    ]) as id from hosts where hosts.boot_mac = b.boot_mac and hosts.${column} = b.${column} and b.${column} <> ''`;

// Of those that a mark does not identify, one more than it takes to see that. A height unit has few hosts, and a host few units. Interfaces are gathered before they are cut:
// with a limit the planner would rather read the whole table than the index.
const neighboursStatement = {
  name: 'neighbours-of-hosts',
  text: `${having('$1', '$2', 'serial', mostAlike.serial + 1)}
    union ${having('$3', '$4', 'system_uuid', mostAlike.systemUuid + 1)}
    union ${having('$5', '$6', 'boot_mac', mostAlike.mac + 1)}
    union select unnest(found.ids) from unnest($5::text[], $6::text[]) as m(value, own)
    cross join lateral (
      select (array_agg(id))[1:${mostAlike.mac + 1}] as ids from hosts where macs @> array[m.value] and id <> m.own
    ) as found
    union select found.id from unnest($7::text[], $8::bigint[], $9::bigint[], $10::text[]) as p(rack, low, high, own)
    cross join lateral (
      select id from hosts where rack = p.rack and rack_unit > 0 and rack_unit <= p.high and rack_unit + greatest(rack_height, 1) > p.low and id <> p.own
      limit 64
    ) as found
    union select found.id from unnest($11::text[], $12::text[], $13::text[], $14::text[]) as b(boot_mac, serial, system_uuid, at)
    cross join lateral (${beside('serial')} union all ${beside('system_uuid')}) as found where found.id is not null
    union select by_host from host_claims where host_id = any($15::text[])
    union select host_id from host_claims where by_host <> '' and by_host = any($15::text[])`,
};

/**
 * Ids of other hosts that have one of the marks, or a place that meets theirs, and of those at the other end of an assertion of or on one of `asserted`: an empty one for a source
 * that has no host for the machine.
 */
export async function neighbourIds(db: Queryable, sought: readonly Sought[], asserted: readonly string[] = []): Promise<readonly string[]> {
  const ofKind = (kind: MarkKind): readonly [string[], string[]] => {
    const found = sought.flatMap(({ id, marks }) => marks.flatMap((mark) => (mark.kind === kind ? [[mark.value, id] as const] : [])));
    return [found.map(([value]) => value), found.map(([, id]) => id)];
  };
  const places = sought.flatMap(({ id, place }) => (place === undefined ? [] : [{ id, ...place }]));
  const boots = sought.flatMap(({ id, newId, boot }) => (boot === undefined ? [] : [{ at: newId ?? id, ...boot }]));
  const values = [
    ...ofKind('serial'),
    ...ofKind('systemUuid'),
    ...ofKind('mac'),
    places.map(({ rack }) => rack),
    places.map(({ low }) => low),
    places.map(({ high }) => high),
    places.map(({ id }) => id),
    boots.map(({ bootMac }) => bootMac),
    boots.map(({ serial }) => serial),
    boots.map(({ systemUuid }) => systemUuid),
    boots.map(({ at }) => at),
    asserted,
  ];
  if (values.every((list) => list.length === 0)) return [];
  const rows = await db.query<{ readonly id: string }>(neighboursStatement, values);
  return rows.map(({ id }) => id);
}

/** Hosts that have something in common with what is sought, and those that have something in common with them: so that of each of the former all is known that it is judged by. */
export interface Neighbourhood {
  readonly near: readonly Host[];
  readonly beyond: readonly Host[];
}

export async function readNeighbourhood(
  { store }: { readonly store: Pick<ObjectTable<Host>, 'getMany'> },
  db: Queryable,
  sought: readonly Sought[],
  asserted: readonly string[] = [],
): Promise<Neighbourhood> {
  const ids = await neighbourIds(db, sought, asserted);
  if (ids.length === 0) return { near: [], beyond: [] };
  const near = [...(await store.getMany(db, ids)).values()];
  const known = new Set(ids);
  const further = (await neighbourIds(db, near.map(soughtOf))).filter((id) => !known.has(id));
  return { near, beyond: [...(await store.getMany(db, further)).values()] };
}
