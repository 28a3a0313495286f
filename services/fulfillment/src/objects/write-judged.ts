import type { Host } from '@quartermaster/api/private';
import type { Call } from '@quartermaster/objects';
import { recordWrite } from '@quartermaster/objects';
import { holdWritten, lockOf, type Queryable, type Transaction, type Views, type WriteBatch } from '@quartermaster/store';
import { type Assertion, assertionKey } from '../identity/assertion.ts';
import { AssertionLedger } from '../identity/assertion-ledger.ts';
import { dropAssertion, putAssertion, readAssertionsOn } from '../identity/assertion-rows.ts';
import type { Kinds } from '../kinds/kinds.ts';

/** Those who see a host are the tenants of its cluster. */
export async function readViews(
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

export interface JudgeOptions {
  readonly kinds: Pick<Kinds, 'hosts' | 'clusters'>;
  readonly nowMs: number;
  readonly newId: () => string;
}

/** Adds to the batch what the ledger made of the assertions, and those of the hosts, which are held, that it judges otherwise than they say. */
export async function writeJudged(
  { kinds, nowMs, newId }: JudgeOptions,
  call: Call,
  db: Queryable,
  batch: WriteBatch,
  ledger: AssertionLedger,
  hosts: readonly Host[],
): Promise<void> {
  const viewsOf = await readViews(kinds, db, hosts);
  for (const before of hosts) {
    const after = ledger.judge(before, nowMs);
    if (after === before) continue;
    kinds.hosts.store.update(batch, before, after, viewsOf(before));
    recordWrite(batch, call, kinds.hosts, newId, before, after);
  }
  const { put, dropped } = ledger.changes();
  for (const assertion of put) putAssertion(batch, assertion);
  for (const assertion of dropped) dropAssertion(batch, assertion);
}

/** Adds to the batch that these assertions end, and what their hosts are without them. Holds those hosts: to be called before a statement that writes. */
export async function dropAssertions(
  options: JudgeOptions,
  call: Call,
  tx: Transaction,
  batch: WriteBatch,
  assertions: readonly Assertion[],
): Promise<void> {
  const ids = [...new Set(assertions.map(({ hostId }) => hostId))];
  await holdWritten(
    tx,
    ids.map((id) => lockOf('hosts', id)),
  );
  const ledger = new AssertionLedger(await readAssertionsOn(tx, ids));
  const dropped = new Set(assertions.map(assertionKey));
  ledger.drop((assertion) => dropped.has(assertionKey(assertion)));
  const hosts = [...(await options.kinds.hosts.store.getMany(tx, ids)).values()];
  await writeJudged(options, call, tx, batch, ledger, hosts);
}
