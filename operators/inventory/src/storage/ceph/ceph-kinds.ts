import { type KubeObject, resourceType } from '@quartermaster/kube';
import { flag, identity, listOf, mapOf, object, optional, type Read, type Shape, share, text, whole } from '../../observe/shape.ts';

/* The parts of Rook's objects that we read. Numbers that are zero are left out by Rook. */

export interface CephCluster extends KubeObject {
  readonly spec?: { readonly storage?: { readonly fullRatio?: number } };
  readonly status?: {
    readonly phase?: string;
    readonly state?: string;
    readonly message?: string;
    readonly ceph?: {
      readonly health?: string;
      readonly details?: Readonly<Record<string, { readonly message?: string; readonly severity?: string }>>;
      readonly capacity?: {
        readonly bytesTotal?: number;
        readonly bytesUsed?: number;
        readonly lastUpdated?: string;
      };
    };
    readonly storage?: { readonly deviceClasses?: readonly { readonly name?: string }[] };
  };
}

export interface CephPoolSpec {
  /** The pool's name in Ceph, where it differs from the object's. */
  readonly name?: string;
  readonly deviceClass?: string | undefined;
  readonly replicated?: { readonly size?: number };
  readonly erasureCoded?: { readonly dataChunks?: number; readonly codingChunks?: number };
  readonly quotas?: { readonly maxSize?: string; readonly maxBytes?: number };
}

export interface CephBlockPool extends KubeObject {
  readonly spec?: CephPoolSpec;
  readonly status?: { readonly phase?: string };
}

export interface CephFilesystem extends KubeObject {
  readonly spec?: { readonly dataPools?: readonly CephPoolSpec[]; readonly preservePoolNames?: boolean };
  readonly status?: { readonly phase?: string };
}

type CephStatus = NonNullable<NonNullable<CephCluster['status']>['ceph']>;
const phase = optional(object<{ readonly phase?: string }>({ phase: optional(text) }));
const pool = object<CephPoolSpec>({
  name: optional(text),
  deviceClass: optional(text),
  replicated: optional(object({ size: optional(whole) })),
  erasureCoded: optional(object({ dataChunks: optional(whole), codingChunks: optional(whole) })),
  quotas: optional(object({ maxSize: optional(text), maxBytes: optional(whole) })),
});
const ceph = object<CephStatus>({
  health: optional(text),
  details: optional(mapOf(object<NonNullable<CephStatus['details']>[string]>({ message: optional(text), severity: optional(text) }))),
  capacity: optional(object({ bytesTotal: optional(whole), bytesUsed: optional(whole), lastUpdated: optional(text) })),
});
export const cephClusterShape: Shape<Read<CephCluster>> = object({
  metadata: identity,
  spec: optional(object({ storage: optional(object({ fullRatio: optional(share) })) })),
  status: optional(
    object({
      phase: optional(text),
      state: optional(text),
      message: optional(text),
      ceph: optional(ceph),
      storage: optional(object({ deviceClasses: optional(listOf(object<{ readonly name?: string }>({ name: optional(text) }))) })),
    }),
  ),
});
export const cephBlockPoolShape: Shape<Read<CephBlockPool>> = object({ metadata: identity, spec: optional(pool), status: phase });
export const cephFilesystemShape: Shape<Read<CephFilesystem>> = object({
  metadata: identity,
  spec: optional(object<NonNullable<CephFilesystem['spec']>>({ dataPools: optional(listOf(pool)), preservePoolNames: optional(flag) })),
  status: phase,
});

const group = 'ceph.rook.io';
const version = 'v1';

export const cephClusters = resourceType<CephCluster>({ group, version, kind: 'CephCluster', plural: 'cephclusters', namespaced: true });
export const cephBlockPools = resourceType<CephBlockPool>({
  group,
  version,
  kind: 'CephBlockPool',
  plural: 'cephblockpools',
  namespaced: true,
});
export const cephFilesystems = resourceType<CephFilesystem>({
  group,
  version,
  kind: 'CephFilesystem',
  plural: 'cephfilesystems',
  namespaced: true,
});
