import { create, type DescMessage, type MessageInitShape, type MessageShape } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import {
  type AmountSchema,
  DiskKind,
  GpuIdentification,
  GpuState,
  type Node,
  NodeSchema,
  Sellability,
  type Snapshot,
  SnapshotSchema,
} from '@quartermaster/api/inventory';
import type { Look } from '../../text/listing.ts';
import { plainPaint } from '../../text/paint.ts';

export const gib = 1024n ** 3n;
export const start = Date.UTC(2026, 0, 1);
const hourMs = 3_600_000;

/** Three hours after everything in the snapshots. */
export const look: Look = { exact: false, wide: false, now: start + 3 * hourMs, paint: plainPaint };
export const wideLook: Look = { ...look, wide: true };

const at = timestampFromMs(start);

/** What a message is made from, without being one. */
type Init<D extends DescMessage> = Exclude<MessageInitShape<D>, MessageShape<D>>;

export function amount(total: bigint, allocated: bigint, capacity = total): Init<typeof AmountSchema> {
  return {
    capacity,
    allocatable: total,
    allocated,
    available: allocated > total ? 0n : total - allocated,
    overcommitted: allocated > total ? allocated - total : 0n,
  };
}

/** A healthy node with 16 cores and 64 Gi of memory. */
export function node(name: string, over: Init<typeof NodeSchema> = {}): Node {
  return create(NodeSchema, {
    name,
    uid: `uid-${name}`,
    sellability: Sellability.SELLABLE,
    cpu: amount(16_000n, 4_000n),
    memory: amount(60n * gib, 2n * gib, 64n * gib),
    ephemeralStorage: amount(360n * gib, 0n),
    observedAt: at,
    ...over,
  });
}

const h100 = { vendor: 'nvidia', model: 'h100', interface: 'SXM5', memoryBytes: 80n * gib };

export const gpuNode = node('gpu-1', {
  gpus: [{ ...h100, resource: 'nvidia.com/gpu', amount: { capacity: 3n, allocatable: 2n, allocated: 1n, available: 1n } }],
  devices: [
    {
      ...h100,
      id: 'GPU-a',
      state: GpuState.HEALTHY,
      identifiedBy: GpuIdentification.DATABASE,
      holder: { namespace: 'lease-1', pod: 'train-0' },
      utilization: 87.4,
      driverVersion: '570.86.15',
      cudaVersion: '12.8',
      architecture: 'hopper',
      computeCapability: '9.0',
      nvlinks: 18,
      nvlinkGroup: 0,
      numaNode: 0,
      mig: { enabled: false, profiles: ['1g.10gb', '7g.80gb'] },
    },
    { ...h100, id: 'GPU-b', state: GpuState.QUARANTINED, reason: { code: 'XidErrors', message: 'Replace the card.', since: at } },
    { ...h100, id: 'gpu-1/0000:3d:00.0', memoryBytes: 0n, state: GpuState.UNKNOWN },
  ],
  storageClasses: ['beta3', 'local'],
  utilization: { cpuMillis: 3_300n, memoryBytes: 8n * gib, observedAt: at },
  pods: 7n,
  podLimit: 110n,
  hardware: {
    observedAt: at,
    machine: { manufacturer: 'Supermicro', serial: 'S1' },
    cpus: [{ id: '0', vendor: 'GenuineIntel', model: 'Xeon 8480+', cores: 56, threads: 112 }],
    memoryModules: [{ slot: 'A1', type: 'DDR5', sizeBytes: 64n * gib, speedMtps: 4800 }],
    disks: [{ name: 'nvme0n1', kind: DiskKind.NVME, sizeBytes: 3584n * gib, model: 'PM9A3' }],
    nics: [{ name: 'eth0', mac: '02:00:00:00:00:01', speedMbps: 100_000, isUp: true, rdmaDevice: 'mlx5_0' }],
    architecture: 'amd64',
    memoryBytes: 64n * gib,
    agentVersion: '0.1.0',
    problems: ['/sys/firmware/dmi/tables/DMI: permission denied'],
  },
});

export const overcommittedNode = node('gpu-2', {
  sellability: Sellability.HELD_BACK,
  reasons: [
    { code: 'Cordoned', message: 'Uncordon it.', since: at },
    { code: 'DiskPressure', message: 'Free disk space.' },
  ],
  cpu: amount(16_000n, 20_000n),
  conditions: [{ code: 'OverAllocated', message: 'Pods ask for too much.' }],
});

export const silentNode = node('old-1', {
  sellability: Sellability.UNKNOWN,
  reasons: [{ code: 'Silent', message: 'Bring it back.' }],
  stale: [{ source: 'kubelet', lastContactAt: at, reason: 'it does not report' }],
});

export function snapshotOf(nodes: readonly Node[], over: Init<typeof SnapshotSchema> = {}): Snapshot {
  return create(SnapshotSchema, {
    clusterId: 'c1',
    generation: { epoch: 'e', sequence: 1n },
    observedAt: at,
    completeness: { complete: true },
    nodes: [...nodes],
    ...over,
  });
}

export const cluster = snapshotOf([gpuNode, overcommittedNode, silentNode], {
  totals: {
    sellableNodes: 1n,
    heldBackNodes: 1n,
    sellable: {
      cpu: amount(16_000n, 4_000n),
      memory: amount(60n * gib, 2n * gib),
      ephemeralStorage: amount(360n * gib, 0n),
      gpus: {
        'nvidia/h100/SXM5/80Gi': { capacity: 3n, allocatable: 2n, allocated: 1n, available: 1n },
        'nvidia/h100/PCIe/80Gi': amount(2n, 4n),
      },
    },
    heldBack: {
      cpu: amount(16_000n, 20_000n),
      memory: amount(60n * gib, 2n * gib),
      ephemeralStorage: amount(360n * gib, 0n),
      gpus: { 'nvidia/h100/SXM5/80Gi': amount(8n, 5n) },
    },
    unknown: { gpus: { 'amd/unknown-1002-74a1//0Gi': amount(4n, 1n) } },
  },
  storage: [
    {
      name: 'beta3',
      provisioner: 'rook-ceph.rbd.csi.ceph.com',
      backend: 'rook-ceph',
      performance: 'beta3',
      amount: amount(8192n * gib, 2867n * gib),
      promisedBytes: 300n * gib,
      volumes: 3n,
      replicas: 3,
      observedAt: at,
      largestVolumeBytes: 1024n * gib,
    },
    {
      name: 'local',
      provisioner: 'rancher.io/local-path',
      backend: 'local-path',
      performance: 'beta2',
      amount: amount(300n * gib, 100n * gib),
      nodeLocal: true,
      perNode: { 'gpu-1': amount(100n * gib, 80n * gib), 'gpu-2': amount(200n * gib, 20n * gib) },
      replicas: 1,
    },
    { name: 'nfs', provisioner: 'nfs.csi.k8s.io', refusal: { code: 'NoQuerier', message: 'Nothing can tell.' } },
  ],
});
