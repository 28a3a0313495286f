import type { Host } from '@quartermaster/api/private';
import type { Call } from '@quartermaster/objects';
import { recordWrite } from '@quartermaster/objects';
import type { Queryable, Views, WriteBatch } from '@quartermaster/store';
import type { AssertionChanges, Judged } from '../identity/assertion-ledger.ts';
import { dropAssertion, putAssertion } from '../identity/assertion-rows.ts';
import type { Kinds } from '../kinds/kinds.ts';

export interface WriteJudgedOptions {
  readonly kinds: Pick<Kinds, 'hosts' | 'clusters'>;
  readonly newId: () => string;
}

/** Adds to the batch the hosts, which are held, as they are to be, and what became of the assertions. */
export async function writeJudged(
  { kinds, newId }: WriteJudgedOptions,
  call: Call,
  db: Queryable,
  batch: WriteBatch,
  hosts: readonly Judged[],
  { put, dropped }: AssertionChanges,
): Promise<void> {
  const viewsOf = await readViews(
    kinds,
    db,
    hosts.map(({ before }) => before),
  );
  for (const { before, after } of hosts) {
    kinds.hosts.store.update(batch, before, after, viewsOf(before));
    recordWrite(batch, call, kinds.hosts, newId, before, after);
  }
  for (const assertion of put) putAssertion(batch, assertion);
  for (const assertion of dropped) dropAssertion(batch, assertion);
}

/** Those who see a host are the tenants of its cluster. */
async function readViews(
  { clusters: { store } }: Pick<Kinds, 'clusters'>,
  db: Queryable,
  hosts: readonly Host[],
): Promise<(host: Host) => Views> {
  const clusterOf = (host: Host): string => host.status?.cluster ?? '';
  const clusters = await store.getMany(db, [...new Set(hosts.map(clusterOf).filter((id) => id !== ''))]);
  return (host) => {
    const tenants = clusters.get(clusterOf(host))?.metadata?.tenants ?? [];
    return { before: tenants, after: tenants };
  };
}
