import { type KubeObject, resourceType } from '@quartermaster/kube';
import { fields, flag, listOf, mapOf, quantity, text, whole } from '../../observe/shape.ts';

/* The parts of Longhorn's objects that we read. */

export interface LonghornCondition {
  readonly type?: string;
  readonly status?: string;
}

export interface LonghornDiskSpec {
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

const conditions = listOf(fields({ type: text, status: text }));
const disk = fields({ allowScheduling: flag, evictionRequested: flag, storageReserved: whole, diskType: text, tags: listOf(text) });
const diskStatus = fields({
  storageAvailable: whole,
  storageMaximum: whole,
  storageScheduled: whole,
  scheduledReplica: mapOf(whole),
  conditions,
});
export const longhornNodeShape = fields({
  spec: fields({ allowScheduling: flag, evictionRequested: flag, tags: listOf(text), disks: mapOf(disk) }),
  status: fields({ conditions, diskStatus: mapOf(diskStatus), zone: text }),
});
export const longhornVolumeShape = fields({
  spec: fields({ size: quantity, numberOfReplicas: whole }),
  status: fields({ robustness: text }),
});
export const longhornSettingShape = fields({ value: text });

const group = 'longhorn.io';
const version = 'v1beta2';

export const longhornNodes = resourceType<LonghornNode>({ group, version, kind: 'Node', plural: 'nodes', namespaced: true });
export const longhornVolumes = resourceType<LonghornVolume>({ group, version, kind: 'Volume', plural: 'volumes', namespaced: true });
export const longhornSettings = resourceType<LonghornSetting>({ group, version, kind: 'Setting', plural: 'settings', namespaced: true });
