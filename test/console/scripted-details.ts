import type { AmountView, CapacityLine, GpuView, NodeDetail, NodeRow, StorageCard, Withheld } from '@quartermaster/api/inventory-views';

/** The node whose cards a pod of a lease holds. */
export const leasedNode = 16;
export const leasedNamespace = 'lease-akash1q7n3eq2m9yq3u5z8p0d4kfs6lvx2c9ratw8hjk-1234561-1-1';

const gib = 1024 ** 3;
const tib = 1024 ** 4;

export const gpuId = (node: number, card: number): string =>
  `GPU-${String(node).padStart(8, '0')}-7c1e-4f0a-9d52-${String(card).padStart(12, '0')}`;

const amount = (capacity: number, allocatable: number, allocated: number) => ({
  capacity,
  allocatable,
  allocated,
  available: Math.max(allocatable - allocated, 0),
  overcommitted: Math.max(allocated - allocatable, 0),
});

/** Everything about a node of the farm. */
export function farmDetail(node: NodeRow, now: number): NodeDetail {
  const index = Number(/\d+/.exec(node.name)?.[0] ?? 0);
  const { state = 'sellable', why = [] } = node.sale ?? {};
  const models = Object.entries(node.sale?.models ?? {}).map(([name, count]) => ({
    name,
    amount: amount(count, count - (index % 40 === 4 ? 1 : 0), Math.floor(count / 2)),
  }));
  const cpu = amount(96_000, 95_000, 41_250);
  const memory = amount(768 * gib, 760 * gib, 410 * gib);
  const disk = amount(4 * tib, 3.8 * tib, 0.9 * tib);
  const hugePages = { name: 'hugepages-2Mi', amount: amount(8 * gib, 8 * gib, 0) };
  const by = { state, code: why[0] ?? '' };
  return {
    name: node.name,
    state,
    reasons: why.map((code) => ({ code, message: `This node is held back because of ${code}: look at it.`, since: now - 240_000 })),
    conditions: [],
    lines: [
      farmLine('cpu', 'millicores', cpu, by),
      farmLine('memory', 'bytes', memory, by),
      farmLine('disk', 'bytes', disk, by),
      ...models.map((each) => farmLine(each.name, 'devices', each.amount, by)),
      farmLine(hugePages.name, 'bytes', hugePages.amount, by),
    ],
    cpu,
    memory,
    ram: 8 * gib,
    disk,
    models,
    gpus: models.flatMap(({ name, amount: { capacity } }) =>
      Array.from({ length: capacity }, (_, card) => farmGpu(index, card, name, { now, isSilent: state === 'unknown' })),
    ),
    extended: [hugePages],
    storageClasses: ['beta3'],
    machine: { manufacturer: 'Supermicro', product: 'SYS-821GE-TNHR', serial: `S${index}4711`, kernel: '6.12.48' },
    cpus: ['0', '1'].map((id) => ({ id, model: 'Intel(R) Xeon(R) Platinum 8480+', cores: 24, threads: 48 })),
    memoryModules: Array.from({ length: 12 }, () => ({ sizeBytes: 64 * gib, type: 'DDR5', speedMtps: 4800 })),
    disks: [
      { name: 'nvme0n1', kind: 'nvme', sizeBytes: 3.84e12, model: 'SAMSUNG MZQL23T8HCLS-00A07', serial: 'S64HNE0T' },
      { name: 'sda', kind: 'ssd', sizeBytes: 960e9, model: 'INTEL SSDSC2KG96' },
    ],
    nics: [
      { name: 'ens1f0np0', mac: '0c:42:a1:5e:11:f0', speedMbps: 200_000, driver: 'mlx5_core', isUp: true, rdmaDevice: 'mlx5_0' },
      { name: 'eno1', mac: '3c:ec:ef:81:02:9a', speedMbps: 1_000, driver: 'igb', isUp: false },
    ],
    architecture: 'amd64',
    memoryBytes: 768 * gib,
    agentProblems: ['/sys/class/dmi/id/product_serial: permission denied'],
    nvlinkDomain: 'fabric-1.7',
    used: { cpuMillis: 18_400, memoryBytes: 222 * gib, observedAt: now - 12_000 },
    hardwareAt: now - 3_600_000,
    stale: state === 'unknown' ? [{ source: 'kubelet', since: now - 240_000, reason: 'the kubelet does not report' }] : [],
    observedAt: now,
  };
}

function farmLine(
  name: string,
  unit: CapacityLine['unit'],
  { capacity, allocated, available }: AmountView,
  { state, code }: { readonly state: NodeDetail['state']; readonly code: string },
): CapacityLine {
  const kind = unit === 'devices' ? 'model' : 'resource';
  const withheld = (of: Withheld['state'], why: string, all: number): readonly Withheld[] =>
    all === 0 ? [] : [{ state: of, code: why, amount: all, nodes: 1 }];
  if (state === 'unknown') {
    const division = { allocated: 0, sellable: 0, heldBack: 0, unknown: capacity };
    return { kind, name, unit, division, why: withheld('unknown', code, capacity) };
  }
  const sellable = state === 'sellable' ? available : 0;
  const heldBack = capacity - allocated - sellable;
  const reason = state === 'held-back' ? code : unit === 'devices' ? 'Quarantined' : 'System';
  return { kind, name, unit, division: { allocated, sellable, heldBack, unknown: 0 }, why: withheld('held-back', reason, heldBack) };
}

interface FarmGpuOptions {
  readonly now: number;
  readonly isSilent: boolean;
}

function farmGpu(node: number, card: number, model: string, { now, isSilent }: FarmGpuOptions): GpuView {
  const isSick = node % 40 === 4 && card === 2;
  const isCut = node % 40 === 12 && card === 3;
  const slices = [
    { id: 'MIG-4-1', profile: '1g.10gb', holder: { namespace: 'tenant-c', pod: 'notebook-0' } },
    { id: 'MIG-4-2', profile: '2g.20gb' },
  ];
  return {
    id: gpuId(node, card),
    model,
    state: isSick ? 'quarantined' : 'healthy',
    fill: isSilent ? 'unknown' : isSick || isCut ? 'held-back' : card < 2 ? 'allocated' : 'sellable',
    ...(isSick ? { reason: { code: 'Unhealthy', message: 'XID 79: the card has fallen off the bus.', since: now - 5_400_000 } } : {}),
    ...(card < 2
      ? { holder: { namespace: node === leasedNode ? leasedNamespace : 'tenant-b', pod: `training-7d9c5b6f4-xxxx${node}` } }
      : {}),
    parts: isCut ? slices : undefined,
    pciAddress: `0000:${(0x17 + card).toString(16)}:00.0`,
    driver: '580.95.05',
    utilization: card < 2 ? 93 - card : 0,
    architecture: 'hopper',
    computeCapability: '9.0',
    nvlinks: 18,
    nvlinkGroup: 0,
    numaNode: card < 4 ? 0 : 1,
    mig: { enabled: false, profiles: ['1g.10gb', '7g.80gb'], instances: [] },
  };
}

export function farmStorage(now: number): readonly StorageCard[] {
  return [
    {
      name: 'beta3',
      provisioner: 'rook-ceph.rbd.csi.ceph.com',
      backend: 'rook-ceph',
      performance: 'beta3',
      amount: amount(42 * tib, 42 * tib, 18 * tib),
      division: { allocated: 18 * tib, sellable: 24 * tib, heldBack: 0, unknown: 0 },
      why: [],
      promisedBytes: 51 * tib,
      volumes: 214,
      replicas: 3,
      sharesSpaceWith: ['beta3-ec'],
      observedAt: now - 4_000,
    },
    {
      name: 'local-path',
      provisioner: 'rancher.io/local-path',
      backend: 'local-path',
      performance: 'beta2',
      amount: amount(40 * tib, 38 * tib, 9 * tib),
      division: { allocated: 9 * tib, sellable: 29 * tib, heldBack: 2 * tib, unknown: 0 },
      why: [{ state: 'held-back', code: 'System', amount: 2 * tib, nodes: 0 }],
      promisedBytes: 9 * tib,
      volumes: 61,
      sharesSpaceWith: [],
      places: {
        count: 40,
        roomiest: Array.from({ length: 6 }, (_, index) => ({
          node: `node-0000${index + 6}`,
          available: (0.9 - index / 20) * tib,
          capacity: tib,
        })),
      },
      observedAt: now - 9_000,
    },
    {
      name: 'longhorn',
      provisioner: 'driver.longhorn.io',
      backend: 'longhorn',
      performance: 'beta2',
      refusal: {
        code: 'BackendUnhealthy',
        message: 'Longhorn reports 3 degraded volumes: repair it; the class is offered again as soon as it reports health',
      },
      amount: amount(12 * tib, 11 * tib, 6 * tib),
      division: { allocated: 6 * tib, sellable: 0, heldBack: 6 * tib, unknown: 0 },
      why: [{ state: 'held-back', code: 'BackendUnhealthy', amount: 6 * tib, nodes: 0 }],
      promisedBytes: 7 * tib,
      volumes: 12,
      replicas: 2,
      sharesSpaceWith: [],
      observedAt: now - 3_000,
    },
    {
      name: 'old-nfs',
      provisioner: 'nfs.csi.k8s.io',
      backend: '',
      refusal: { code: 'NoQuerier', message: 'Nobody can tell how much space is behind the class: use a provisioner that is supported.' },
      division: { allocated: 0, sellable: 0, heldBack: 0, unknown: 0 },
      why: [{ state: 'unknown', code: 'NoQuerier', amount: 0, nodes: 0 }],
      promisedBytes: 40 * gib,
      volumes: 2,
      sharesSpaceWith: [],
    },
  ];
}
