import { type KubeObject, resourceType } from '@quartermaster/kube';
import { fields, flag, listOf, mapOf, share, text, whole } from '../../observe/shape.ts';

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

const phase = fields({ phase: text });
const pool = fields({
  name: text,
  deviceClass: text,
  replicated: fields({ size: whole }),
  erasureCoded: fields({ dataChunks: whole, codingChunks: whole }),
  quotas: fields({ maxSize: text, maxBytes: whole }),
});
export const cephClusterShape = fields({
  spec: fields({ storage: fields({ fullRatio: share }) }),
  status: fields({
    phase: text,
    state: text,
    message: text,
    ceph: fields({
      health: text,
      details: mapOf(fields({ message: text, severity: text })),
      capacity: fields({ bytesTotal: whole, bytesUsed: whole, lastUpdated: text }),
    }),
    storage: fields({ deviceClasses: listOf(fields({ name: text })) }),
  }),
});
export const cephBlockPoolShape = fields({ spec: pool, status: phase });
export const cephFilesystemShape = fields({ spec: fields({ dataPools: listOf(pool), preservePoolNames: flag }), status: phase });

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
