import type { Amount } from '../../model/amount.ts';
import type { Reason } from '../../model/node-inventory.ts';
import type { StorageClassFacts, StorageReading } from '../../model/storage-inventory.ts';
import { performanceOfDevices } from '../querier/performance-class.ts';
import { noFigures, storageReason } from '../querier/storage-reasons.ts';
import { amountFromRaw, amountOnPool, type PoolPromise, type PoolState } from './ceph-amounts.ts';
import type { CephPlace } from './ceph-place.ts';
import type { CephReport } from './ceph-toolbox.ts';
import type { CephView } from './ceph-view.ts';

type Figures = { readonly amount: Amount; readonly observedAt: number } | { readonly reason: Reason };

/** What one class on one Ceph cluster can hold. Pure: all that it knows is in the view. */
export function readCephClass(storageClass: StorageClassFacts, place: CephPlace, view: CephView, heardAt: number): StorageReading {
  const { cluster } = view;
  const where = `the Ceph cluster in namespace ${cluster.namespace}`;
  const poolName = view.poolOf(place);
  if (poolName === undefined) return missingPlace(storageClass, place, where);
  const pool = view.pool(poolName);
  if (pool === undefined && view.isReportAwaited) {
    const what = `${where} has not said yet whether it has a pool ${poolName}, which class ${storageClass.name} names`;
    return noFigures('CapacityUnknown', what, 'see whether its toolbox answers');
  }
  if (pool === undefined && view.report?.pools.has(poolName) !== true) {
    return noFigures('PoolMissing', `${where} has no pool ${poolName}, which class ${storageClass.name} names`);
  }
  const own = view.promisesOn(poolName).byClass.get(storageClass.name) ?? { bytes: 0, places: [] };
  const figures = fromReport(view, poolName, own.bytes) ?? fromRook(view, poolName, own.bytes, heardAt);
  if ('reason' in figures) return { known: false, reason: figures.reason };

  const performance = performanceOfDevices(pool?.deviceClass === undefined ? cluster.deviceClasses : [pool.deviceClass]);
  const illness = cluster.illness ?? (pool?.phase === 'Failure' ? `cannot maintain pool ${poolName}` : undefined);
  return {
    known: true,
    ...figures,
    counted: new Map(own.places.map((each) => [each, ''])),
    space: view.spaceOf(poolName),
    replicas: pool?.replicas,
    performance,
    refusal: illness === undefined ? undefined : storageReason('BackendUnhealthy', `${where} ${illness}`),
  };
}

function missingPlace({ name }: StorageClassFacts, { filesystem }: CephPlace, where: string): StorageReading {
  if (filesystem === undefined) return noFigures('PoolMissing', `class ${name} names no pool in its parameters`);
  return noFigures('PoolMissing', `${where} has no filesystem ${filesystem} with a data pool, which class ${name} names`);
}

function fromReport(view: CephView, poolName: string, own: number): Figures | undefined {
  const { report } = view;
  const state = report === undefined ? undefined : stateOf(view, report, poolName);
  if (report === undefined || state === undefined) return undefined;
  const others = view.neighboursOf(poolName).flatMap((other) => stateOf(view, report, other) ?? []);
  return { amount: amountOnPool(state, others, own), observedAt: report.observedAt };
}

function stateOf(view: CephView, report: CephReport, pool: string): PoolState | undefined {
  const usage = report.pools.get(pool);
  if (usage === undefined) return undefined;
  return {
    storedBytes: usage.storedBytes,
    maxAvailBytes: usage.maxAvailBytes,
    quotaBytes: view.quotaOf(pool),
    redundancy: view.redundancyOf(pool),
    promisedBytes: view.promisesOn(pool).totalBytes,
  };
}

function fromRook(view: CephView, poolName: string, own: number, heardAt: number): Figures {
  const { raw, fullRatio, namespace, deviceClasses } = view.cluster;
  const askToolbox = 'run the toolbox deployment rook-ceph-tools there, so that Ceph itself can be asked';
  const unknown = (what: string): Figures => ({
    reason: storageReason('CapacityUnknown', `the CephCluster in namespace ${namespace} ${what}`, askToolbox),
  });
  if (raw === undefined) return unknown('reports no capacity yet');
  if (raw.totalBytes === 0) return unknown('reports a capacity of nothing, as it does without an OSD that is up');
  const pool = view.pool(poolName);
  if (pool?.redundancy === undefined) return unknown(`does not tell how pool ${poolName} is replicated`);
  if (pool.deviceClass !== undefined && deviceClasses.length > 1) {
    return unknown(
      `reports one capacity for its device classes ${deviceClasses.join(', ')}, and pool ${poolName} uses ${pool.deviceClass} only`,
    );
  }
  const promiseOf = (name: string): PoolPromise => ({
    redundancy: view.redundancyOf(name),
    quotaBytes: view.quotaOf(name),
    promisedBytes: view.promisesOn(name).totalBytes,
  });
  const others = view.neighboursOf(poolName).map(promiseOf);
  return { amount: amountFromRaw({ ...raw, fullRatio }, promiseOf(poolName), others, own), observedAt: raw.observedAt ?? heardAt };
}
