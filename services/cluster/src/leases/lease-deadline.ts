import type { Clock } from '@quartermaster/kernel';
import { blindness } from '../known-leases/lease-blindness.ts';
import type { LeaseRecord } from '../known-leases/lease-record.ts';
import type { MarketLease } from '../market/market.ts';
import type { LeaseContext } from './lease-context.ts';
import { type CountedFrom, type LeaseDeadlines, overdue } from './lease-transitions.ts';

/** Since when what is seen counts for deadlines. */
export type CountedSight = () => Required<CountedFrom>;

/** A wall clock is corrected by less than this from one look to the next. */
const clockJumpMs = 1_000;

/**
 * Since when, in this term, the market and the cluster are seen without a break; never (Infinity) while they are not. A wall clock that jumps is a break: what is recorded
 * by it from before would be over all at once.
 */
export function countedSight({ caches, nodes, namespaces, records, view }: LeaseContext, clock: Clock): CountedSight {
  let [market, cluster] = [Infinity, Infinity];
  let aheadMs = clock.now() - clock.monotonic();
  return () => {
    const before = aheadMs;
    aheadMs = clock.now() - clock.monotonic();
    if (Math.abs(aheadMs - before) > clockJumpMs) [market, cluster] = [Infinity, Infinity];
    const isMarketSeen = view.problem === undefined && view.status().readAt !== undefined;
    const isClusterSeen = blindness(caches, nodes, namespaces) === undefined && records.problem() === undefined;
    market = isMarketSeen ? Math.min(market, clock.now()) : Infinity;
    cluster = isClusterSeen ? Math.min(cluster, clock.now()) : Infinity;
    return { market, cluster };
  };
}

/** The deadline of a lease, for whoever acts on it and whoever shows it. */
export function deadlineOf(
  record: LeaseRecord,
  lease: MarketLease | undefined,
  deadlines: LeaseDeadlines,
  at: number,
  from: CountedFrom,
): ReturnType<typeof overdue> {
  return overdue(record, deadlines, at, isManifestAtMarket(record, lease) ? { ...from, market: Infinity } : from);
}

/** It was sent, and that it was not taken from the market yet is not the tenant's fault. One that was refused is another matter. */
const isManifestAtMarket = ({ refused }: LeaseRecord, lease: MarketLease | undefined): boolean =>
  lease?.manifestHash !== undefined && lease.manifestHash !== refused?.hash;
