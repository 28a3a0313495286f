import { HostState } from '@quartermaster/api/private';
import { refusalReasons } from '@quartermaster/api/states';
import type { Queryable } from '@quartermaster/store';
import { type HostNeed, refusalMessage } from './host-eligibility.ts';
import type { FreeHost } from './select-hosts.ts';

/** What `refusalOf` says of a host, but for its class, as an expression over its row; empty: it is free and fit. Hosts that are among `disputed` count as such. */
const refusalCase = (hub: string, disputed: string): string => `case
        when deleted_at is not null then 'DELETED'
        when cluster <> '' then 'ASSIGNED'
        when host_pool <> '' then 'IN_POOL'
        when state = ${HostState.FAILED} then 'FAILED'
        when state = ${HostState.PROGRESSING} then 'IN_PROGRESS'
        when hub <> '' and hub <> ${hub} then 'OTHER_HUB'
        when is_disputed or id = any(${disputed}::text[]) then 'CONFLICT'
        else lacks end`;

/** The cluster once more, by which the index finds them. */
const isFit = (hub: string): string => `class = $1 and cluster = '' and ${refusalCase(hub, '$2')} = ''`;

// Only columns of the index hosts_by_class, so that the hosts themselves are not read: there may be very many.
// From every rack as many as could be needed, the first of each rack before the second of any.
const freeStatement = {
  name: 'assign-free-hosts',
  text: `select id, rack, state from (
      select id, rack, state, row_number() over (partition by rack order by (state <> ${HostState.READY}), id) as place
      from hosts where ${isFit('$3')}
    ) as ranked
    where place <= $4 order by place, rack, id limit $5`,
};

interface FreeRow {
  readonly id: string;
  readonly rack: string;
  readonly state: bigint;
}

/** Free and fit hosts for a node set, as of now: somebody else may take them before they are locked. */
export async function freeHosts(
  db: Queryable,
  { hostClass, hub }: HostNeed,
  wanted: number,
  excluded: readonly string[],
): Promise<readonly FreeHost[]> {
  const rows = await db.query<FreeRow>(freeStatement, [hostClass, excluded, hub, wanted, 2 * wanted + 1000]);
  return rows.map(({ id, rack, state }) => ({ id, rack, isReady: Number(state) === HostState.READY }));
}

const freeHubStatement = {
  name: 'assign-free-hub',
  text: `select hub from hosts where ${isFit('hub')} and hub <> '' group by hub order by count(*) desc, hub limit 1`,
};

/** The hub with the most free and fit hosts of the class; empty when they are of none. */
export async function freestHub(db: Queryable, hostClass: string, excluded: readonly string[]): Promise<string> {
  const [row] = await db.query<{ readonly hub: string }>(freeHubStatement, [hostClass, excluded]);
  return row?.hub ?? '';
}

const heldHubStatement = { name: 'assign-held-hub', text: "select min(hub) as hub from hosts where cluster = $1 and hub <> ''" };

/** The hub of the hosts that the cluster has; empty when they are of none. */
export async function heldHub(db: Queryable, cluster: string): Promise<string> {
  const [row] = await db.query<{ readonly hub: string | null }>(heldHubStatement, [cluster]);
  return row?.hub ?? '';
}

const racksStatement = { name: 'assign-racks', text: 'select rack, count(*) as hosts from hosts where id = any($1::text[]) group by rack' };

/** rack -> how many of these hosts are in it */
export async function racksOf(db: Queryable, hosts: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (hosts.length === 0) return new Map();
  const rows = await db.query<{ readonly rack: string; readonly hosts: bigint }>(racksStatement, [hosts]);
  return new Map(rows.map(({ rack, hosts: count }) => [rack, Number(count)]));
}

const refusalStatement = {
  name: 'assign-refusals',
  text: `select reason, count(*) as hosts from (
      select ${refusalCase('$2', '$4')} as reason from hosts where class = $1 and cluster is distinct from $3
    ) as judged group by reason`,
};

export interface Refusal {
  readonly reason: string;
  readonly message: string;
  readonly hosts: number;
}

/** Why hosts of the class cannot be taken, each reason with the number of hosts that it keeps out. Those of the cluster itself are no matter here. */
export async function refusalsOf(
  db: Queryable,
  { hostClass, hub }: HostNeed,
  cluster: string,
  disputed: readonly string[],
): Promise<readonly Refusal[]> {
  const values = [hostClass, hub, cluster, disputed];
  const rows = await db.query<{ readonly reason: string; readonly hosts: bigint }>(refusalStatement, values);
  const counts = new Map(rows.map(({ reason, hosts }) => [reason, Number(hosts)]));
  const refusals = refusalReasons.flatMap((reason): Refusal[] => {
    const hosts = counts.get(reason) ?? 0;
    return reason === 'OTHER_CLASS' || hosts === 0 ? [] : [{ reason, message: refusalMessage(reason, hostClass, hosts), hosts }];
  });
  if (rows.length > 0) return refusals;
  return [
    { reason: 'NO_HOSTS', message: `there are no other hosts of class "${hostClass}"; add some, or make the node set smaller`, hosts: 0 },
  ];
}
