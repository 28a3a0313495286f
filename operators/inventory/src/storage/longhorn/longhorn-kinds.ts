import { type KubeObject, resourceType } from '@quartermaster/kube';
import { flag, identity, listOf, mapOf, object, optional, quantity, type Read, type Shape, text, whole } from '../../observe/shape.ts';

/* The parts of Longhorn's objects that we read. */

export interface LonghornCondition {
  readonly type?: string;
  readonly status?: string;
}

export interface LonghornDiskSpec {
  /** A folder, or a device where the type is `block`. */
  readonly path?: string;
  readonly allowScheduling?: boolean;
  readonly evictionRequested?: boolean;
  readonly storageReserved?: number;
  readonly diskType?: string;
  readonly tags?: readonly string[];
}

export interface LonghornDiskStatus {
  readonly storageAvailable?: number;
  readonly storageMaximum?: number;
  readonly storageScheduled?: number;
  /** Replica -> bytes. */
  readonly scheduledReplica?: Readonly<Record<string, number>>;
  readonly conditions?: readonly LonghornCondition[];
}

export interface LonghornNode extends KubeObject {
  readonly spec?: {
    readonly allowScheduling?: boolean;
    readonly evictionRequested?: boolean;
    readonly tags?: readonly string[];
    readonly disks?: Readonly<Record<string, LonghornDiskSpec>>;
  };
  readonly status?: {
    readonly conditions?: readonly LonghornCondition[];
    readonly diskStatus?: Readonly<Record<string, LonghornDiskStatus>>;
    readonly zone?: string;
  };
}

export interface LonghornVolume extends KubeObject {
  /** The size is in bytes. */
  readonly spec?: { readonly size?: string; readonly numberOfReplicas?: number };
  readonly status?: { readonly robustness?: string };
}

/** The object's name is the key. */
export interface LonghornSetting extends KubeObject {
  readonly value?: string;
}

const conditions = optional(listOf(object<LonghornCondition>({ type: optional(text), status: optional(text) })));
const disk = object<LonghornDiskSpec>({
  path: optional(text),
  allowScheduling: optional(flag),
  evictionRequested: optional(flag),
  storageReserved: optional(whole),
  diskType: optional(text),
  tags: optional(listOf(text)),
});
const diskStatus = object<LonghornDiskStatus>({
  storageAvailable: optional(whole),
  storageMaximum: optional(whole),
  storageScheduled: optional(whole),
  scheduledReplica: optional(mapOf(whole)),
  conditions,
});
export const longhornNodeShape: Shape<Read<LonghornNode>> = object({
  metadata: identity,
  spec: optional(
    object<NonNullable<LonghornNode['spec']>>({
      allowScheduling: optional(flag),
      evictionRequested: optional(flag),
      tags: optional(listOf(text)),
      disks: optional(mapOf(disk)),
    }),
  ),
  status: optional(
    object<NonNullable<LonghornNode['status']>>({ conditions, diskStatus: optional(mapOf(diskStatus)), zone: optional(text) }),
  ),
});
export const longhornVolumeShape: Shape<Read<LonghornVolume>> = object({
  metadata: identity,
  spec: optional(object({ size: optional(quantity), numberOfReplicas: optional(whole) })),
  status: optional(object({ robustness: optional(text) })),
});
export const longhornSettingShape: Shape<Read<LonghornSetting>> = object({ metadata: identity, value: optional(text) });

const group = 'longhorn.io';
const version = 'v1beta2';

export const longhornNodes = resourceType<LonghornNode>({ group, version, kind: 'Node', plural: 'nodes', namespaced: true });
export const longhornVolumes = resourceType<LonghornVolume>({ group, version, kind: 'Volume', plural: 'volumes', namespaced: true });
export const longhornSettings = resourceType<LonghornSetting>({ group, version, kind: 'Setting', plural: 'settings', namespaced: true });
