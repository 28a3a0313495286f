import type { QuerierContext } from '../querier/querier-context.ts';
import type { CephClusterFacts, CephFilesystemFacts, CephPoolFacts, Redundancy } from './ceph-facts.ts';
import type { CephPlace } from './ceph-place.ts';
import { type PoolPromises, promisesByPool } from './ceph-promises.ts';
import type { CephReport } from './ceph-toolbox.ts';

/** Figures of Ceph itself are preferred to Rook's for this long, also when Rook's are newer. */
const preferReportMs = 300_000;
/** Of pools that nobody describes: Ceph's default. */
const assumedRedundancy: Redundancy = { raw: 3, data: 1 };

/** All that is known of one Ceph cluster at one moment. */
export class CephView {
  readonly cluster: CephClusterFacts;
  /** Undefined without a toolbox, or when it has been silent for so long that Rook knows better. */
  readonly report: CephReport | undefined;
  /** Ceph has yet to say which pools it has beside those that Rook describes. */
  readonly isReportAwaited: boolean;
  readonly #pools: ReadonlyMap<string, CephPoolFacts>; // Ceph's name -> pool
  readonly #filesystems: ReadonlyMap<string, CephFilesystemFacts>; // name -> filesystem
  readonly #promises: ReadonlyMap<string, PoolPromises>; // Ceph's name -> promises

  constructor(
    cluster: CephClusterFacts,
    blockPools: readonly CephPoolFacts[],
    filesystems: readonly CephFilesystemFacts[],
    answer: CephReport | 'awaited' | undefined,
    context: Pick<QuerierContext, 'volumes' | 'classOf' | 'clock'>,
  ) {
    this.cluster = cluster;
    this.#filesystems = new Map(filesystems.map((filesystem) => [filesystem.name, filesystem]));
    const pools = [...blockPools, ...filesystems.flatMap(({ dataPools }) => dataPools)];
    this.#pools = new Map(pools.map((pool) => [pool.name, pool]));
    this.#promises = promisesByPool(context, cluster.namespace, (place) => this.poolOf(place));
    const report = answer === 'awaited' ? undefined : answer;
    this.isReportAwaited = answer === 'awaited';
    const rookAt = cluster.raw?.observedAt ?? Number.NEGATIVE_INFINITY;
    const isPreferred = report !== undefined && (rookAt <= report.observedAt || context.clock.now() - report.observedAt <= preferReportMs);
    this.report = isPreferred ? report : undefined;
  }

  /** Ceph's name of the pool that takes the data. */
  poolOf({ pool, filesystem }: CephPlace): string | undefined {
    return pool ?? this.#filesystems.get(filesystem ?? '')?.dataPools[0]?.name;
  }

  pool(name: string): CephPoolFacts | undefined {
    return this.#pools.get(name);
  }

  promisesOn(pool: string): PoolPromises {
    return this.#promises.get(pool) ?? { totalBytes: 0, byClass: new Map() };
  }

  redundancyOf(pool: string): Redundancy {
    return this.#pools.get(pool)?.redundancy ?? this.report?.pools.get(pool)?.redundancy ?? assumedRedundancy;
  }

  quotaOf(pool: string): number | undefined {
    const quotas = [this.#pools.get(pool)?.quotaBytes, this.report?.pools.get(pool)?.quotaBytes].filter((quota) => quota !== undefined);
    return quotas.length === 0 ? undefined : Math.min(...quotas);
  }

  /** Other pools with promises that draw on the same devices. A pool without a device class draws on all. */
  neighboursOf(pool: string): string[] {
    const own = this.#pools.get(pool)?.deviceClass;
    return [...this.#promises.keys()].filter((other) => {
      if (other === pool) return false;
      const theirs = this.#pools.get(other)?.deviceClass;
      return own === undefined || theirs === undefined || own === theirs;
    });
  }

  /** The name of the space: that of the devices, unless a pool without a device class ties them together. Ceph's own pools do not count. */
  spaceOf(pool: string): string {
    const whole = `ceph/${this.cluster.namespace}`;
    const own = this.#pools.get(pool)?.deviceClass;
    const isTied = [...this.#pools.values()].some(({ name, deviceClass }) => deviceClass === undefined && !name.startsWith('.'));
    return own === undefined || isTied ? whole : `${whole}/${own}`;
  }
}
