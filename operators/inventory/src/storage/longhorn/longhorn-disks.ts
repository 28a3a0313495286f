import { wholeBytes } from '../querier/whole-bytes.ts';
import type { LonghornCondition, LonghornDiskSpec, LonghornDiskStatus, LonghornNode, LonghornVolume } from './longhorn-kinds.ts';
import type { DataEngine, SchedulingSettings } from './longhorn-settings.ts';

export interface LonghornDisk {
  /** Empty where it names none. */
  readonly path: string;
  readonly tags: readonly string[];
  readonly engine: DataEngine;
  /** 0 while it is not ready: Longhorn then tells neither its size nor its replicas, which are still there. */
  readonly maximumBytes: number;
  readonly reservedBytes: number;
  readonly availableBytes: number;
  readonly scheduledBytes: number;
  /** Closed by a person, or being emptied, itself or with its node: no replica comes there until that is taken back. */
  readonly isShut: boolean;
}

export interface LonghornNodeFacts {
  readonly name: string;
  readonly zone: string;
  readonly tags: readonly string[];
  /** Those of `allDisks` on which Longhorn may put replicas: none while the node itself takes no more. */
  readonly disks: readonly LonghornDisk[];
  /** All of them: what is closed still holds replicas. */
  readonly allDisks: readonly LonghornDisk[];
  /** Volume -> bytes of its replicas that have a place on this node, on whichever disk. */
  readonly placed: ReadonlyMap<string, number>;
}

export interface LonghornVolumeFacts {
  readonly name: string;
  /** All of its replicas together. */
  readonly wantedBytes: number;
  /** Whether Longhorn has yet to place replicas, as far as it says: of a new volume, it says nothing or that it does not know. */
  readonly mayLackReplicas: boolean;
}

/** Room for replicas on a disk. */
export interface DiskRoom {
  /** When nothing is scheduled yet, nor promised to others. */
  readonly limitBytes: number;
  readonly freeBytes: number;
  /** What is scheduled beyond the limit, as after the limit was lowered. */
  readonly excessBytes: number;
}

/** Leaves out what is not ready, not schedulable, closed to replicas or being emptied. */
export function nodeFacts({ metadata, spec, status }: LonghornNode): LonghornNodeFacts {
  const takesReplicas = !isShutBy(spec) && isTrue(status?.conditions, 'Ready') && isNotFalse(status?.conditions);
  const entries = Object.entries(spec?.disks ?? {}).map(([name, disk]) => {
    const diskStatus = status?.diskStatus?.[name];
    const isShut = isShutBy(spec) || isShutBy(disk);
    return { facts: { ...diskFacts(disk, diskStatus), isShut }, isOpen: takesReplicas && isOpen(disk, diskStatus) };
  });
  const placed = new Map<string, number>();
  for (const { scheduledReplica } of Object.values(status?.diskStatus ?? {})) {
    for (const [replica, bytes] of Object.entries(scheduledReplica ?? {})) {
      const volume = replica.replace(/-r-[0-9a-z]+$/, '');
      placed.set(volume, (placed.get(volume) ?? 0) + bytes);
    }
  }
  return {
    name: metadata?.name ?? '',
    zone: status?.zone ?? '',
    tags: spec?.tags ?? [],
    disks: entries.filter((each) => each.isOpen).map(({ facts }) => facts),
    allDisks: entries.map(({ facts }) => facts),
    placed,
  };
}

export function volumeFacts({ metadata, spec, status }: LonghornVolume): LonghornVolumeFacts {
  return {
    name: metadata?.name ?? '',
    wantedBytes: (wholeBytes(spec?.size) ?? 0) * (spec?.numberOfReplicas ?? 0),
    mayLackReplicas: status?.robustness !== 'healthy' && status?.robustness !== 'faulted',
  };
}

/** Bytes of replicas that new and degraded volumes lack and that Longhorn will place: its nodes do not say yet that they have them. */
export function missingReplicaBytes(volumes: Iterable<LonghornVolumeFacts>, nodes: readonly LonghornNodeFacts[]): number {
  let missing = 0;
  for (const { name, wantedBytes, mayLackReplicas } of volumes) {
    if (mayLackReplicas) missing += Math.max(wantedBytes - nodes.reduce((sum, { placed }) => sum + (placed.get(name) ?? 0), 0), 0);
  }
  return missing;
}

function isOpen(disk: LonghornDiskSpec, status: LonghornDiskStatus | undefined): boolean {
  if (isShutBy(disk)) return false;
  return isTrue(status?.conditions, 'Ready') && isTrue(status?.conditions, 'Schedulable');
}

const isShutBy = (spec: Pick<LonghornDiskSpec, 'allowScheduling' | 'evictionRequested'> | undefined): boolean =>
  spec?.allowScheduling !== true || spec.evictionRequested === true;

function diskFacts(disk: LonghornDiskSpec, diskStatus: LonghornDiskStatus | undefined): Omit<LonghornDisk, 'isShut'> {
  return {
    path: disk.path ?? '',
    tags: disk.tags ?? [],
    engine: disk.diskType === 'block' ? 'v2' : 'v1',
    maximumBytes: diskStatus?.storageMaximum ?? 0,
    reservedBytes: disk.storageReserved ?? 0,
    availableBytes: diskStatus?.storageAvailable ?? 0,
    scheduledBytes: diskStatus?.storageScheduled ?? 0,
  };
}

const isTrue = (conditions: readonly LonghornCondition[] | undefined, type: string): boolean =>
  conditions?.some((condition) => condition.type === type && condition.status === 'True') === true;

/** A node's Schedulable condition exists in newer versions only. */
const isNotFalse = (conditions: readonly LonghornCondition[] | undefined): boolean =>
  conditions?.some(({ type, status }) => type === 'Schedulable' && status === 'False') !== true;

/**
 * Longhorn's own rule: replicas may take their share of what is not reserved, by their full size, written or not; and a disk on which too little
 * is physically free takes no more. What is reserved is for others: what they were promised of the disk counts only where it is more.
 */
export function roomOn(disk: LonghornDisk, settings: SchedulingSettings, othersBytes: number): DiskRoom {
  const { maximumBytes, reservedBytes, availableBytes, scheduledBytes } = disk;
  const limitBeside = (keptBytes: number): number =>
    Math.max(Math.floor(((maximumBytes - keptBytes) * settings.overProvisioningPercent) / 100), 0);
  const openBytes = limitBeside(Math.max(reservedBytes, othersBytes));
  const hasFreeSpace = availableBytes > (maximumBytes * settings.minimalAvailablePercent) / 100;
  return {
    limitBytes: limitBeside(reservedBytes),
    freeBytes: hasFreeSpace ? Math.max(openBytes - scheduledBytes, 0) : 0,
    excessBytes: Math.max(scheduledBytes - openBytes, 0),
  };
}
