/*
 * The baseline: the reservation of the existing provider, written from a description of what it does. The whole inventory is copied; units go from the last to the
 * first, and for each the nodes are tried by name from the first, each on a copy of its own; as many replicas as fit go on a node; the model of the first cards
 * found replaces the wish.
 *
 * What is copied is what that inventory has: three quantities for each of six resources, one entry for each processor and each card, the classes of each node and
 * the storage of the cluster. Fields that it never fills (attributes, memory modules) are left empty. Objects are copied field by field, as the generated
 * code of the original does: structuredClone would take many times as long. Nothing else is done slowly on purpose; the original takes 6.2 ms with 1 000
 * nodes, this about a tenth of it.
 */
import type { CardPool, GpuWant, NodeFacts, Request, Unit, Volume } from '@quartermaster/cluster';
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

type Took = readonly { readonly node: number; readonly unit: Unit }[];

export class FirstFit {
  #nodes: FitNode[];
  #storage: FitStorage[];

  constructor(nodes: readonly NodeFacts[]) {
    this.#nodes = nodes.toSorted((a, b) => (a.name < b.name ? -1 : 1)).map(fitNode);
    const terabyte = whole(1e12);
    this.#storage = ['beta1', 'beta2', 'beta3'].map((name) => ({ quantity: pairOf(terabyte), info: { class: name, iops: '' } }));
  }

  /** What was taken, or undefined when it does not fit: then nothing was. */
  reserve({ units }: Request): Took | undefined {
    const nodes = this.#nodes.map(copyOf);
    const storage = this.#storage.map(({ quantity, info }) => ({ quantity: copyPair(quantity), info: { ...info } }));
    const took: { node: number; unit: Unit }[] = [];
    for (const unit of units.toReversed()) {
      let left = unit.count;
      let wants = unit.gpus?.wants ?? [];
      for (let at = 0; at < nodes.length && left > 0; at += 1) {
        for (; left > 0; left -= 1) {
          const node = nodes[at];
          if (node === undefined) break;
          const adjusted = tryAdjust(node, unit, wants);
          wants = adjusted.wants;
          if (adjusted.node === undefined) break;
          nodes[at] = adjusted.node;
          took.push({ node: at, unit });
        }
      }
      if (left > 0) return undefined;
    }
    this.#nodes = nodes;
    this.#storage = storage;
    return took;
  }

  giveBack(took: Took): void {
    for (const { node: at, unit } of took) {
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

function tryAdjust(
  before: FitNode,
  unit: Unit,
  wants: readonly GpuWant[],
): { readonly node: FitNode | undefined; readonly wants: readonly GpuWant[] } {
  const node = copyOf(before);
  const { cpu, memory, ephemeralStorage } = node.resources;
  if (!take(cpu.quantity, millis(unit.cpuMillis))) return { node: undefined, wants };
  const narrowed = takeCards(node, unit.gpus?.count ?? 0, wants);
  if (narrowed === undefined) return { node: undefined, wants };
  const fits =
    take(memory.quantity, whole(unit.memoryBytes + bytesOf(unit, 'ram'))) && take(ephemeralStorage, whole(bytesOf(unit, 'ephemeral')));
  return { node: fits ? node : undefined, wants: narrowed };
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

const bytesOf = (unit: Unit, kind: Volume['kind']): number =>
  unit.volumes.reduce((sum, volume) => (volume.kind === kind ? sum + volume.bytes : sum), 0);
