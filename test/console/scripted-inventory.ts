import type {
  AmountTuple,
  CapacityLine,
  CapacityView,
  Need,
  NodeDetail,
  NodeRow,
  NodeSale,
  PodUsage,
  SearchAnswer,
  StorageCard,
  TrendSample,
} from '@quartermaster/api/inventory-views';
import type { InventoryReader } from '@quartermaster/inventory/testing';
import { farmDetail, farmStorage, gpuId } from './scripted-details.ts';

const gib = 1024 ** 3;
const tib = 1024 ** 4;

/** What the inventory says of a node of the farm, by its index and state. */
export function farmSale(index: number, state: string, gpus: Readonly<Record<string, number>>): NodeSale {
  const cards = Object.values(gpus).reduce((sum, count) => sum + count, 0);
  const quarantined = index % 40 === 4 ? 1 : 0;
  const taken = Math.min((index * 7) % (cards + 1), cards - quarantined);
  const share = ((index * 13) % 100) / 100;
  const sale = saleState(state);
  const divided = (capacity: number, allocated: number, sellable: number): AmountTuple => {
    if (sale.state === 'unknown') return [capacity, 0, 0, 0, capacity];
    const free = sale.state === 'sellable' ? sellable : 0;
    return [capacity, allocated, free, capacity - allocated - free, 0];
  };
  return {
    ...sale,
    quarantined,
    cpu: divided(96_000, Math.round(95_000 * share), 95_000 - Math.round(95_000 * share)),
    memory: divided(768 * gib, Math.round(760 * share) * gib, 760 * gib - Math.round(760 * share) * gib),
    disk: divided(4 * tib, tib, 3 * tib),
    ...(cards === 0 ? {} : { gpu: divided(cards, taken, cards - taken - quarantined) }),
    models: gpus,
  };
}

export function saleState(state: string): Pick<NodeSale, 'state' | 'why'> {
  if (state.includes('stopped posting')) return { state: 'unknown', why: ['ReadyUnknown'] };
  if (state.includes('DiskPressure')) return { state: 'held-back', why: ['NotReady', 'DiskPressure'] };
  return state === 'SchedulingDisabled' ? { state: 'held-back', why: ['Cordoned'] } : { state: 'sellable', why: [] };
}

/** An inventory over the nodes of a farm that a test changes by hand. */
export class ScriptedInventory implements InventoryReader {
  readonly #nodes: () => readonly NodeRow[];
  readonly #now: number;
  lines: readonly CapacityLine[] = farmLines();
  stale: CapacityView['stale'] = [];
  leftOut: CapacityView['leftOut'];
  cards: readonly StorageCard[];

  constructor(nodes: () => readonly NodeRow[], now = Date.now()) {
    this.#nodes = nodes;
    this.#now = now;
    this.cards = farmStorage(now);
  }

  capacity(): CapacityView {
    const count = (state: NodeSale['state']): number => this.#nodes().filter(({ sale }) => sale?.state === state).length;
    return {
      stale: this.stale,
      leftOut: this.leftOut,
      nodes: { sellable: count('sellable'), heldBack: count('held-back'), unknown: count('unknown') },
      needCount: this.needs().length,
      storageNeedCount: 1,
      lines: this.lines,
    };
  }

  needs(): readonly Need[] {
    return farmNeeds(this.#now);
  }

  trend(): readonly TrendSample[] {
    return Array.from({ length: 330 }, (_, index) => farmSample(index, this.#now));
  }

  node(name: string): NodeDetail | undefined {
    const node = this.#nodes().find((each) => each.name === name);
    return node && farmDetail(node, this.#now);
  }

  podsOn(name: string): readonly PodUsage[] {
    if (name !== 'node-00004') return [];
    const take = { cpuMillis: 12_500, memoryBytes: 64 * gib, ramBytes: 0, diskBytes: 0 };
    return [
      {
        namespace: 'tenant-b',
        name: 'training-7d9c5b6f4-xxxx4',
        ...take,
        devices: { 'nvidia.com/gpu': 2 },
        gpus: [gpuId(4, 0), gpuId(4, 1)],
      },
    ];
  }

  storage(): readonly StorageCard[] {
    return this.cards;
  }

  search(query: string, limit: number): SearchAnswer {
    const text = query.trim().toLowerCase();
    const nodes = this.#nodes().map(({ name, state }) => ({ kind: 'node', id: name, label: name, detail: state }));
    const classes = this.cards.map(({ name, refusal }) => ({ kind: 'class', id: name, label: name, detail: refusal?.code ?? 'offered' }));
    const gpus = this.#nodes().flatMap(({ name }) =>
      (this.node(name)?.gpus ?? []).map(({ id, model }) => ({ kind: 'gpu', id: `${name} ${id}`, label: id, detail: `${model} · ${name}` })),
    );
    const kinds = [nodes, classes, gpus].map((hits) => hits.filter(({ label }) => label.toLowerCase().includes(text)).slice(0, limit));
    return { hits: kinds.flat(), searched: ['node', 'class', 'gpu'] };
  }
}

function farmLines(): readonly CapacityLine[] {
  const cordoned = { state: 'held-back', code: 'Cordoned', nodes: 1 } as const;
  const silent = { state: 'unknown', code: 'ReadyUnknown', nodes: 1 } as const;
  const division = (allocated: number, sellable: number, heldBack: number, unknown: number) => ({ allocated, sellable, heldBack, unknown });
  return [
    {
      kind: 'resource',
      name: 'gpu',
      unit: 'devices',
      division: division(71, 62, 9, 8),
      why: [
        { ...silent, amount: 8 },
        { ...cordoned, amount: 4 },
        { state: 'held-back', code: 'DiskPressure', amount: 3, nodes: 1 },
        { state: 'held-back', code: 'Quarantined', amount: 2, nodes: 0 },
      ],
    },
    {
      kind: 'resource',
      name: 'cpu',
      unit: 'millicores',
      division: division(1_920_500, 1_626_000, 197_500, 96_000),
      why: [
        { ...cordoned, amount: 157_500 },
        { state: 'held-back', code: 'System', amount: 40_000, nodes: 0 },
        { ...silent, amount: 96_000 },
      ],
    },
    {
      kind: 'resource',
      name: 'memory',
      unit: 'bytes',
      division: division(14 * tib, 13 * tib, 2.25 * tib, 0.75 * tib),
      why: [
        { ...cordoned, amount: 2.25 * tib },
        { ...silent, amount: 0.75 * tib },
      ],
    },
    {
      kind: 'resource',
      name: 'disk',
      unit: 'bytes',
      division: division(40 * tib, 112 * tib, 4 * tib, 4 * tib),
      why: [
        { ...silent, amount: 4 * tib },
        { state: 'held-back', code: 'Tainted', amount: 3 * tib, nodes: 4 },
      ],
    },
    {
      kind: 'model',
      name: 'NVIDIA H100 SXM 80GB',
      unit: 'devices',
      division: division(40, 30, 2, 8),
      why: [
        { ...silent, amount: 8 },
        { state: 'held-back', code: 'Quarantined', amount: 2, nodes: 0 },
      ],
    },
    { kind: 'model', name: 'NVIDIA A100 PCIe 40GB', unit: 'devices', division: division(21, 15, 4, 0), why: [{ ...cordoned, amount: 4 }] },
    { kind: 'model', name: 'NVIDIA L40S', unit: 'devices', division: division(10, 10, 0, 0), why: [] },
    { kind: 'class', name: 'beta3', unit: 'bytes', division: division(18 * tib, 24 * tib, 0, 0), why: [] },
    {
      kind: 'class',
      name: 'longhorn',
      unit: 'bytes',
      division: division(6 * tib, 0, 6 * tib, 0),
      why: [{ state: 'held-back', code: 'BackendUnhealthy', amount: 6 * tib, nodes: 0 }],
    },
    {
      kind: 'class',
      name: 'old-nfs',
      unit: 'bytes',
      division: division(0, 0, 0, 0),
      why: [{ state: 'unknown', code: 'NoQuerier', amount: 0, nodes: 0 }],
    },
  ];
}

function farmNeeds(now: number): readonly Need[] {
  const rest = { more: 0, gpus: 0, cpuMillis: 0, bytes: 0 };
  return [
    {
      ...rest,
      kind: 'node',
      id: 'node-00008',
      state: 'unknown',
      reason: {
        code: 'ReadyUnknown',
        message: 'The kubelet has stopped reporting: check the machine and its network.',
        since: now - 240_000,
      },
      gpus: 8,
      cpuMillis: 96_000,
    },
    {
      ...rest,
      kind: 'node',
      id: 'node-00022',
      state: 'held-back',
      reason: { code: 'DiskPressure', message: 'The node is short of disk space and evicts pods: free some.', since: now - 720_000 },
      more: 1,
      gpus: 3,
      cpuMillis: 61_500,
    },
    {
      ...rest,
      kind: 'gpu',
      id: gpuId(4, 2),
      node: 'node-00004',
      state: 'held-back',
      reason: { code: 'Unhealthy', message: 'XID 79: the card has fallen off the bus.', since: now - 5_400_000 },
      gpus: 1,
    },
    {
      ...rest,
      kind: 'class',
      id: 'old-nfs',
      state: 'unknown',
      reason: {
        code: 'NoQuerier',
        message: 'Nobody can tell how much space is behind nfs.csi.k8s.io: use a provisioner that is supported.',
      },
    },
  ];
}

/** An hour with a gap in the middle. */
function farmSample(index: number, now: number): TrendSample {
  const at = now - (329 - index) * 10_000;
  if (index > 150 && index < 175) return { at };
  const gpus = Math.round(50 + 20 * Math.sin(index / 40));
  const millis = Math.round(1_700_000 + 200_000 * Math.sin(index / 25));
  const unknown = index > 300 ? 1 : 0;
  return {
    at,
    gpu: [gpus, 150 - 9 - 8 * unknown - gpus, 9, 8 * unknown],
    cpu: [millis, 3_840_000 - 197_500 - 96_000 * unknown - millis, 197_500, 96_000 * unknown],
    memory: [14 * tib, (13.75 - 0.75 * unknown) * tib, 2.25 * tib, 0.75 * unknown * tib],
  };
}
