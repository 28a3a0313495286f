import { HostState } from '@quartermaster/api/private';
import type { Queryable } from '@quartermaster/store';
import { type HostNeed, refusalMessage, refusalReasons } from './host-eligibility.ts';
import type { FreeHost } from './select-hosts.ts';

const isNobodys = "class = $1 and deleted_at is null and cluster = '' and host_pool = ''";

// Only columns of the index hosts_by_class, so that the hosts themselves are not read: there may be very many.
// From every rack as many as could be needed, the first of each rack before the second of any.
const freeStatement = {
  name: 'assign-free-hosts',
  text: `select id, rack, state from (
      select id, rack, state, row_number() over (partition by rack order by (state <> ${HostState.READY}), id) as place
      from hosts
      where ${isNobodys} and state <> ${HostState.FAILED} and (hub = '' or $2 = '' or hub = $2) and not is_disputed
    ) as ranked
    where place <= $3 order by place, rack, id limit $4`,
};

interface FreeRow {
  readonly id: string;
  readonly rack: string;
  readonly state: bigint;
}

/** Free and fit hosts for a node set, as of now: somebody else may take them before they are locked. */
export async function freeHosts(db: Queryable, { hostClass, hub }: HostNeed, wanted: number): Promise<readonly FreeHost[]> {
  const rows = await db.query<FreeRow>(freeStatement, [hostClass, hub, wanted, 2 * wanted + 1000]);
  return rows.map(({ id, rack, state }) => ({ id, rack, isReady: Number(state) === HostState.READY }));
}

const racksStatement = { name: 'assign-racks', text: 'select rack, count(*) as hosts from hosts where cluster = $1 group by rack' };

/** rack -> how many hosts the cluster has in it */
export async function racksOf(db: Queryable, cluster: string): Promise<ReadonlyMap<string, number>> {
  const rows = await db.query<{ readonly rack: string; readonly hosts: bigint }>(racksStatement, [cluster]);
  return new Map(rows.map(({ rack, hosts }) => [rack, Number(hosts)]));
}

// In the order of refusalReasons: each host counts once.
const refusalStatement = {
  name: 'assign-refusals',
  text: `select reason, count(*) as hosts from (
      select case
        when deleted_at is not null then 'DELETED'
        when cluster <> '' then 'ASSIGNED'
        when host_pool <> '' then 'IN_POOL'
        when state = ${HostState.FAILED} then 'FAILED'
        when hub <> '' and $2 <> '' and hub <> $2 then 'OTHER_HUB'
        when is_disputed then 'CONFLICT'
        else '' end as reason
      from hosts where class = $1 and cluster is distinct from $3
    ) as judged group by reason`,
};

export interface Refusal {
  readonly reason: string;
  readonly message: string;
  readonly hosts: number;
}

/** Why hosts of the class cannot be taken, each reason with the number of hosts that it keeps out. Those of the cluster itself are no matter here. */
export async function refusalsOf(db: Queryable, need: HostNeed, cluster: string): Promise<readonly Refusal[]> {
  const { hostClass, hub } = need;
  const rows = await db.query<{ readonly reason: string; readonly hosts: bigint }>(refusalStatement, [hostClass, hub, cluster]);
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
