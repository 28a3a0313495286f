import type { KubeObject } from '@quartermaster/kube';
import { gib } from './operator-cluster.ts';

export interface Sample {
  /** Of the list, with the selector of whoever asks for a part. */
  readonly path: string;
  /** As completeness calls it. */
  readonly source: string;
  readonly object: KubeObject & { readonly [field: string]: unknown };
}

export const time = '2026-01-01T00:00:00Z';
export const condition = { type: 'Ready', status: 'True', reason: 'Fine', message: 'is fine', lastTransitionTime: time };
export const namespaced = (namespace: string, more: object = {}) => ({ name: 'sample', namespace, uid: 'u', ...more });
const rook = 'rook-ceph';
const pool = {
  name: 'p',
  deviceClass: 'ssd',
  replicated: { size: 3 },
  erasureCoded: { dataChunks: 4, codingChunks: 2 },
  quotas: { maxSize: '1Ti', maxBytes: gib },
};

/** A good object of every kind from which classes and promises are read. */
export const storageSamples: readonly Sample[] = [
  {
    path: '/apis/storage.k8s.io/v1/storageclasses',
    source: 'storage-classes',
    object: {
      metadata: { name: 'sample', uid: 'u', labels: { 'akash.network': 'true' }, annotations: { a: 'b' } },
      provisioner: 'rook-ceph.rbd.csi.ceph.com',
      parameters: { clusterID: rook, pool: 'mutant-0' },
    },
  },
  {
    path: '/api/v1/persistentvolumes',
    source: 'persistent-volumes',
    object: {
      metadata: {
        name: 'sample',
        uid: 'u',
        annotations: { 'pv.kubernetes.io/provisioned-by': 'rancher.io/local-path' },
        creationTimestamp: time,
      },
      spec: {
        storageClassName: 'mutant-0',
        capacity: { storage: '10Gi' },
        hostPath: { path: '/opt/local-path-provisioner/a' },
        local: { path: '/opt/local-path-provisioner/a' },
        csi: { driver: 'rook-ceph.rbd.csi.ceph.com', volumeAttributes: { clusterID: rook, pool: 'mutant-0' } },
        claimRef: { uid: 'u' },
        nodeAffinity: {
          required: {
            nodeSelectorTerms: [
              {
                matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['sample'] }],
                matchFields: [{ key: 'metadata.name', operator: 'In', values: ['sample'] }],
              },
            ],
          },
        },
      },
    },
  },
  {
    path: '/api/v1/persistentvolumeclaims',
    source: 'persistent-volume-claims',
    object: {
      metadata: namespaced('lease-1', {
        labels: { 'akash.network/lease.id.dseq': '7' },
        annotations: { 'volume.kubernetes.io/selected-node': 'sample' },
        deletionTimestamp: time,
      }),
      spec: { storageClassName: 'mutant-0', volumeName: '', resources: { requests: { storage: '10Gi' } } },
    },
  },
  {
    path: '/apis/storage.k8s.io/v1/csistoragecapacities',
    source: 'csi-storage-capacities',
    object: {
      metadata: namespaced('csi'),
      storageClassName: 'mutant-1',
      nodeTopology: {
        matchLabels: { 'kubernetes.io/hostname': 'sample' },
        matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }],
      },
      capacity: '10Gi',
      maximumVolumeSize: '5Gi',
    },
  },
  {
    path: '/apis/ceph.rook.io/v1/cephclusters',
    source: 'ceph-clusters',
    object: {
      metadata: namespaced(rook),
      spec: { storage: { fullRatio: 0.9 } },
      status: {
        phase: 'Ready',
        state: 'Created',
        message: 'fine',
        ceph: {
          health: 'HEALTH_ERR',
          details: { CHECK: { message: 'ill', severity: 'HEALTH_ERR' } },
          capacity: { bytesTotal: 3000 * gib, bytesUsed: 300 * gib, lastUpdated: time },
        },
        storage: { deviceClasses: [{ name: 'ssd' }] },
      },
    },
  },
  {
    path: '/apis/ceph.rook.io/v1/cephblockpools',
    source: 'ceph-block-pools',
    object: {
      metadata: namespaced(rook),
      spec: pool,
      status: { phase: 'Ready' },
    },
  },
  {
    path: '/apis/ceph.rook.io/v1/cephfilesystems',
    source: 'ceph-filesystems',
    object: {
      metadata: namespaced(rook),
      spec: { dataPools: [pool], preservePoolNames: true },
      status: { phase: 'Ready' },
    },
  },
  {
    path: '/api/v1/pods?app=rook-ceph-tools',
    source: 'ceph-toolbox',
    object: {
      metadata: namespaced(rook, { deletionTimestamp: time }),
      status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'False' }] },
    },
  },
  {
    path: '/apis/longhorn.io/v1beta2/nodes',
    source: 'longhorn-nodes',
    object: {
      metadata: namespaced('longhorn-system'),
      spec: {
        allowScheduling: true,
        evictionRequested: false,
        tags: ['a'],
        disks: {
          d: { path: '/d', allowScheduling: true, evictionRequested: false, storageReserved: 1, diskType: 'filesystem', tags: ['ssd'] },
        },
      },
      status: {
        conditions: [condition],
        zone: 'z',
        diskStatus: {
          d: {
            storageAvailable: gib,
            storageMaximum: 2 * gib,
            storageScheduled: 0,
            scheduledReplica: { 'volume-r-1': 1024 },
            conditions: [condition, { ...condition, type: 'Schedulable' }],
          },
        },
      },
    },
  },
  {
    path: '/apis/longhorn.io/v1beta2/volumes',
    source: 'longhorn-volumes',
    object: { metadata: namespaced('longhorn-system'), spec: { size: '1024', numberOfReplicas: 2 }, status: { robustness: 'degraded' } },
  },
  {
    path: '/apis/longhorn.io/v1beta2/settings',
    source: 'longhorn-settings',
    object: { metadata: namespaced('longhorn-system'), value: '100' },
  },
  {
    path: '/api/v1/configmaps?metadata.name=local-path-config',
    source: 'local-path-config',
    object: {
      metadata: namespaced('local-path-storage'),
      data: { 'config.json': '{"nodePathMap":[{"node":"DEFAULT_PATH_FOR_NON_LISTED_NODES","paths":["/opt/local-path-provisioner"]}]}' },
    },
  },
];
