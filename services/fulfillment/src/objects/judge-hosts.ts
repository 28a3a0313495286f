import type { Host } from '@quartermaster/api/private';
import type { Clock } from '@quartermaster/kernel';
import type { AlsoWrite, Call } from '@quartermaster/objects';
import { holdWritten, lockOf, type Transaction, type WriteBatch } from '@quartermaster/store';
import { isSameOrigin, originOf } from '../identity/assertion.ts';
import { AssertionLedger } from '../identity/assertion-ledger.ts';
import { readAssertionsOfHosts } from '../identity/assertion-rows.ts';
import { MachineCensus } from '../identity/machine-census.ts';
import { changesMarks, locksOfMarks, markLocks } from '../identity/mark-locks.ts';
import { neighbourIds, readNeighbourhood, soughtOf } from '../identity/read-neighbours.ts';
import { forgetSources } from '../identity/source-rows.ts';
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
    const sought = [before, after].flatMap((host) => (host === undefined ? [] : [soughtOf(host)]));
    const [, near] = await Promise.all([holdWritten(tx, markLocks(before, after)), neighbourIds(tx, sought)]);
    await holdWritten(
      tx,
      near.map((id) => lockOf('hosts', id)),
    );
    return await judgeTogether(options, call, tx, batch, before, after, new Set(near));
  };
}

/**
 * Whether the write changes nothing between the host and any other. Holds what it gives to the host and takes from it. What the host keeps is not asked for: whoever gives
 * that to another one finds this host, and waits for it.
 */
async function isAlone(tx: Transaction, before: Host | undefined, after: Host | undefined): Promise<boolean> {
  const isKept = before !== undefined && after !== undefined && isSameOrigin(before, after);
  const sought = [
    ...(before === undefined ? [] : [soughtOf(before, isKept ? after : undefined)]),
    ...(after === undefined ? [] : [soughtOf(after, isKept ? before : undefined)]),
  ];
  // Sent together: the database comes to look when the marks are held. Whoever makes a host has locked its marks already, and nobody can have said anything of it yet.
  const locks = before === undefined ? [] : locksOfMarks(sought.flatMap(({ marks }) => marks));
  const [, near] = await Promise.all([holdWritten(tx, locks), neighbourIds(tx, sought, before === undefined ? [] : [before.id])]);
  return near.length === 0;
}

/** Reads everything anew: what is near is locked only now. */
async function judgeTogether(
  options: JudgeHostsOptions,
  call: Call,
  tx: Transaction,
  batch: WriteBatch,
  before: Host | undefined,
  after: Host | undefined,
  held: ReadonlySet<string>,
): Promise<Host | undefined> {
  const { kinds, clock } = options;
  const hosts = [before, after].filter((host) => host !== undefined);
  const found = await readNeighbourhood(
    kinds.hosts,
    tx,
    hosts.map((host) => soughtOf(host)),
  );
  // Of very many that share a mark another look may find others.
  const near = found.near.filter(({ id }) => held.has(id));
  const others = [...found.near, ...found.beyond].filter(({ id }) => !hosts.some((host) => host.id === id));
  const assertions = await readAssertionsOfHosts(
    tx,
    [...hosts, ...others].map(({ id }) => id),
  );
  const census = new MachineCensus(others, assertions);
  const ledger = new AssertionLedger(assertions);
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
  for (const host of near) if (host.id !== after?.id) ledger.hearHost(host, census);
  await writeJudged(options, call, tx, batch, ledger.judgeAll(near, clock.now()), ledger.changes());
  return after === undefined ? undefined : ledger.judge(after, clock.now());
}
