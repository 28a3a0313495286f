import type { Host } from '@quartermaster/api/private';
import type { Clock } from '@quartermaster/kernel';
import type { AlsoWrite, Call } from '@quartermaster/objects';
import { type BatchPart, holdWritten, type Transaction, type WriteBatch } from '@quartermaster/store';
import { ClaimLedger } from '../claims/claim-ledger.ts';
import { claimantOf } from '../claims/host-claim.ts';
import { changedMarkLocks, changesMarks } from '../claims/mark-locks.ts';
import { neighbourIds, soughtOf } from '../claims/read-neighbours.ts';
import type { Kinds } from '../kinds/kinds.ts';
import { holdSurroundings } from './hold-surroundings.ts';
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
    if (after === undefined && before !== undefined) batch.add(forgetPart, { host_id: before.id });
    if (await isAlone(tx, before, after)) return after === undefined ? undefined : new ClaimLedger([]).judge(after, options.clock.now());
    return await settle(options, call, tx, batch, before, after);
  };
}

/**
 * Whether no other host has anything to do with this one, before the write or after it. Holds what the write gives to the host and takes from it. What the host keeps is only
 * looked for: whoever gives that to another one finds this host, and waits for it; but an earlier release may have done so and judged neither.
 */
async function isAlone(tx: Transaction, before: Host | undefined, after: Host | undefined): Promise<boolean> {
  const sought = [before, after].flatMap((host) => (host === undefined ? [] : [soughtOf(host)]));
  // Sent together: the database comes to look when the marks are held. Whoever makes a host has locked its marks already, and nobody can claim it yet.
  const locks = before === undefined ? [] : changedMarkLocks(before, after);
  const [, near] = await Promise.all([holdWritten(tx, locks), neighbourIds(tx, sought, before === undefined ? [] : [before.id])]);
  return near.length === 0;
}

async function settle(
  { kinds, clock, newId }: SettleOptions,
  call: Call,
  tx: Transaction,
  batch: WriteBatch,
  before: Host | undefined,
  after: Host | undefined,
): Promise<Host | undefined> {
  const hosts = [before, after].filter((host) => host !== undefined);
  const { near, census, ledger } = await holdSurroundings(kinds, tx, hosts);
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
  for (const host of near) ledger.settleHost(host, census);
  await writeJudged({ kinds, nowMs: clock.now(), newId }, call, tx, batch, ledger, near);
  return after === undefined ? undefined : ledger.judge(after, clock.now());
}
