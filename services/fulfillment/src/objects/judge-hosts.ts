import type { Host } from '@quartermaster/api/private';
import type { Clock } from '@quartermaster/kernel';
import type { AlsoWrite, Call } from '@quartermaster/objects';
import { holdWritten, type Transaction, type WriteBatch } from '@quartermaster/store';
import { originOf } from '../identity/assertion.ts';
import { AssertionLedger } from '../identity/assertion-ledger.ts';
import { changedMarkLocks, changesMarks } from '../identity/mark-locks.ts';
import { neighbourIds, soughtOf } from '../identity/read-neighbours.ts';
import { forgetSources } from '../identity/source-rows.ts';
import { holdSurroundings } from './hold-surroundings.ts';
import { type WriteJudgedOptions, writeJudged } from './write-judged.ts';

export interface JudgeHostsOptions extends WriteJudgedOptions {
  readonly clock: Clock;
}

/**
 * Judges a host that a person makes, changes or removes together with the hosts that have something in common with it: each of them may come to be disputed by it, or stop to
 * be. With a host goes what is known of its source, too: should the source still have it, it brings it in anew. Writes that leave its marks alone cost nothing.
 */
export function judgeHosts(options: JudgeHostsOptions): AlsoWrite<Host> {
  return async (tx, batch, before, after, call) => {
    if (!changesMarks(before, after)) return after;
    if (after === undefined && before !== undefined) forgetSources(batch, [before.id]);
    if (await isAlone(tx, before, after))
      return after === undefined ? undefined : new AssertionLedger([]).judge(after, options.clock.now());
    return await judgeTogether(options, call, tx, batch, before, after);
  };
}

/**
 * Whether no other host has anything to do with this one, before the write or after it. Holds what the write gives to the host and takes from it. What the host keeps is only
 * looked for: whoever gives that to another one finds this host, and waits for it; but an earlier release may have done so and judged neither.
 */
async function isAlone(tx: Transaction, before: Host | undefined, after: Host | undefined): Promise<boolean> {
  const sought = [before, after].flatMap((host) => (host === undefined ? [] : [soughtOf(host)]));
  // Sent together: the database comes to look when the marks are held. Whoever makes a host has locked its marks already, and nobody can have said anything of it yet.
  const locks = before === undefined ? [] : changedMarkLocks(before, after);
  const [, near] = await Promise.all([holdWritten(tx, locks), neighbourIds(tx, sought, before === undefined ? [] : [before.id])]);
  return near.length === 0;
}

async function judgeTogether(
  options: JudgeHostsOptions,
  call: Call,
  tx: Transaction,
  batch: WriteBatch,
  before: Host | undefined,
  after: Host | undefined,
): Promise<Host | undefined> {
  const { kinds, clock } = options;
  const hosts = [before, after].filter((host) => host !== undefined);
  const { near, census, ledger } = await holdSurroundings(kinds, tx, hosts);
  if (after === undefined) {
    const gone = new Set(hosts.map(({ id }) => id));
    const origins = new Set(hosts.map((host) => JSON.stringify(originOf(host))));
    ledger.drop(
      ({ hostId, byHost, source, sourceId }) => gone.has(hostId) || gone.has(byHost) || origins.has(JSON.stringify({ source, sourceId })),
    );
  } else {
    census.put(after);
    ledger.hearHost(after, census);
  }
  for (const host of near) ledger.hearHost(host, census);
  await writeJudged(options, call, tx, batch, ledger.judgeAll(near, clock.now()), ledger.changes());
  return after === undefined ? undefined : ledger.judge(after, clock.now());
}
