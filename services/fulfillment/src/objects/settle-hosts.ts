import type { Host } from '@quartermaster/api/private';
import type { Clock } from '@quartermaster/kernel';
import type { AlsoWrite, Call } from '@quartermaster/objects';
import { type BatchPart, holdWritten, lockOf, type Transaction, type WriteBatch } from '@quartermaster/store';
import { ClaimLedger } from '../claims/claim-ledger.ts';
import { readClaimsOfHosts } from '../claims/claim-rows.ts';
import { claimantOf } from '../claims/host-claim.ts';
import { marksOfHost } from '../claims/host-marks.ts';
import { MachineCensus } from '../claims/machine-census.ts';
import { changesMarks, markLocks } from '../claims/mark-locks.ts';
import { readNeighbourhood, soughtOf } from '../claims/read-neighbours.ts';
import type { Kinds } from '../kinds/kinds.ts';
import { writeJudged } from './write-judged.ts';

const forgetPart: BatchPart = {
  name: 'forget-sources',
  sql: (rows) => `delete from host_sources as s using json_to_recordset(${rows}) as r(host_id text) where s.host_id = r.host_id`,
};

export interface SettleOptions {
  readonly kinds: Pick<Kinds, 'hosts' | 'clusters'>;
  readonly clock: Clock;
  readonly newId: () => string;
}

/**
 * Judges a host that a person makes, changes or removes together with the hosts that have something in common with it: each of them may come to be disputed by it, or stop to
 * be. With a host goes what is known of its source, too: should the source still have it, it brings it in anew. Writes that leave its marks alone cost nothing.
 */
export function settleHosts(options: SettleOptions): AlsoWrite<Host> {
  return async (tx, batch, before, after, call) => {
    if (!changesMarks(before, after)) return after;
    const hosts = [before, after].filter((host) => host !== undefined);
    // Whoever makes a host has locked its marks already: they were known before it began.
    if (before !== undefined) await holdWritten(tx, markLocks(before, after));
    if (after === undefined) for (const { id } of hosts) batch.add(forgetPart, { host_id: id });
    const sought = hosts.map(soughtOf);
    const found = await readNeighbourhood(options.kinds.hosts, tx, sought);
    if (found.near.length === 0 && before === undefined) return after;
    await holdWritten(
      tx,
      found.near.map(({ id }) => lockOf('hosts', id)),
    );
    return await settle(options, call, tx, batch, before, after);
  };
}

/** Reads everything anew: what is near is locked only now. */
async function settle(
  { kinds, clock, newId }: SettleOptions,
  call: Call,
  tx: Transaction,
  batch: WriteBatch,
  before: Host | undefined,
  after: Host | undefined,
): Promise<Host | undefined> {
  const hosts = [before, after].filter((host) => host !== undefined);
  const { near, beyond } = await readNeighbourhood(kinds.hosts, tx, hosts.map(soughtOf));
  const others = [...near, ...beyond].filter(({ id }) => !hosts.some((host) => host.id === id));
  const claims = await readClaimsOfHosts(
    tx,
    [...hosts, ...others].map(({ id }) => id),
  );
  const census = new MachineCensus(others, claims);
  const ledger = new ClaimLedger(claims);
  if (after === undefined) {
    const gone = new Set(hosts.map(({ id }) => id));
    const claimants = new Set(hosts.map((host) => JSON.stringify(claimantOf(host))));
    ledger.drop(
      ({ hostId, byHost, source, sourceId }) => gone.has(hostId) || gone.has(byHost) || claimants.has(JSON.stringify({ source, sourceId })),
    );
  } else {
    census.put(after);
    ledger.settleHost(after, census);
  }
  const affected = new Set([...census.sharing(hosts.flatMap(marksOfHost)), ...near]);
  for (const host of affected) if (host.id !== after?.id) ledger.settleHost(host, census);
  await writeJudged({ kinds, nowMs: clock.now(), newId }, call, tx, batch, ledger, near);
  return after === undefined ? undefined : ledger.judge(after, clock.now());
}
