import type { NodeRow, StorageCard } from '@quartermaster/api/inventory-views';

/** What one replica takes, and how many there shall be. What is 0 or empty is not asked for. */
export interface FitOrder {
  readonly cpuMillis: number;
  readonly memoryBytes: number;
  readonly gpus: number;
  /** Empty: whichever, but all cards of a replica are of one model. */
  readonly gpuModel: string;
  readonly storageClass: string;
  readonly storageBytes: number;
  readonly replicas: number;
}

export type Resource = 'cpu' | 'memory' | 'gpu' | 'storage';

/** Why a node takes no replica: it is not for sale, has too little of something, or nobody says how much of the storage class it has. */
export type Lack =
  | { readonly kind: 'state'; readonly state: 'held-back' | 'unknown'; readonly why: readonly string[] }
  | { readonly kind: 'unsaid' }
  | { readonly kind: 'resource'; readonly resource: Resource; readonly wanted: number; readonly free: number };

/** A change of the order, alone, with which one replica would fit. */
export type Change =
  | { readonly kind: 'less'; readonly resource: Resource; readonly amount: number }
  | { readonly kind: 'model'; readonly model: string; readonly room: number }
  | {
      readonly kind: 'release';
      readonly node: string;
      readonly room: number;
      readonly state: 'held-back' | 'unknown';
      readonly why: readonly string[];
    };

export interface FitAnswer {
  /** How many replicas there is room for, with no end to what is asked. */
  readonly room: number;
  /** Whether there may be room for more, on nodes whose space of the storage class is not said. */
  readonly isAtLeast: boolean;
  /** Where the wanted ones go: as many on a node as it takes, the fullest nodes first so that large gaps stay. */
  readonly plan: readonly { readonly node: string; readonly replicas: number }[];
  /** Every node that takes none and why, the nearest to taking one first. */
  readonly refusals: readonly { readonly node: string; readonly lacks: readonly Lack[] }[];
  /** What the class itself says against it. */
  readonly storageProblem: string | undefined;
  readonly changes: readonly Change[];
}

/**
 * Where an order would go by what the inventory says is free now. Pure. It reserves nothing, and a scheduler may still refuse for reasons that are no
 * amounts: affinities, ports, taints that the order does not tolerate.
 */
export function fit(order: FitOrder, nodes: readonly NodeRow[], classes: readonly StorageCard[]): FitAnswer {
  const storage = new StorageRoom(order, classes);
  const places = nodes.flatMap((node) => (node.sale === undefined ? [] : [placeOf(node, order, storage)]));
  const open = places.filter(({ isOpen, room }) => isOpen && room > 0).toSorted((a, b) => a.room - b.room || byName(a, b));
  const room = Math.min(storage.room, sum(open.map((place) => place.room)));
  const plan: { node: string; replicas: number }[] = [];
  let left = Math.min(order.replicas, room);
  for (const place of open) {
    if (left === 0) break;
    const replicas = Math.min(place.room, left);
    plan.push({ node: place.name, replicas });
    left -= replicas;
  }
  const refused = places.filter(({ isOpen, room: own }) => !isOpen || own === 0);
  return {
    room,
    isAtLeast: places.some(({ mayTakeMore }) => mayTakeMore),
    plan,
    refusals: refused
      .toSorted((a, b) => a.lacks.length - b.lacks.length || distanceOf(a) - distanceOf(b) || byName(a, b))
      .map(({ name, lacks }) => ({ node: name, lacks })),
    storageProblem: storage.problem,
    changes: room >= order.replicas ? [] : changesOf(order, nodes, classes, { places, room }),
  };
}

interface Place {
  readonly name: string;
  readonly isOpen: boolean;
  /** How many replicas it takes by its amounts, sold or not. */
  readonly room: number;
  readonly free: Readonly<Record<Resource, number>>;
  readonly lacks: readonly Lack[];
  readonly mayTakeMore: boolean;
}

function placeOf({ name, sale }: NodeRow, order: FitOrder, storage: StorageRoom): Place {
  if (sale === undefined) throw new Error(`${name} is not in the inventory: leave it out`);
  const { cpu, memory, models } = sale.unsold ?? { cpu: sale.cpu[2], memory: sale.memory[2], models: sale.freeModels };
  const gpu = order.gpuModel === '' ? Math.max(0, ...Object.values(models)) : (models[order.gpuModel] ?? 0);
  const said = storage.on(name);
  const free = { cpu, memory, gpu, storage: said ?? 0 };
  const wanted = wantedOf(order);
  const short = (said === undefined ? amounts : resources).filter((resource) => wanted[resource] > free[resource]);
  const { state, why } = sale;
  return {
    name,
    isOpen: state === 'sellable',
    room: Math.min(storage.roomOn(name), ...amounts.map((resource) => roomFor(wanted[resource], free[resource]))),
    free,
    lacks: [
      ...(state === 'sellable' ? [] : [{ kind: 'state', state, why } as const]),
      ...(said === undefined ? [{ kind: 'unsaid' } as const] : []),
      ...short.map((resource) => ({ kind: 'resource', resource, wanted: wanted[resource], free: Math.max(0, free[resource]) }) as const),
    ],
    mayTakeMore: said === undefined && state === 'sellable' && short.length === 0 && storage.mayBeUnsaid,
  };
}

const roomFor = (wanted: number, free: number): number => (wanted === 0 ? unlimited : Math.max(0, Math.floor(free / wanted)));

/** How much of what is asked for is not there, in parts of it. */
const distanceOf = ({ lacks }: Place): number => sum(lacks.map((lack) => (lack.kind === 'resource' ? 1 - lack.free / lack.wanted : 1)));

/** What a class can still hold: as a whole, or on each of its nodes. */
class StorageRoom {
  readonly #card: StorageCard | undefined;
  readonly #bytes: number;
  readonly problem: string | undefined;

  constructor({ storageClass, storageBytes }: FitOrder, classes: readonly StorageCard[]) {
    this.#bytes = storageClass === '' ? 0 : storageBytes;
    this.#card = this.#bytes === 0 ? undefined : classes.find(({ name }) => name === storageClass);
    this.problem =
      this.#bytes > 0 && this.#card === undefined ? `There is no storage class ${storageClass}.` : this.#card?.refusal?.message;
  }

  /** Of the class as a whole. */
  get room(): number {
    if (this.#bytes === 0 || this.#card?.places !== undefined) return this.problem === undefined ? unlimited : 0;
    return this.problem === undefined && this.#largest() >= this.#bytes ? Math.floor(this.#available() / this.#bytes) : 0;
  }

  /** By the class alone, on this node. */
  roomOn(node: string): number {
    if (this.#bytes === 0) return unlimited;
    // Of a class that is everywhere one replica takes as much here as elsewhere: what counts is the class as a whole.
    if (this.#card?.places === undefined) return this.#largest() >= this.#bytes ? unlimited : 0;
    return roomFor(this.#bytes, this.on(node) ?? 0);
  }

  /** What one replica on this node could have. A class that lives on many nodes says only where the most space is left; undefined elsewhere. */
  on(node: string): number | undefined {
    if (this.#bytes === 0) return 0;
    const { places } = this.#card ?? {};
    if (places === undefined) return this.#largest();
    const named = places.roomiest.find((place) => place.node === node);
    return named?.available ?? (places.count > places.roomiest.length ? undefined : 0);
  }

  /** Whether a node that is not named may have enough for one replica: it has no more than those that are. */
  get mayBeUnsaid(): boolean {
    const named = this.#card?.places?.roomiest ?? [];
    return this.problem === undefined && named.every(({ available }) => available >= this.#bytes);
  }

  #available(): number {
    return Math.max(0, this.#card?.amount?.available ?? 0);
  }

  #largest(): number {
    return Math.min(this.#available(), this.#card?.largestVolumeBytes ?? this.#available());
  }
}

function changesOf(
  order: FitOrder,
  nodes: readonly NodeRow[],
  classes: readonly StorageCard[],
  { places, room }: { readonly places: readonly Place[]; readonly room: number },
): readonly Change[] {
  const wanted = wantedOf(order);
  const less = resources.flatMap((resource): readonly Change[] => {
    if (wanted[resource] === 0 || room > 0) return [];
    const others = resources.filter((each) => each !== resource);
    const able = places.filter((place) => place.isOpen && others.every((each) => place.free[each] >= wanted[each]));
    const amount = Math.max(0, ...able.map(({ free }) => free[resource]));
    return amount === 0 || amount >= wanted[resource] ? [] : [{ kind: 'less', resource, amount }];
  });
  const models = order.gpus === 0 || order.gpuModel === '' ? [] : modelsOf(nodes).filter((model) => model !== order.gpuModel);
  const others = models
    .map((model) => ({ kind: 'model', model, room: fit({ ...order, gpuModel: model, replicas: 0 }, nodes, classes).room }) as const)
    .filter((change) => change.room > room);
  const released = places
    .filter((place) => !place.isOpen && place.room > 0 && place.room < unlimited)
    .toSorted((a, b) => b.room - a.room || byName(a, b))
    .slice(0, maxReleased)
    .flatMap(({ name, room: own, lacks }): readonly Change[] => {
      const [lack] = lacks;
      return lack?.kind === 'state' ? [{ kind: 'release', node: name, room: own, state: lack.state, why: lack.why }] : [];
    });
  return [...less, ...others, ...released];
}

/** Every model that some node has. */
export const modelsOf = (nodes: readonly NodeRow[]): readonly string[] =>
  [...new Set(nodes.flatMap(({ sale }) => Object.keys(sale?.models ?? {})))].toSorted();

const amounts = ['cpu', 'memory', 'gpu'] as const;
const resources = [...amounts, 'storage'] as const;

const wantedOf = ({ cpuMillis, memoryBytes, gpus, storageClass, storageBytes }: FitOrder): Readonly<Record<Resource, number>> => ({
  cpu: cpuMillis,
  memory: memoryBytes,
  gpu: gpus,
  storage: storageClass === '' ? 0 : storageBytes,
});

/** Room without end, for those who ask for nothing; it can still be added up. */
const unlimited = 1_000_000;
const maxReleased = 3;

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const byName = (a: { readonly name: string }, b: { readonly name: string }): number => (a.name < b.name ? -1 : 1);
