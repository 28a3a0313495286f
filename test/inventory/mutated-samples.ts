import { gzipSync } from 'node:zlib';
import type { GpuFacts } from '@quartermaster/api/node-hardware';
import { discoveryName } from '@quartermaster/inventory/discovery';
import { ramInRequestsAnnotation } from '@quartermaster/kube';
import { condition, namespaced, type Sample, storageSamples, time } from './mutated-storage-samples.ts';
import { gib, hardwareOf, operatorNamespace } from './operator-cluster.ts';

const container = { name: 'main', restartPolicy: 'Always', resources: { requests: { cpu: '500m', memory: '1Gi', 'nvidia.com/gpu': '1' } } };
const containerStatus = { name: 'main', allocatedResources: { cpu: '1' }, resources: { requests: { cpu: '1' } } };

const card: Required<GpuFacts> = {
  pciAddress: '0000:0b:00.0',
  vendorId: '10de',
  productId: '2330',
  uuid: 'GPU-sample-0',
  name: 'NVIDIA H100 80GB HBM3',
  memoryBytes: 80 * gib,
  interface: 'SXM',
  driver: 'nvidia',
  driverVersion: '580.1.0',
  cudaVersion: '13.0',
  computeCapability: '9.0',
  numaNode: 0,
  minor: 0,
  nvlinks: 18,
  nvlinkGroup: 0,
  mig: { enabled: true, instances: [{ uuid: 'MIG-sample-0', profile: '1g.10gb', memoryBytes: 10 * gib }], profiles: ['1g.10gb'] },
  health: { state: 'unhealthy', reason: 'Xid 79', code: 'XidError', since: time, xids: [79], bootId: 'b' },
};
const counters = { memory: { value: '80Gi' } };
const ofDevice = {
  nodeName: 'sample',
  attributes: {
    uuid: { string: 'GPU-of-sample' },
    productName: { string: 'NVIDIA H100' },
    driverVersion: { version: '1.0.0' },
    index: { int: 0 },
    healthy: { bool: true },
  },
  capacity: { memory: { value: '80Gi' } },
  taints: [{ key: 'a', value: 'b', effect: 'NoSchedule' }],
  consumesCounters: [{ counterSet: 'card', counters }],
};

/** A good object of every kind from which the inventory is made. */
export const samples: readonly Sample[] = [
  {
    path: '/api/v1/nodes',
    source: 'nodes',
    object: {
      metadata: {
        name: 'sample',
        uid: 'u',
        labels: { 'kubernetes.io/hostname': 'sample', 'nvidia.com/gpu.product': 'NVIDIA-H100' },
        deletionTimestamp: time,
      },
      spec: { unschedulable: false, taints: [{ key: 'a', value: 'b', effect: 'NoSchedule' }] },
      status: {
        capacity: { cpu: '64', memory: '512Gi', 'ephemeral-storage': '1000Gi', pods: '110', 'nvidia.com/gpu': '8' },
        allocatable: { cpu: '63', memory: '500Gi', 'ephemeral-storage': '900Gi', pods: '110', 'nvidia.com/gpu': '8' },
        conditions: [condition, { ...condition, type: 'MemoryPressure', status: 'False' }],
        nodeInfo: { systemUUID: '4c4c4544-0044-4c10-8033-b7c04f4d4c32' },
      },
    },
  },
  {
    path: '/api/v1/namespaces',
    source: 'namespaces',
    object: { metadata: { name: 'sample', uid: 'u', labels: { 'akash.network/lease.id.dseq': '7' } } },
  },
  {
    path: '/api/v1/pods',
    source: 'pods',
    object: {
      metadata: namespaced('lease-1', {
        labels: { 'akash.network/lease.id.dseq': '7', 'akash.network/manifest-service': 'web' },
        annotations: { [ramInRequestsAnnotation]: 'true' },
        creationTimestamp: time,
      }),
      spec: {
        nodeName: 'sample',
        containers: [container],
        initContainers: [container],
        overhead: { cpu: '10m' },
        resources: { requests: { cpu: '2' } },
        volumes: [{ name: 'ram', emptyDir: { medium: 'Memory', sizeLimit: '1Gi' } }],
      },
      status: {
        phase: 'Running',
        conditions: [{ type: 'PodResizePending', reason: 'Infeasible' }],
        containerStatuses: [containerStatus],
        initContainerStatuses: [containerStatus],
        allocatedResources: { cpu: '1' },
        resources: { requests: { cpu: '2' } },
      },
    },
  },
  {
    path: '/apis/quartermaster.dev/v1alpha1/nodehardwares',
    source: 'hardware',
    object: {
      metadata: { name: 'sample', uid: 'u' },
      spec: {
        ...hardwareOf('sample'),
        nodeUid: 'uid-of-sample',
        machine: { hostname: 'sample', manufacturer: 'm', product: 'p', serial: 's', systemUuid: 'u', kernel: '6.8.0' },
        memory: { totalBytes: gib, modules: [{ slot: 'A1', type: 'DDR5', sizeBytes: gib, speedMtps: 4800, manufacturer: 'm' }] },
        gpus: [card, { ...card, pciAddress: '0000:1b:00.0', uuid: 'GPU-sample-1', mig: undefined }],
        disks: [{ name: 'sda', kind: 'ssd', sizeBytes: gib, model: 'm', serial: 's' }],
        nics: [
          {
            name: 'eth0',
            mac: '02:00:00:00:00:01',
            pciAddress: '0000:2b:00.0',
            driver: 'mlx5_core',
            speedMbps: 1000,
            isUp: true,
            rdmaDevice: 'mlx5_0',
          },
        ],
        filesystems: [
          { path: '/opt/local-path-provisioner', sizeBytes: gib, device: '8:1', usedBytes: 4096, folderBytes: 1024, holdsEphemeral: true },
        ],
        problems: ['none'],
      },
      status: {
        agentPort: 8444,
        certificateFingerprint: 'AB:CD',
        devices: [{ resource: 'nvidia.com/gpu', deviceId: 'GPU-sample-0', namespace: 'lease-1', pod: 'sample', container: 'main' }],
      },
    },
  },
  {
    path: `/api/v1/namespaces/${operatorNamespace}/pods?app.kubernetes.io/name=${discoveryName}`,
    source: 'discovery-agents',
    object: {
      metadata: namespaced(operatorNamespace, { deletionTimestamp: time }),
      spec: { nodeName: 'sample' },
      status: { phase: 'Running', podIP: '10.0.0.1', conditions: [condition] },
    },
  },
  {
    path: '/apis/resource.k8s.io/v1/resourceslices',
    source: 'resource-slices',
    object: {
      metadata: { name: 'sample', uid: 'u', ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'sample', uid: 'uid-of-sample' }] },
      spec: {
        driver: 'gpu.nvidia.com',
        nodeName: 'sample',
        pool: { name: 'sample', generation: 1, resourceSliceCount: 1 },
        devices: [
          { name: 'gpu-0', ...ofDevice },
          { name: 'gpu-1', basic: { ...ofDevice, attributes: { ...ofDevice.attributes, uuid: { string: 'GPU-sample-1' } } } },
        ],
        sharedCounters: [{ name: 'card', counters }],
      },
    },
  },
  {
    path: '/apis/resource.k8s.io/v1/resourceclaims',
    source: 'resource-claims',
    object: {
      metadata: namespaced('lease-1'),
      status: {
        allocation: {
          devices: { results: [{ driver: 'gpu.nvidia.com', pool: 'sample', device: 'gpu-0', request: 'r', adminAccess: false }] },
        },
        reservedFor: [{ resource: 'pods', name: 'sample', uid: 'u' }],
      },
    },
  },
  ...storageSamples,
  {
    path: `/api/v1/namespaces/${operatorNamespace}/configmaps?metadata.name=quartermaster-gpu-overrides`,
    source: 'gpu-overrides',
    object: {
      metadata: namespaced(operatorNamespace),
      data: { 'gpus.json': '{"10de":{"name":"nvidia","devices":{"2330":{"name":"own"}}}}' },
    },
  },
  {
    path: `/api/v1/namespaces/${operatorNamespace}/configmaps?metadata.name=quartermaster-gpu-database`,
    source: 'gpu-database',
    object: {
      metadata: namespaced(operatorNamespace),
      binaryData: { 'gpus.json.gz': gzipSync('{"10de":{"name":"nvidia","devices":{}}}').toString('base64') },
    },
  },
  {
    path: '/apis/metrics.k8s.io/v1beta1/nodes',
    source: 'node-metrics',
    object: { metadata: { name: 'sample', uid: 'u' }, timestamp: time, window: '15s', usage: { cpu: '250m', memory: '1Gi' } },
  },
];
