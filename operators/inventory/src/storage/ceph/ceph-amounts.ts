import { type Amount, amount } from '../../model/amount.ts';
import { scaled } from '../querier/whole-bytes.ts';
import type { Redundancy } from './ceph-facts.ts';

/*
 * How much a class on a Ceph pool can still promise.
 *
 * Volumes are thin: a volume takes space when it is written, not when it is made. `max_avail` shrinks with what is written, so taking the size
 * of volumes off it counts written data twice; and leaving promises out sells space that tenants were promised and have not used yet. So what
 * is taken off is what is promised and not yet written:
 *
 *   usable    = stored + max_avail                     what the pool holds when it is full, with the other pools as they are
 *   unwritten = max(0, promised − stored)              what tenants may still write into what they have
 *   available = max_avail − unwritten                  = min(max_avail, usable − promised), never below 0
 *
 * Pools on the same devices share their space: what the others have written is missing in `max_avail` already, and what they have promised and
 * not yet written is taken off here, each converted by the redundancy of both pools. Data beyond all promises (snapshots, images of no
 * volume) belongs to nobody and is not allocatable. What is promised beyond what there is shows as overcommitted.
 */

/** A pool by Ceph's own figures. */
export interface PoolState {
  readonly storedBytes: number;
  readonly maxAvailBytes: number;
  readonly quotaBytes: number | undefined;
  readonly redundancy: Redundancy;
  /** To volumes of all classes. */
  readonly promisedBytes: number;
}

/** A class that has promised `ownBytes` of the pool. `others` are the other pools on the same devices. */
export function amountOnPool(pool: PoolState, others: readonly PoolState[], ownBytes: number): Amount {
  const { storedBytes, promisedBytes, redundancy } = pool;
  const capacity = storedBytes + writable(pool);
  const ofNobody = Math.max(storedBytes - promisedBytes, 0);
  const ofOtherClasses = promisedBytes - ownBytes;
  const ofOtherPools = others.reduce((sum, other) => sum + converted(unwritten(other), other.redundancy, redundancy), 0);
  return amount(capacity, Math.max(capacity - ofNobody - ofOtherClasses - ofOtherPools, 0), ownBytes);
}

const writable = ({ storedBytes, maxAvailBytes, quotaBytes = Number.POSITIVE_INFINITY }: PoolState): number =>
  Math.min(maxAvailBytes, Math.max(quotaBytes - storedBytes, 0));

/** A pool that has promised more than it can hold cannot take more than it can hold. */
const unwritten = (pool: PoolState): number => Math.min(Math.max(pool.promisedBytes - pool.storedBytes, 0), writable(pool));

/** Data of a pool of one redundancy as the data of another that takes the same raw space. */
function converted(bytes: number, from: Redundancy, to: Redundancy): number {
  return scaled(scaled(bytes, from.raw, from.data, 'up'), to.data, to.raw, 'up');
}

/** A cluster by the figures that Rook keeps of it: raw, and not by pool. */
export interface RawState {
  readonly totalBytes: number;
  readonly usedBytes: number;
  readonly fullRatio: number;
}

/** What one pool has promised. */
export interface PoolPromise {
  readonly redundancy: Redundancy;
  readonly promisedBytes: number;
  readonly quotaBytes: number | undefined;
}

/**
 * The same rule where only the raw figures are known: everything that is used counts as written into what is promised. An upper bound when the
 * hosts are of very different sizes, which only Ceph itself takes into account.
 */
export function amountFromRaw(raw: RawState, pool: PoolPromise, others: readonly PoolPromise[], ownBytes: number): Amount {
  const { redundancy, promisedBytes, quotaBytes = Number.POSITIVE_INFINITY } = pool;
  const rawOf = (promise: PoolPromise): number => scaled(promise.promisedBytes, promise.redundancy.raw, promise.redundancy.data, 'up');
  const inPool = (bytes: number): number => scaled(Math.max(bytes, 0), redundancy.data, redundancy.raw, 'down');
  const limit = Math.floor(raw.totalBytes * raw.fullRatio);
  const promisedRaw = rawOf(pool) + others.reduce((sum, other) => sum + rawOf(other), 0);
  const ofNobody = Math.max(raw.usedBytes - promisedRaw, 0);
  const ofOthers = promisedRaw - scaled(ownBytes, redundancy.raw, redundancy.data, 'up');
  const byQuota = Math.max(quotaBytes - (promisedBytes - ownBytes), 0);
  return amount(Math.min(inPool(limit), quotaBytes), Math.min(inPool(limit - ofNobody - ofOthers), byQuota), ownBytes);
}
