/*
 * The baseline: the reservation of the existing provider, written from a description of what it does. The whole inventory is copied, and the units twice: what is
 * still to be placed, and what is promised. Units go from the last to the first, and for each the nodes are tried by name from the first, each on a copy of its own,
 * with a copy of the storage of the cluster for those that have the memory; as many replicas as fit go on a node; the model of the first cards found replaces the
 * wish. What fits is entered as a reservation: the order, what was asked for, what is promised and which cards the scheduler is told of.
 *
 * What is copied is what that inventory has: three quantities for each of six resources, one entry for each processor and each card, the classes of each node and
 * the storage of the cluster. Fields that it never fills (attributes, memory modules) are left empty. Objects are copied field by field, as the generated
 * code of the original does: structuredClone would take many times as long. Nothing else is done slowly on purpose; the original takes 6.2 ms with 1 000
 * nodes, this about a tenth of it. There are no bounds on what may be pending, and no check of the request beyond that its amounts are there: the original has
 * neither, and what ours spends on them counts against ours.
 */
import type { CardPool, GpuWant, NodeFacts, OrderId, Request, Unit, Volume } from '@quartermaster/cluster';
import {
  addQuantity,
  compareQuantity,
  type Quantity,
  quantityFromMillis,
  quantityFromWhole,
  subtractQuantity,
} from '@quartermaster/kernel';

/** As the inventory of the existing provider has it, quantities included. */
interface FitNode {
  readonly name: string;
  readonly resources: {
    readonly cpu: { readonly quantity: Pair; readonly info: readonly { id: string; vendor: string; model: string; vcores: number }[] };
    readonly memory: { readonly quantity: Pair; readonly info: null };
    readonly gpu: { readonly quantity: Pair; readonly info: readonly GpuInfo[] };
    readonly ephemeralStorage: Pair;
    readonly volumesAttached: Pair;
    readonly volumesMounted: Pair;
  };
  readonly capabilities: { readonly storageClasses: readonly string[] };
}

/** Of the cluster, by class. */
interface FitStorage {
  readonly quantity: Pair;
  readonly info: { readonly class: string; readonly iops: string };
}

interface Pair {
  readonly allocatable: Quantity;
  allocated: Quantity;
  readonly attributes: null;
  readonly capacity: Quantity;
}

interface GpuInfo {
  readonly vendor: string;
  readonly vendorId: string;
  readonly name: string;
  readonly modelId: string;
  readonly interface: string;
  readonly memorySize: string;
}

interface FitReservation {
  readonly order: OrderId;
  readonly request: Request;
  /** By the units: as placed, with the one model that was found. */
  readonly promised: readonly Unit[];
  readonly scheduling: ReadonlyMap<number, GpuWant>; // unit -> cards
  readonly took: readonly { readonly node: number; readonly unit: Unit }[];
}

export class FirstFit {
  #nodes: FitNode[];
  #storage: FitStorage[];
  #reservations: FitReservation[] = [];

  constructor(nodes: readonly NodeFacts[]) {
    this.#nodes = nodes.toSorted((a, b) => (a.name < b.name ? -1 : 1)).map(fitNode);
    const terabyte = whole(1e12);
    this.#storage = ['beta1', 'beta2', 'beta3'].map((name) => ({ quantity: pairOf(terabyte), info: { class: name, iops: '' } }));
  }

  /** Whether it fits: else nothing is taken. */
  reserve(order: OrderId, request: Request): boolean {
    const waiting = request.units.map(copyUnit);
    const promised = request.units.map(copyUnit);
    const nodes = this.#nodes.map(copyOf);
    let storage = copyStorage(this.#storage);
    const took: { node: number; unit: Unit }[] = [];
    const scheduling = new Map<number, GpuWant>();
    for (let last = waiting.length - 1; last >= 0; last -= 1) {
      const unit = waiting[last] as Unit;
      let left = unit.count;
      let wants = unit.gpus?.wants ?? [];
      for (let at = 0; at < nodes.length && left > 0; at += 1) {
        for (; left > 0; left -= 1) {
          const node = nodes[at];
          if (node === undefined) break;
          const adjusted = tryAdjust(node, storage, unit, wants);
          wants = adjusted.wants;
          if (adjusted.node === undefined) break;
          nodes[at] = adjusted.node;
          storage = adjusted.storage;
          took.push({ node: at, unit });
        }
      }
      if (left > 0) return false;
      if (unit.gpus !== undefined) promised[last] = { ...unit, gpus: { ...unit.gpus, wants } };
      if (wants[0] !== undefined) scheduling.set(unit.id, wants[0]);
    }
    this.#nodes = nodes;
    this.#storage = storage;
    this.#reservations.push({ order, request, promised, scheduling, took });
    return true;
  }

  giveBack(order: OrderId): void {
    const found = this.#reservations.find((each) => each.order.dseq === order.dseq);
    this.#reservations = this.#reservations.filter((each) => each !== found);
    for (const { node: at, unit } of found?.took ?? []) {
      const node = this.#nodes[at];
      if (node === undefined) continue;
      const { cpu, memory, gpu, ephemeralStorage } = node.resources;
      returnTo(cpu.quantity, millis(unit.cpuMillis));
      returnTo(memory.quantity, whole(unit.memoryBytes + bytesOf(unit, 'ram')));
      returnTo(ephemeralStorage, whole(bytesOf(unit, 'ephemeral')));
      returnTo(gpu.quantity, whole(unit.gpus?.count ?? 0));
    }
  }
}

/** The node and the storage of the cluster as they are then; no node where it does not fit. */
interface Adjusted {
  readonly node: FitNode | undefined;
  readonly storage: FitStorage[];
  readonly wants: readonly GpuWant[];
}

function tryAdjust(before: FitNode, storage: FitStorage[], unit: Unit, wants: readonly GpuWant[]): Adjusted {
  const node = copyOf(before);
  const { cpu, memory, ephemeralStorage } = node.resources;
  if (!take(cpu.quantity, millis(unit.cpuMillis))) return { node: undefined, storage, wants };
  const narrowed = takeCards(node, unit.gpus?.count ?? 0, wants);
  if (narrowed === undefined) return { node: undefined, storage, wants };
  if (!take(memory.quantity, whole(unit.memoryBytes + bytesOf(unit, 'ram')))) return { node: undefined, storage, wants: narrowed };
  const left = copyStorage(storage);
  const fits = take(ephemeralStorage, whole(bytesOf(unit, 'ephemeral')));
  return { node: fits ? node : undefined, storage: fits ? left : storage, wants: narrowed };
}

const whole = (amount: number): Quantity => quantityFromWhole(BigInt(amount), 'DecimalSI');
const millis = (amount: number): Quantity => quantityFromMillis(BigInt(amount), 'DecimalSI');

function take(pair: Pair, amount: Quantity): boolean {
  const allocated = addQuantity(pair.allocated, amount);
  if (compareQuantity(pair.allocatable, allocated) < 0) return false;
  pair.allocated = allocated;
  return true;
}

function returnTo(pair: Pair, amount: Quantity): void {
  pair.allocated = subtractQuantity(pair.allocated, amount);
}

/** Cards are counted among all that are there, and taken off what is free: models are not told apart. */
function takeCards(node: FitNode, count: number, wants: readonly GpuWant[]): readonly GpuWant[] | undefined {
  if (count === 0) return wants;
  const { quantity, info } = node.resources.gpu;
  if (compareQuantity(quantity.allocatable, addQuantity(quantity.allocated, whole(count))) < 0) return undefined;
  let found = 0;
  for (const card of info) {
    const want = wants.find(({ vendor, model }) => vendor === card.vendor && (model === '*' || model === card.name));
    if (want === undefined) continue;
    found += 1;
    if (found < count) continue;
    take(quantity, whole(count));
    return [{ ...want, model: card.name }];
  }
  return undefined;
}

const pairOf = (free: Quantity): Pair => ({ allocatable: free, allocated: whole(0), attributes: null, capacity: free });

function fitNode(node: NodeFacts): FitNode {
  const pools = node.cards.filter((pool) => pool.assignedBy === 'plugin');
  const socket = (id: string) => ({ id, vendor: 'GenuineIntel', model: 'Xeon Platinum 8480C', vcores: 64 });
  return {
    name: node.name,
    resources: {
      cpu: { quantity: pairOf(millis(node.cpuMillis)), info: [socket('0'), socket('1')] },
      memory: { quantity: pairOf(whole(node.memoryBytes)), info: null },
      gpu: { quantity: pairOf(whole(pools.reduce((sum, { free }) => sum + free, 0))), info: pools.flatMap(infoOf) },
      ephemeralStorage: pairOf(whole(node.ephemeralBytes)),
      volumesAttached: pairOf(whole(0)),
      volumesMounted: pairOf(whole(0)),
    },
    capabilities: { storageClasses: node.storageClasses },
  };
}

function infoOf({ size, mayBeFree: [group] }: Extract<CardPool, { readonly assignedBy: 'plugin' }>): GpuInfo[] {
  if (group === undefined) return [];
  const { vendor, model, memoryBytes } = group;
  const card = { vendor, vendorId: '', name: model, modelId: '2330', interface: group.interface, memorySize: `${memoryBytes / 2 ** 30}Gi` };
  return Array.from({ length: size }, () => ({ ...card }));
}

function copyOf({ name, resources, capabilities }: FitNode): FitNode {
  const { cpu, memory, gpu, ephemeralStorage, volumesAttached, volumesMounted } = resources;
  return {
    name,
    resources: {
      cpu: { quantity: copyPair(cpu.quantity), info: cpu.info.map((socket) => ({ ...socket })) },
      memory: { quantity: copyPair(memory.quantity), info: null },
      gpu: { quantity: copyPair(gpu.quantity), info: gpu.info.map((card) => ({ ...card })) },
      ephemeralStorage: copyPair(ephemeralStorage),
      volumesAttached: copyPair(volumesAttached),
      volumesMounted: copyPair(volumesMounted),
    },
    capabilities: { storageClasses: [...capabilities.storageClasses] },
  };
}

const copyPair = ({ allocatable, allocated, attributes, capacity }: Pair): Pair => ({
  allocatable: { ...allocatable },
  allocated: { ...allocated },
  attributes,
  capacity: { ...capacity },
});

const copyStorage = (storage: readonly FitStorage[]): FitStorage[] =>
  storage.map(({ quantity, info }) => ({ quantity: copyPair(quantity), info: { ...info } }));

const copyUnit = (unit: Unit): Unit => ({
  ...unit,
  gpus: unit.gpus && { count: unit.gpus.count, wants: unit.gpus.wants.map((want) => ({ ...want })) },
  volumes: unit.volumes.map((volume) => ({ ...volume })),
});

const bytesOf = (unit: Unit, kind: Volume['kind']): number =>
  unit.volumes.reduce((sum, volume) => (volume.kind === kind ? sum + volume.bytes : sum), 0);
