import type { PlannedSpace } from './plan.ts';
import type { ClassFacts } from './stock-facts.ts';

/** Classes that draw on the same bytes, all node-local or none. One that nobody tells of may be in several: it is in each that it may draw on. */
export interface Space {
  readonly classes: readonly ClassFacts[];
}

/** Volumes of a cluster-wide class some of whose space is the ephemeral storage of nodes. */
export interface WideVolume {
  readonly facts: ClassFacts;
  /** Of all of them together, copies not counted. */
  readonly bytes: number;
}

/** The storage classes, what is held of each, and which of them share space. Bytes of a space are counted with their copies. */
export class StorageClasses {
  readonly #classes = new Map<string, ClassFacts>(); // name -> class
  readonly #held = new Map<string, number>(); // name -> bytes, on all nodes together
  readonly #headroomBytes: number;
  #spaces: ReadonlyMap<string, Space> = new Map(); // name of a class -> space
  /** Cluster-wide classes some of whose space is the ephemeral storage of nodes, by name. */
  #wideInEphemeral = noClasses;
  /** Those of which that is not known of each node. */
  #maybeInEphemeral = noClasses;
  readonly #besideVolumes = new Map<string, number>(); // node of whose ephemeral storage something is held -> what is left of it

  constructor(headroomBytes: number) {
    this.#headroomBytes = headroomBytes;
  }

  get(name: string): ClassFacts | undefined {
    return this.#classes.get(name);
  }

  get all(): readonly ClassFacts[] {
    return [...this.#classes.values()];
  }

  /** Answers whether spaces are not what they were, so that every node is concerned. */
  set(name: string, facts: ClassFacts | undefined): boolean {
    const before = this.#classes.get(name);
    if (facts === undefined) this.#classes.delete(name);
    else this.#classes.set(name, facts);
    const all = [...this.#classes.values()];
    this.#spaces = spacesOf(all);
    this.#wideInEphemeral = all.filter(isWideInEphemeral).sort(byName);
    this.#maybeInEphemeral = all.filter(({ maybeEphemeralNodes }) => (maybeEphemeralNodes?.size ?? 0) > 0);
    return before === undefined || facts === undefined || topologyOf(before) !== topologyOf(facts);
  }

  /** The classes that a volume of the wanted class can be of, offered or not; in the order of their names. */
  of(wanted: string): readonly ClassFacts[] {
    const all = [...this.#classes.values()].filter(({ isGone }) => isGone !== true).sort(byName);
    const performing = all.filter(({ performance }) => performance === wanted);
    if (performing.length > 0) return performing;
    return all.filter(({ name, isDefault }) => (wanted === 'default' ? isDefault === true || name === wanted : name === wanted));
  }

  spaceOf(facts: ClassFacts): Space {
    return this.#spaces.get(facts.name) ?? { classes: [facts] };
  }

  /** Where volumes of a class are that pods on these nodes have. */
  plannedSpace(facts: ClassFacts, nodes: Iterable<string>): PlannedSpace {
    const own = new Set(this.spaceOf(facts).classes);
    const apart = [...this.#classes.values()].filter((each) => tells(each) && isLocal(each) === isLocal(facts) && !own.has(each));
    const inEphemeral = isWideInEphemeral(facts) ? 'any' : [...new Set(nodes)].filter((node) => isEphemeralOn(facts, node)).sort();
    return {
      isNodeLocal: isLocal(facts),
      copies: copiesOf(facts),
      copiesOnNode: copiesOnNode(facts),
      // Who is not named counts as one of whom nobody can say.
      apartFrom: apart
        .map(({ name }) => name)
        .sort()
        .slice(0, maxApart),
      ephemeralNodes: inEphemeral,
    };
  }

  hold(name: string, bytes: number): void {
    const held = (this.#held.get(name) ?? 0) + bytes;
    if (held === 0) this.#held.delete(name);
    else this.#held.set(name, held);
  }

  isHeld({ name }: ClassFacts): boolean {
    return this.#held.has(name);
  }

  /** The node-local classes of which something is held on any node. */
  get heldLocal(): readonly ClassFacts[] {
    return this.#held.size === 0 ? noClasses : this.localOf(this.#held.keys());
  }

  /** Those that are node-local, in the order of their names. */
  localOf(names: Iterable<string>): readonly ClassFacts[] {
    const found: ClassFacts[] = [];
    for (const name of names) {
      const facts = this.#classes.get(name);
      if (facts !== undefined && isLocal(facts)) found.push(facts);
    }
    return found.length < 2 ? found : found.sort(byName);
  }

  /** What is left of a cluster-wide class, copies counted. Negative where more is promised than there is; undefined while unknown. */
  room(facts: ClassFacts): number | undefined {
    const own = this.spaceRoom(facts);
    if (own === undefined || !isWideInEphemeral(facts)) return own;
    let beside = Number.POSITIVE_INFINITY;
    for (const [node, left] of this.#besideVolumes) if (facts.ephemeralNodes?.has(node)) beside = Math.min(beside, left);
    const left = this.#held.has(facts.name) ? beside : Math.max(beside, 0);
    return Math.min(own, Math.floor((left * copiesOf(facts)) / copiesOnNode(facts)));
  }

  /** The same, whatever is held of the ephemeral storage of the nodes where its space is. */
  spaceRoom(facts: ClassFacts): number | undefined {
    if (typeof facts.freeBytes !== 'number') return undefined;
    return this.#without(facts, facts.freeBytes, (name) => this.#held.get(name) ?? 0);
  }

  /** What is left of the ephemeral storage of a node of which something is held; undefined where nothing is, or it is gone. */
  setBesideVolumes(node: string, left: number | undefined): void {
    if (left !== undefined && this.#wideInEphemeral.length > 0) this.#besideVolumes.set(node, left);
    else if (this.#besideVolumes.size > 0) this.#besideVolumes.delete(node);
  }

  /**
   * The classes of those volumes that could come to lie where ephemeral storage is held already: what they may take there, and what is left, where that is least. One
   * such node is enough, however many others have room: a backend passes over a node that is full, and one whose ephemeral storage is only promised is not.
   */
  displacing(volumes: readonly WideVolume[]): ReadonlyMap<ClassFacts, { readonly needs: number; readonly has: number }> {
    const found = new Map<ClassFacts, { readonly needs: number; readonly has: number }>();
    if (volumes.length === 0) return found;
    for (const [node, left] of this.#besideVolumes) {
      const [needs, has] = [bytesOn(volumes, node), Math.max(left, 0)];
      if (needs <= has) continue;
      for (const { facts } of volumes) {
        const least = found.get(facts);
        const isLess = least === undefined || has < least.has || (has === least.has && needs > least.needs);
        if (isLess && facts.ephemeralNodes?.has(node)) found.set(facts, { needs, has });
      }
    }
    return found;
  }

  /** Bytes that held volumes of cluster-wide classes may take of a node's ephemeral storage: the backend may put copies of each there. */
  wideHeldOn(node: string): number {
    let sum = 0;
    for (const facts of this.#wideInEphemeral)
      if (facts.ephemeralNodes?.has(node)) sum += (this.#held.get(facts.name) ?? 0) * copiesOnNode(facts);
    return sum;
  }

  /** Bytes of those of which nobody can say whether they may. */
  maybeHeldOn(node: string): number {
    let sum = 0;
    for (const facts of this.#maybeInEphemeral)
      if (facts.maybeEphemeralNodes?.has(node)) sum += (this.#held.get(facts.name) ?? 0) * copiesOnNode(facts);
    return sum;
  }

  get wideInEphemeral(): readonly ClassFacts[] {
    return this.#wideInEphemeral;
  }

  /** By the cluster-wide classes that have space in ephemeral storage at all: whether they have it in this node's. */
  wideFlags(node: string): readonly number[] {
    if (this.#wideInEphemeral.length === 0) return noFlags;
    return this.#wideInEphemeral.map((facts) => (facts.ephemeralNodes?.has(node) ? 1 : 0));
  }

  /** The nodes whose ephemeral storage volumes of a cluster-wide class may take. */
  wideNodes(name: string): Iterable<string> {
    const facts = this.#classes.get(name);
    if (facts === undefined || isLocal(facts)) return [];
    const { ephemeralNodes = [], maybeEphemeralNodes = [] } = facts;
    return [...ephemeralNodes, ...maybeEphemeralNodes];
  }

  /** The same of a node-local class on a node. `heldThere` tells what is held of a class on that node. */
  localRoom(facts: ClassFacts, node: string, heldThere: (name: string) => number, ephemeralHeld: number): number | undefined {
    const free = freeByNode(facts).get(node);
    if (free === undefined) return undefined;
    return this.#without(facts, free, heldThere) - ephemeralHeld * ephemeralCopies(this.spaceOf(facts), node);
  }

  /** Bytes of a node's ephemeral storage that volumes of its node-local classes have taken. */
  heldOfEphemeral(node: string, held: ReadonlyMap<string, number>): number {
    let sum = 0;
    for (const [name, bytes] of held) if (isEphemeralOn(this.#classes.get(name), node)) sum += bytes;
    return sum;
  }

  #without(facts: ClassFacts, free: number, heldOf: (name: string) => number): number {
    const held = this.spaceOf(facts).classes.reduce((sum, each) => sum + heldOf(each.name) * copiesOf(each), 0);
    return Math.min((free - this.#headroomBytes) * copiesOf(facts), Number.MAX_SAFE_INTEGER) - held;
  }
}

const noClasses: readonly ClassFacts[] = [];
const noFlags: readonly number[] = [];

const byName = (a: ClassFacts, b: ClassFacts): number => (a.name < b.name ? -1 : 1);

/** As many as the object of a reservation takes. */
const maxApart = 32;

/** Whether anybody knows what is free of it, and so where it is. */
export const tells = ({ freeBytes }: ClassFacts): boolean => freeBytes !== undefined;

/** Why the inventory does not offer a class that it cannot tell of now: every other reason is a statement about the class. The last is our own. */
const ignorance: ReadonlySet<string> = new Set(['CapacityUnknown', 'AgentMissing', 'FiguresUnreadable']);

/** Whether it may be offered as before, for all that anybody knows. */
export const isUntold = (facts: ClassFacts): boolean =>
  !tells(facts) && facts.isGone !== true && (facts.refusal === undefined || ignorance.has(facts.refusal.code));

export const copiesOf = (facts: ClassFacts): number => facts.replicas ?? 1;

/** Of those, how many one node may have to hold. */
export const copiesOnNode = (facts: ClassFacts): number => facts.replicasPerNode ?? 1;

export const isLocal = ({ freeBytes, isNodeLocal }: ClassFacts): boolean => typeof freeBytes === 'object' || isNodeLocal === true;

/** What is free of a node-local class, by the nodes that are told of. */
export const freeByNode = ({ freeBytes }: ClassFacts): ReadonlyMap<string, number> => (typeof freeBytes === 'object' ? freeBytes : noNodes);

const noNodes: ReadonlyMap<string, number> = new Map();

export const isWideInEphemeral = (facts: ClassFacts): boolean => !isLocal(facts) && (facts.ephemeralNodes?.size ?? 0) > 0;

/** What volumes of cluster-wide classes may take of a node's ephemeral storage. */
export function bytesOn(volumes: readonly WideVolume[], node: string): number {
  let sum = 0;
  for (const { facts, bytes } of volumes) if (facts.ephemeralNodes?.has(node)) sum += bytes * copiesOnNode(facts);
  return sum;
}

/** Whether the space of a node-local class is the node's ephemeral storage. */
export const isEphemeralOn = (facts: ClassFacts | undefined, node: string): boolean =>
  facts !== undefined && isLocal(facts) && facts.ephemeralNodes?.has(node) === true;

/** How many bytes of the space each byte of the node's ephemeral storage takes; 0 where they have nothing to do with each other. */
export function ephemeralCopies({ classes }: Space, node: string): number {
  return classes.reduce((most, each) => (isEphemeralOn(each, node) ? Math.max(most, copiesOf(each)) : most), 0);
}

const topologyOf = (facts: ClassFacts): string =>
  JSON.stringify([
    tells(facts),
    isLocal(facts),
    isWideInEphemeral(facts),
    copiesOf(facts),
    copiesOnNode(facts),
    facts.sharesSpaceWith?.toSorted() ?? [],
  ]);

/**
 * Sharing counts from whichever side it is told, and on: if a shares with b and b with c, all three draw on one space. Not over one that nobody tells of: if a and c
 * tell, they say so themselves.
 */
export function spacesOf(classes: readonly ClassFacts[]): ReadonlyMap<string, Space> {
  const members = new Map(classes.filter(tells).map((each) => [each.name, [each]])); // name of a class -> classes of its space
  for (const each of classes) {
    for (const name of each.sharesSpaceWith ?? []) {
      const [own, others] = [members.get(each.name), members.get(name)];
      if (own === undefined || others === undefined || own === others || isLocal(each) !== others.some(isLocal)) continue;
      own.push(...others);
      for (const other of others) members.set(other.name, own);
    }
  }
  const silent = classes.filter((each) => !tells(each));
  const spaces = new Map<string, Space>();
  const around = new Map(silent.map((each) => [each, new Set([each])])); // one that nobody tells of -> those that it may draw on, too
  for (const list of new Set(members.values())) {
    const maybe = silent.filter((each) => list.some((other) => mayShare(each, other)));
    const space = { classes: [...list, ...maybe] };
    for (const { name } of list) spaces.set(name, space);
    for (const each of maybe) for (const other of space.classes) around.get(each)?.add(other);
  }
  for (const [{ name }, those] of around) spaces.set(name, { classes: [...those] });
  return spaces;
}

const mayShare = (a: ClassFacts, b: ClassFacts): boolean =>
  isLocal(a) === isLocal(b) && (a.sharesSpaceWith?.includes(b.name) === true || b.sharesSpaceWith?.includes(a.name) === true);
