import type { Cluster, Host } from '@quartermaster/api/private';
import type { AlsoWrite } from '@quartermaster/objects';
import { holdWritten, lockOf, type ObjectTable } from '@quartermaster/store';

const idsOfCluster = { name: 'ids-of-hosts-of-cluster', text: 'select id from hosts where cluster = $1 order by id' };
const bodiesOfCluster = { name: 'hosts-of-cluster', text: 'select body from hosts where cluster = $1 order by id' };

/**
 * Tells the feed of the hosts of a cluster when the cluster got other tenants: with it, they come into view of some and leave that of others. They are held
 * before they are read, so that the feed never has an older one after a newer one; the hosts themselves cannot become others, since whoever assigns hosts holds
 * the lock of the cluster.
 */
export function announceHosts(hosts: ObjectTable<Host>): AlsoWrite<Cluster> {
  return async (tx, batch, cluster, after) => {
    if (cluster === undefined || after === undefined) return after;
    const [was, is] = [cluster.metadata?.tenants ?? [], after.metadata?.tenants ?? []];
    if (was.join('\0') === is.join('\0')) return after;
    const ids = await tx.query<{ readonly id: string }>(idsOfCluster, [cluster.id]);
    await holdWritten(
      tx,
      ids.map(({ id }) => lockOf('hosts', id)),
    );
    const rows = await tx.query<{ readonly body: Uint8Array }>(bodiesOfCluster, [cluster.id]);
    for (const { body } of rows) hosts.announce(batch, 'updated', hosts.decode(body), { before: was, after: is });
    return after;
  };
}
