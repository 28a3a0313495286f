import type { Host } from '@quartermaster/api/private';
import type { Call } from '@quartermaster/objects';
import { recordWrite } from '@quartermaster/objects';
import { holdWritten, lockOf, type Queryable, type Transaction, type Views, type WriteBatch } from '@quartermaster/store';
import { ClaimLedger } from '../claims/claim-ledger.ts';
import { dropClaim, readClaimsOn } from '../claims/claim-rows.ts';
import { claimKey, type HostClaim } from '../claims/host-claim.ts';
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

export interface DropOptions {
  readonly kinds: Pick<Kinds, 'hosts' | 'clusters'>;
  readonly nowMs: number;
  readonly newId: () => string;
}

/** Adds to the batch that these claims end, and what their hosts are without them. Holds those hosts: to be called before a statement that writes. */
export async function dropClaims(
  { kinds, nowMs, newId }: DropOptions,
  call: Call,
  tx: Transaction,
  batch: WriteBatch,
  claims: readonly HostClaim[],
): Promise<void> {
  const ids = [...new Set(claims.map(({ hostId }) => hostId))];
  await holdWritten(
    tx,
    ids.map((id) => lockOf('hosts', id)),
  );
  const ledger = new ClaimLedger(await readClaimsOn(tx, ids));
  const dropped = new Set(claims.map(claimKey));
  ledger.drop((claim) => dropped.has(claimKey(claim)));
  const hosts = [...(await kinds.hosts.store.getMany(tx, ids)).values()];
  const viewsOf = await readViews(kinds, tx, hosts);
  for (const before of hosts) {
    const after = ledger.judge(before, nowMs);
    if (after === before) continue;
    kinds.hosts.store.update(batch, before, after, viewsOf(before));
    recordWrite(batch, call, kinds.hosts, newId, before, after);
  }
  for (const claim of ledger.changes().dropped) dropClaim(batch, claim);
}
