import { wholeBytes } from '../querier/whole-bytes.ts';
import type { LonghornCondition, LonghornDiskSpec, LonghornDiskStatus, LonghornNode, LonghornVolume } from './longhorn-kinds.ts';
import type { DataEngine, SchedulingSettings } from './longhorn-settings.ts';

/** A disk on which Longhorn may put replicas at all. */
export interface LonghornDisk {
  readonly tags: readonly string[];
  readonly engine: DataEngine;
  readonly maximumBytes: number;
  readonly reservedBytes: number;
  readonly availableBytes: number;
  readonly scheduledBytes: number;
}

export interface LonghornNodeFacts {
  readonly name: string;
  readonly zone: string;
  readonly tags: readonly string[];
  /** None while the node itself takes no replicas. */
  readonly disks: readonly LonghornDisk[];
  /** Volume -> bytes of its replicas that have a place on this node, on whichever disk. */
  readonly placed: ReadonlyMap<string, number>;
}

export interface LonghornVolumeFacts {
  readonly name: string;
  /** All of its replicas together. */
  readonly wantedBytes: number;
  readonly isDegraded: boolean;
}

/** Room for replicas on a disk. */
export interface DiskRoom {
  /** When nothing is scheduled yet. */
  readonly limitBytes: number;
  readonly freeBytes: number;
  /** What is scheduled beyond the limit, as after the limit was lowered. */
  readonly excessBytes: number;
}

/** Leaves out what is not ready, not schedulable, closed to replicas or being emptied. */
export function nodeFacts({ metadata, spec, status }: LonghornNode): LonghornNodeFacts {
  const takesReplicas =
    spec?.allowScheduling === true &&
    spec.evictionRequested !== true &&
    isTrue(status?.conditions, 'Ready') &&
    isNotFalse(status?.conditions);
  const disks = Object.entries(spec?.disks ?? {}).flatMap(([name, disk]) => diskFacts(disk, status?.diskStatus?.[name]) ?? []);
  const placed = new Map<string, number>();
  for (const { scheduledReplica } of Object.values(status?.diskStatus ?? {})) {
    for (const [replica, bytes] of Object.entries(scheduledReplica ?? {})) {
      const volume = replica.replace(/-r-[0-9a-z]+$/, '');
      placed.set(volume, (placed.get(volume) ?? 0) + bytes);
    }
  }
  return { name: metadata?.name ?? '', zone: status?.zone ?? '', tags: spec?.tags ?? [], disks: takesReplicas ? disks : [], placed };
}

export function volumeFacts({ metadata, spec, status }: LonghornVolume): LonghornVolumeFacts {
  return {
    name: metadata?.name ?? '',
    wantedBytes: (wholeBytes(spec?.size) ?? 0) * (spec?.numberOfReplicas ?? 0),
    isDegraded: status?.robustness === 'degraded',
  };
}

/** Bytes of replicas that degraded volumes lack and that Longhorn will place again. */
export function missingReplicaBytes(volumes: Iterable<LonghornVolumeFacts>, nodes: readonly LonghornNodeFacts[]): number {
  let missing = 0;
  for (const { name, wantedBytes, isDegraded } of volumes) {
    if (isDegraded) missing += Math.max(wantedBytes - nodes.reduce((sum, { placed }) => sum + (placed.get(name) ?? 0), 0), 0);
  }
  return missing;
}

function diskFacts(spec: LonghornDiskSpec, status: LonghornDiskStatus | undefined): LonghornDisk | undefined {
  if (spec.allowScheduling !== true || spec.evictionRequested === true) return undefined;
  if (status === undefined || !isTrue(status.conditions, 'Ready') || !isTrue(status.conditions, 'Schedulable')) return undefined;
  return {
    tags: spec.tags ?? [],
    engine: spec.diskType === 'block' ? 'v2' : 'v1',
    maximumBytes: status.storageMaximum ?? 0,
    reservedBytes: spec.storageReserved ?? 0,
    availableBytes: status.storageAvailable ?? 0,
    scheduledBytes: status.storageScheduled ?? 0,
  };
}

const isTrue = (conditions: readonly LonghornCondition[] | undefined, type: string): boolean =>
  conditions?.some((condition) => condition.type === type && condition.status === 'True') === true;

/** A node's Schedulable condition exists in newer versions only. */
const isNotFalse = (conditions: readonly LonghornCondition[] | undefined): boolean =>
  conditions?.some(({ type, status }) => type === 'Schedulable' && status === 'False') !== true;

/**
 * Longhorn's own rule: replicas may take their share of what is not reserved, by their full size, written or not; and a disk on which too little
 * is physically free takes no more.
 */
export function roomOn(disk: LonghornDisk, settings: SchedulingSettings): DiskRoom {
  const { maximumBytes, reservedBytes, availableBytes, scheduledBytes } = disk;
  const limitBytes = Math.max(Math.floor(((maximumBytes - reservedBytes) * settings.overProvisioningPercent) / 100), 0);
  const hasFreeSpace = availableBytes > (maximumBytes * settings.minimalAvailablePercent) / 100;
  return {
    limitBytes,
    freeBytes: hasFreeSpace ? Math.max(limitBytes - scheduledBytes, 0) : 0,
    excessBytes: Math.max(scheduledBytes - limitBytes, 0),
  };
}
