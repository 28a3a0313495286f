import type { InventoryServingOptions } from '@quartermaster/inventory';
import { gib, gpuDevice, gpuGroup, nodeInventory, storageInventory } from '@quartermaster/inventory/testing';
import type { ServedInventory } from './serve-inventory.ts';

const tib = 1024 * gib;
const whole = (total: number, allocated: number) => ({
  capacity: total,
  allocatable: total,
  allocated,
  available: Math.max(total - allocated, 0),
  overcommitted: Math.max(allocated - total, 0),
});
const longAgo = Date.UTC(2026, 0, 1);

/** A small cluster with one of everything that a person may meet: sellable, held back, silent and overcommitted. */
export function fillInventory({ inventory, feed }: Pick<ServedInventory, 'inventory' | 'feed'>): void {
  inventory.setNode(gpuNode);
  inventory.setNode(
    nodeInventory('gpu-2', {
      sellability: {
        state: 'held-back',
        reasons: [
          { code: 'Cordoned', message: 'The node is cordoned: kubectl uncordon gpu-2 when it is fit again.', since: longAgo },
          { code: 'DiskPressure', message: 'The kubelet reports DiskPressure.' },
        ],
      },
      gpus: [gpuGroup({ amount: whole(8, 8) })],
      cpu: whole(16_000, 20_000),
      conditions: [{ code: 'OverAllocated', message: 'Pods ask for 4 cores more than there are.' }],
    }),
  );
  inventory.setNode(
    nodeInventory('old-1', {
      sellability: { state: 'unknown', reasons: [{ code: 'Silent', message: 'The kubelet has not reported.', since: longAgo }] },
    }),
  );
  inventory.classes.set('beta3', storageInventory('beta3', { amount: whole(8 * tib, 2867 * gib), sharesSpaceWith: ['beta2'] }));
  inventory.classes.set('nfs', unreadClass);
  inventory.classes.set(
    'local-path',
    storageInventory('local-path', {
      provisioner: 'rancher.io/local-path',
      backend: 'local-path',
      performance: 'beta2',
      replicas: 1,
      amount: whole(300 * gib, 100 * gib),
      perNode: new Map([
        ['gpu-1', whole(100 * gib, 80 * gib)],
        ['gpu-2', whole(200 * gib, 20 * gib)],
      ]),
    }),
  );
  feed.touch('storage');
}

const unreadClass = {
  class: 'nfs',
  provisioner: 'nfs.csi.k8s.io',
  backend: '',
  promisedBytes: 0,
  volumes: 0,
  refusal: { code: 'NoQuerier', message: 'Nothing can tell how much room nfs.csi.k8s.io has.' },
};

export const gpuNode = nodeInventory('gpu-1', {
  cpu: whole(96_000, 12_500),
  memory: whole(512 * gib, 120 * gib),
  ram: gib,
  pods: 7,
  gpus: [gpuGroup({ amount: { capacity: 8, allocatable: 7, allocated: 3, available: 4, overcommitted: 0 } })],
  devices: [
    gpuDevice('GPU-aaaa', {
      pciAddress: '0000:17:00.0',
      holder: { namespace: 'lease-1', pod: 'train-0', podUid: 'uid-train-0', source: 'kubelet' },
      driverVersion: '570.86.15',
      cudaVersion: '12.8',
      utilization: 87.4,
    }),
    gpuDevice('GPU-bbbb', {
      state: 'quarantined',
      reason: { code: 'XidErrors', message: 'The driver reports Xid 79: reset or replace the card.', since: longAgo },
    }),
  ],
  storageClasses: ['beta3', 'local-path'],
  utilization: { cpuMillis: 9300, memoryBytes: 88 * gib, observedAt: longAgo },
  hardware: {
    observedAt: longAgo,
    machine: { manufacturer: 'Supermicro', product: 'SYS-821GE-TNHR', serial: 'S1', kernel: '6.8.0' },
    cpus: [{ id: '0', vendor: 'GenuineIntel', model: 'Xeon Platinum 8480+', cores: 56, threads: 112 }],
    memoryModules: [{ slot: 'P1-DIMMA1', type: 'DDR5', sizeBytes: 64 * gib, speedMtps: 4800, manufacturer: 'Samsung' }],
    disks: [{ name: 'nvme0n1', kind: 'nvme', sizeBytes: 3.5 * tib, model: 'PM9A3' }],
    nics: [{ name: 'eth0', mac: '02:00:00:00:00:01', speedMbps: 100_000, isUp: true, rdmaDevice: 'mlx5_0' }],
  },
});

export const allocations: readonly Held[] = [
  {
    podUid: 'uid-train-0',
    namespace: 'lease-1',
    pod: 'train-0',
    node: 'gpu-1',
    leaseLabels: { 'akash.network/lease.id.dseq': '42' },
    cpuMillis: 8000,
    memoryBytes: 64 * gib,
    ramBytes: gib,
    ephemeralStorageBytes: 10 * gib,
    extended: new Map([['nvidia.com/gpu', 1]]),
    devices: ['GPU-aaaa'],
  },
  {
    podUid: 'uid-web',
    namespace: 'lease-2',
    pod: 'web',
    node: 'gpu-2',
    leaseLabels: {},
    cpuMillis: 250,
    memoryBytes: 512 * 1024 ** 2,
    ramBytes: 0,
    ephemeralStorageBytes: 0,
    extended: new Map(),
    devices: [],
  },
];

/** As the ledger would answer. */
export function allocationsFor({ node, namespace, leaseLabel, device }: Filter): readonly Held[] {
  return allocations.filter(
    (each) =>
      (node === undefined || each.node === node) &&
      (namespace === undefined || each.namespace === namespace) &&
      (device === undefined || each.devices.includes(device)) &&
      (leaseLabel === undefined || hasLabel(each, leaseLabel)),
  );
}

type Allocations = InventoryServingOptions['allocations'];
type Filter = Parameters<Allocations>[0];
type Held = ReturnType<Allocations>[number];

function hasLabel({ leaseLabels }: Held, { key, value }: NonNullable<Filter['leaseLabel']>): boolean {
  return key in leaseLabels && (value === undefined || leaseLabels[key] === value);
}
