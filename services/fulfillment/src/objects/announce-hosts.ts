import type { Cluster } from '@quartermaster/api/private';
import type { AlsoWrite } from '@quartermaster/objects';
import { announcePart, holdWritten, lockOf } from '@quartermaster/store';

/** Beyond it all hosts are held together: PostgreSQL's table of locks is shared by everybody. */
const maxHeldOneByOne = 500;

const idsOfCluster = {
  name: 'ids-of-hosts-of-cluster',
  text: `select id from hosts where cluster = $1 order by id limit ${maxHeldOneByOne + 1}`,
};
/**
 * The release before does not know that hosts can be held together, and may run beside this one. It writes hosts with the first statement that gives its transaction a number: what
 * it has begun ends before this is granted, and what it begins then gets a number after ours. To be dropped when no database can be shared with that release any more.
 */
const holdTable = { text: 'lock table hosts in share mode' };
/** Everybody who writes hosts waits with it, for as long as somebody works on the table: VACUUM may take minutes. It is longer than the second after which autovacuum gives way. */
const boundWait = { text: "set local lock_timeout = '3s'" };
const announceOfCluster = announcePart('hosts', 'cluster');

/**
 * Tells the feed of the hosts of a cluster when the cluster got other tenants: with it, they come into view of some and leave that of others. They are held
 * before they are read, so that the feed never has an older one after a newer one; the hosts themselves cannot become others, since whoever assigns hosts holds
 * the lock of the cluster.
 */
export const announceHosts: AlsoWrite<Cluster> = async (tx, batch, cluster, after) => {
  if (cluster === undefined || after === undefined) return after;
  const [was, is] = [cluster.metadata?.tenants ?? [], after.metadata?.tenants ?? []];
  if (was.join('\0') === is.join('\0')) return after;
  const ids = await tx.query<{ readonly id: string }>(idsOfCluster, [cluster.id]);
  if (ids.length === 0) return after;
  const isMany = ids.length > maxHeldOneByOne;
  await holdWritten(tx, isMany ? ['hosts'] : ids.map(({ id }) => lockOf('hosts', id)));
  if (isMany) await Promise.all([tx.query(boundWait), tx.query(holdTable)]);
  batch.add(announceOfCluster, { value: cluster.id, before: was, after: is });
  return after;
};
