import type { Host } from '@quartermaster/api/private';
import type { ObjectStore } from '@quartermaster/store';
import type { AlsoWrite } from './object-writer.ts';

const statement = { name: 'hosts-of-cluster', text: 'select body from hosts where cluster = $1 order by id' };

/** Tells the feed of the hosts of a cluster when the cluster got other tenants: with it, they come into view of some and leave that of others. */
export function announceHosts(hosts: ObjectStore<Host>): AlsoWrite {
  return async (tx, batch, cluster, after) => {
    if (after === undefined) return;
    const [was, is] = [cluster.metadata?.tenants ?? [], after.metadata?.tenants ?? []];
    if (was.join('\0') === is.join('\0')) return;
    const rows = await tx.query<{ readonly body: Uint8Array }>(statement, [cluster.id]);
    for (const { body } of rows) hosts.announce(batch, 'updated', hosts.decode(body), { before: was, after: is });
  };
}
