import { knownTime } from '../../model/known-time.ts';
import { wholeBytes } from '../querier/whole-bytes.ts';
import type { CephBlockPool, CephCluster, CephFilesystem, CephPoolSpec } from './ceph-kinds.ts';

/** How many raw bytes so many bytes of data take: 3 of 1 when replicated three times, 6 of 4 when erasure-coded 4+2. */
export interface Redundancy {
  readonly raw: number;
  readonly data: number;
}

export interface CephClusterFacts {
  readonly name: string;
  readonly namespace: string;
  /** Why nothing should be put on it now; undefined when it works, possibly with warnings. */
  readonly illness: string | undefined;
  /** The share of the raw space that Ceph lets be written. */
  readonly fullRatio: number;
  readonly deviceClasses: readonly string[];
  readonly raw: RawCapacity | undefined;
}

/** Of the whole cluster, before redundancy. */
export interface RawCapacity {
  readonly totalBytes: number;
  readonly usedBytes: number;
  readonly observedAt: number | undefined;
}

/** A pool that holds data of volumes. */
export interface CephPoolFacts {
  /** As Ceph calls it. */
  readonly name: string;
  readonly namespace: string;
  readonly redundancy: Redundancy | undefined;
  readonly replicas: number | undefined;
  readonly deviceClass: string | undefined;
  readonly quotaBytes: number | undefined;
  readonly phase: string;
}

export interface CephFilesystemFacts {
  readonly name: string;
  readonly namespace: string;
  /** The first is the one that takes what names no pool. */
  readonly dataPools: readonly CephPoolFacts[];
}

/** Ceph's own default. */
const defaultFullRatio = 0.95;
const illPhases: ReadonlySet<string> = new Set(['Failure', 'Deleting']);

export function clusterFacts({ metadata, spec, status }: CephCluster): CephClusterFacts {
  const capacity = status?.ceph?.capacity;
  return {
    name: metadata?.name ?? '',
    namespace: metadata?.namespace ?? '',
    illness: illnessOf(status),
    fullRatio: spec?.storage?.fullRatio ?? defaultFullRatio,
    deviceClasses: (status?.storage?.deviceClasses ?? []).flatMap(({ name }) => name ?? []),
    raw:
      capacity === undefined
        ? undefined
        : {
            totalBytes: capacity.bytesTotal ?? 0,
            usedBytes: capacity.bytesUsed ?? 0,
            observedAt: knownTime(capacity.lastUpdated),
          },
  };
}

function illnessOf(status: CephCluster['status']): string | undefined {
  const { phase = '', state = '', message = '' } = status ?? {};
  if (illPhases.has(phase) || state === 'Error')
    return `is in phase ${phase === '' ? state : phase}${message === '' ? '' : ` (${message})`}`;
  if (status?.ceph?.health !== 'HEALTH_ERR') return undefined;
  const errors = Object.entries(status.ceph.details ?? {}).filter(([, { severity }]) => severity === 'HEALTH_ERR');
  const text = errors.map(([check, detail]) => `${check}: ${detail.message ?? ''}`).join('; ');
  return `reports HEALTH_ERR${text === '' ? '' : ` (${text})`}`;
}

export function blockPoolFacts({ metadata, spec, status }: CephBlockPool): CephPoolFacts {
  return poolFacts(spec ?? {}, spec?.name ?? metadata?.name ?? '', metadata?.namespace ?? '', status?.phase ?? '');
}

export function filesystemFacts({ metadata, spec, status }: CephFilesystem): CephFilesystemFacts {
  const name = metadata?.name ?? '';
  const namespace = metadata?.namespace ?? '';
  const dataPools = (spec?.dataPools ?? []).map((pool, index) => {
    const given = pool.name ?? `data${index}`;
    const poolName = spec?.preservePoolNames === true && pool.name !== undefined ? given : `${name}-${given}`;
    return poolFacts(pool, poolName, namespace, status?.phase ?? '');
  });
  return { name, namespace, dataPools };
}

function poolFacts(spec: CephPoolSpec, name: string, namespace: string, phase: string): CephPoolFacts {
  return {
    name,
    namespace,
    phase,
    redundancy: redundancyOf(spec),
    replicas: positive(spec.replicated?.size),
    deviceClass: spec.deviceClass === '' ? undefined : spec.deviceClass,
    quotaBytes: positive(wholeBytes(spec.quotas?.maxSize)) ?? positive(spec.quotas?.maxBytes),
  };
}

function redundancyOf({ replicated, erasureCoded }: CephPoolSpec): Redundancy | undefined {
  const data = positive(erasureCoded?.dataChunks);
  if (data !== undefined) return { raw: data + (erasureCoded?.codingChunks ?? 0), data };
  const size = positive(replicated?.size);
  return size === undefined ? undefined : { raw: size, data: 1 };
}

const positive = (value: number | undefined): number | undefined => (value !== undefined && value > 0 ? value : undefined);
