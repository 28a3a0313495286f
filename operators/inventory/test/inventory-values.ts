import { type Amount, amount } from '../src/model/amount.ts';
import type { GpuDevice, GpuGroup, NodeInventory } from '../src/model/node-inventory.ts';
import type { InventorySnapshot, InventoryTotals, LeasePod, LeaseVolume, ResourceTotals } from '../src/model/snapshot.ts';
import type { StorageInventory } from '../src/model/storage-inventory.ts';

export const gib = 1024 ** 3;

/** A healthy node with 16 cores, 64 Gi of memory and nothing else; `over` says what is different. */
export function nodeInventory(name: string, over: Partial<NodeInventory> = {}): NodeInventory {
  return {
    name,
    uid: `uid-${name}`,
    sellability: { state: 'sellable', reasons: [] },
    cpu: amount(16_000, 16_000, 3051),
    memory: amount(64 * gib, 60 * gib, 2 * gib),
    ram: 0,
    ephemeralStorage: amount(400 * gib, 360 * gib, 0),
    gpus: [],
    devices: [],
    extended: new Map(),
    storageClasses: [],
    conditions: [],
    hardware: { machine: {}, cpus: [], memoryModules: [], disks: [], nics: [] },
    pods: 0,
    stale: [],
    toleratedTaints: [],
    observedAt: Date.UTC(2026, 0, 1),
    ...over,
  };
}

export function gpuGroup(over: Partial<GpuGroup> = {}): GpuGroup {
  return {
    vendor: 'nvidia',
    vendorId: '10de',
    model: 'h100',
    modelId: '2330',
    interface: 'SXM5',
    memoryBytes: 80 * gib,
    resource: 'nvidia.com/gpu',
    amount: amount(8, 8, 2),
    ...over,
  };
}

export function gpuDevice(id: string, over: Partial<GpuDevice> = {}): GpuDevice {
  return {
    id,
    vendor: 'nvidia',
    model: 'h100',
    interface: 'SXM5',
    memoryBytes: 80 * gib,
    identifiedBy: 'database',
    state: 'healthy',
    ...over,
  };
}

export function storageInventory(name: string, over: Partial<StorageInventory> = {}): StorageInventory {
  return {
    class: name,
    provisioner: 'rook-ceph.rbd.csi.ceph.com',
    backend: 'rook-ceph',
    performance: 'beta3',
    amount: amount(1000 * gib, 1000 * gib, 250 * gib),
    promisedBytes: 300 * gib,
    volumes: 3,
    replicas: 3,
    observedAt: Date.UTC(2026, 0, 1),
    ...over,
  };
}

/** A pod of the service web with half a core and 1 Gi of memory. */
export function leasePod(uid: string, over: Partial<LeasePod> = {}): LeasePod {
  return {
    uid,
    namespace: 'lease-1',
    namespaceUid: 'uid-of-lease-1',
    name: `web-${uid}`,
    leaseLabels: { 'akash.network/lease.id.dseq': '7', 'akash.network/manifest-service': 'web' },
    node: 'n1',
    requests: { cpuMillis: 500, memoryBytes: gib, ephemeralStorageBytes: 0, extended: new Map() },
    ramBytes: 0,
    devices: [],
    ...over,
  };
}

/** A claim of 1 Gi in the class beta2. */
export function leaseVolume(uid: string, over: Partial<LeaseVolume> = {}): LeaseVolume {
  const namespace = { namespace: 'lease-1', namespaceUid: 'uid-of-lease-1' };
  return { uid, ...namespace, name: `data-${uid}`, class: 'beta2', bytes: gib, requestedBytes: gib, node: '', ...over };
}

/** Summed as the ledger would. */
export function totalsOf(nodes: Iterable<NodeInventory>): InventoryTotals {
  const shares = { sellable: noResources(), 'held-back': noResources(), unknown: noResources() };
  const count = { sellable: 0, 'held-back': 0, unknown: 0 };
  for (const node of nodes) {
    const { state } = node.sellability;
    const share = shares[state];
    count[state] += 1;
    const gpus = new Map(share.gpus);
    for (const group of node.gpus) {
      const key = [group.vendor, group.model, group.interface, `${group.memoryBytes / gib}Gi`].join('/');
      gpus.set(key, plus(gpus.get(key) ?? nothing, group.amount));
    }
    shares[state] = {
      cpu: plus(share.cpu, node.cpu),
      memory: plus(share.memory, node.memory),
      ephemeralStorage: plus(share.ephemeralStorage, node.ephemeralStorage),
      gpus,
    };
  }
  return {
    nodes: { sellable: count.sellable, heldBack: count['held-back'], unknown: count.unknown },
    sellable: shares.sellable,
    heldBack: shares['held-back'],
    unknown: shares.unknown,
  };
}

export function snapshotWith(nodes: readonly NodeInventory[], storage: readonly StorageInventory[] = []): InventorySnapshot {
  return {
    clusterId: 'test',
    generation: { epoch: 'e', sequence: 1 },
    observedAt: Date.UTC(2026, 0, 1),
    completeness: { complete: true, stale: [], leftOut: [] },
    nodes,
    storage,
    leasePods: [],
    leaseVolumes: [],
    totals: totalsOf(nodes),
  };
}

const nothing = { capacity: 0n, allocatable: 0n, allocated: 0n, available: 0n, overcommitted: 0n };

function noResources(): ResourceTotals {
  return { cpu: nothing, memory: nothing, ephemeralStorage: nothing, gpus: new Map() };
}

function plus(total: typeof nothing, one: Amount): typeof nothing {
  return {
    capacity: total.capacity + BigInt(one.capacity),
    allocatable: total.allocatable + BigInt(one.allocatable),
    allocated: total.allocated + BigInt(one.allocated),
    available: total.available + BigInt(one.available),
    overcommitted: total.overcommitted + BigInt(one.overcommitted),
  };
}
