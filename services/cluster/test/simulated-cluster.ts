import type { ClassFigures, InventoryChange, LeasePod, LeaseVolume, NodeAmounts, NodeFigures } from '../src/model/inventory-change.ts';
import { groupKey } from '../src/placement/card-offer.ts';
import type { CardGroup, CardPool } from '../src/placement/stock-facts.ts';
import { a100, Gi, t4 } from './sample-facts.ts';

export interface Machine {
  readonly cpuMillis: number;
  readonly gib: number;
  /** Nobody knows of others how many they run. */
  readonly pods?: number;
  readonly pool?: 'claim' | 'plugin' | 'plugin-a100' | 'mixed';
  readonly local: number;
  /** Whether volumes of `local` and of `flash`, and ephemeral storage, are on one filesystem. */
  readonly isShared?: boolean;
}

export const machines: readonly Machine[] = [
  { cpuMillis: 4000, gib: 8, pods: 4, local: 6, isShared: true },
  { cpuMillis: 4000, gib: 8, pods: 3, pool: 'plugin', local: 0 },
  { cpuMillis: 8000, gib: 12, pool: 'claim', local: 10, isShared: true },
  { cpuMillis: 3000, gib: 4, pool: 'mixed', local: 3 },
  { cpuMillis: 4000, gib: 8, pool: 'plugin-a100', local: 0 },
];

/** A machine that takes the place of another one has its filesystems: nobody could know of others while nobody tells of them. */
export const machinesAt = (at: number): readonly Machine[] => machines.filter(({ isShared = false }) => isShared === (at % 2 === 0));

const groupsOf = { claim: [t4, a100], plugin: [t4], 'plugin-a100': [a100], mixed: [t4, a100] } as const satisfies Record<
  string,
  readonly CardGroup[]
>;
const classNames = ['disk', 'flash', 'local'];
const byClaim = 'gpu.nvidia.com';
const byPlugin = 'nvidia.com/gpu';

/** Nodes, and what runs on them. A node counts the pods of its own generation. */
export class SimulatedCluster {
  readonly machines = new Map<string, { readonly machine: Machine; readonly uid: string; readonly isHeldBack: boolean }>(); // name -> machine
  readonly pods = new Map<string, LeasePod>();
  readonly claims = new Map<string, LeaseVolume>();
  diskGib = 12;
  /** Classes of which nobody can tell now. */
  readonly #silent = new Set<string>();
  /** Nodes of which nobody can tell now what `local` has there. */
  readonly #silentNodes = new Set<string>();
  /** Classes that were deleted. What was promised of them may be claimed when they are back. */
  readonly #gone = new Set<string>();
  readonly #published = {
    nodes: new Map<string, string>(),
    classes: new Set<string>(),
    pods: new Map<string, LeasePod>(),
    claims: new Map<string, LeaseVolume>(),
  };

  get nodes(): ReadonlyMap<string, NodeFigures> {
    return new Map([...this.machines].map(([name, { machine, uid, isHeldBack }]) => [name, this.#figures(name, machine, uid, isHeldBack)]));
  }

  /** As they are, whether or not anybody tells. What nobody tells of a filesystem is at least what its node says of it as ephemeral storage. */
  get classes(): ReadonlyMap<string, ClassFigures> {
    const untold = (node: string): boolean => this.#silentNodes.has(node) || !this.#tells('local');
    return new Map(
      this.#classes().map((figures) => {
        const { freeBytes, ephemeralNodes } = figures.facts;
        if (typeof freeBytes !== 'object') return [figures.facts.name, figures];
        const known = new Map([...freeBytes].filter(([node]) => !(untold(node) && ephemeralNodes?.has(node))));
        return [figures.facts.name, { ...figures, facts: { ...figures.facts, freeBytes: known } }];
      }),
    );
  }

  /** Whether everything that there is is told. */
  get isTold(): boolean {
    return this.#silentNodes.size === 0 && classNames.every((name) => this.#tells(name));
  }

  put(name: string, machine: Machine, uid: string): void {
    this.machines.set(name, { machine, uid, isHeldBack: false });
  }

  /** One more of which nobody can tell, or one less; now and then all can be told again. */
  silence(which: number, node: string): void {
    if (which % 6 < 3) toggle(this.#silent, classNames[which % 6] ?? '');
    else if (which % 6 === 3) toggle(this.#silentNodes, node);
    else for (const each of [this.#silent, this.#silentNodes, this.#gone]) each.clear();
  }

  /** Deletes a class, or makes it anew. */
  delete(which: number): void {
    toggle(this.#gone, classNames[which % 3] ?? '');
  }

  /** What the cards of a pod may be that it got on this node; `handed` is what a claim has handed to it. */
  cardGroups(node: string, resource: string, handed: readonly CardGroup[]): readonly CardGroup[] {
    const pool = this.machines.get(node)?.machine.pool;
    if (resource === byClaim) return handed.slice(0, 1);
    return pool === undefined || pool === 'claim' ? [] : groupsOf[pool];
  }

  whole(observedAt: number): InventoryChange {
    return {
      ...{ kind: 'whole', observedAt, nodes: [...this.nodes.values()], classes: this.#toldClasses() },
      ...{ pods: [...this.pods.values()], volumes: [...this.claims.values()] },
      ...{ removedNodes: [], removedClasses: [], removedPods: [], removedVolumes: [] },
    };
  }

  /** What is not as it was when this was last asked. */
  delta(observedAt: number): InventoryChange {
    const { nodes, pods, claims } = this.#published;
    const current = this.nodes;
    const classes = this.#toldClasses();
    const names = new Set(classes.map(({ facts }) => facts.name));
    const change: InventoryChange = {
      ...{ kind: 'delta', observedAt, classes, removedClasses: [...this.#published.classes].filter((name) => !names.has(name)) },
      nodes: [...current.values()].filter((figures) => nodes.get(figures.facts.name) !== textOf(figures)),
      removedNodes: [...nodes.keys()].filter((name) => !current.has(name)),
      pods: [...this.pods.values()].filter((pod) => pods.get(pod.uid) !== pod),
      removedPods: [...pods.keys()].filter((uid) => !this.pods.has(uid)),
      volumes: [...this.claims.values()].filter((claim) => claims.get(claim.uid) !== claim),
      removedVolumes: [...claims.keys()].filter((uid) => !this.claims.has(uid)),
    };
    refill(nodes, new Map([...current].map(([name, figures]) => [name, textOf(figures)])));
    refill(pods, this.pods);
    refill(claims, this.claims);
    this.#published.classes.clear();
    for (const name of names) this.#published.classes.add(name);
    return change;
  }

  #ephemeralOn(node: string): number {
    let sum = 0;
    for (const pod of this.pods.values()) if (pod.node === node) sum += pod.ephemeralBytes;
    return sum;
  }

  #claimedOn(node: string): number {
    let sum = 0;
    for (const claim of this.claims.values()) if (claim.storageClass === 'local' && claim.node === node) sum += claim.bytes;
    return sum;
  }

  /** A replicated class has no figures while none of the nodes is there that have its disks. */
  #tells(name: string): boolean {
    const hasDisks = name !== 'flash' || [...this.machines.values()].some(({ machine }) => machine.isShared === true);
    return !this.#silent.has(name) && !this.#gone.has(name) && hasDisks;
  }

  /** A class that cannot be read is told of by its name alone; those that share its space do not name it then. Agents that are silent tell of no node. */
  #toldClasses(): readonly ClassFigures[] {
    return this.#classes().flatMap((figures): ClassFigures[] => {
      const { name, sharesSpaceWith, freeBytes, ephemeralNodes = [] } = figures.facts;
      if (this.#gone.has(name)) return [];
      if (!this.#tells(name)) return [{ facts: { name, refusal: { code: 'AgentMissing', message: 'no agent' } } }];
      if (typeof freeBytes !== 'object') {
        const shared = sharesSpaceWith?.filter((each) => this.#tells(each));
        return [{ ...figures, facts: { ...figures.facts, sharesSpaceWith: shared } }];
      }
      const isHeard = (node: string): boolean => !this.#silentNodes.has(node);
      const [free, nodes] = [[...freeBytes].filter(([node]) => isHeard(node)), [...ephemeralNodes].filter(isHeard)];
      return [{ ...figures, facts: { ...figures.facts, freeBytes: new Map(free), ephemeralNodes: new Set(nodes) } }];
    });
  }

  #classes(): readonly ClassFigures[] {
    const taken = (name: string, node?: string): number => {
      let sum = 0;
      for (const claim of this.claims.values())
        if (claim.storageClass === name && (node === undefined || claim.node === node)) sum += claim.bytes;
      return sum;
    };
    const local = new Map(
      [...this.machines].filter(([, { machine }]) => machine.local > 0).map(([name, { machine }]) => [name, machine.local * Gi]),
    );
    const localBytes = [...local.values()].reduce((sum, bytes) => sum + bytes, 0);
    const ephemeralNodes = new Set([...this.machines].filter(([, { machine }]) => machine.isShared === true).map(([name]) => name));
    for (const [name, bytes] of local)
      local.set(name, bytes - taken('local', name) - (ephemeralNodes.has(name) ? this.#ephemeralOn(name) : 0));
    // Volumes of disk are kept twice, those of flash three times, in the same bytes.
    const raw = this.diskGib * Gi * 2;
    const rest = raw - taken('disk') * 2 - taken('flash') * 3;
    const wide = (name: string, replicas: number) => ({
      facts: { name, freeBytes: Math.floor(rest / replicas), replicas },
      allocatableBytes: Math.floor(raw / replicas),
      allocatedBytes: taken(name),
    });
    const [disk, flash] = [wide('disk', 2), wide('flash', 3)];
    return [
      { ...disk, facts: { ...disk.facts, sharesSpaceWith: ['flash'] } },
      { ...flash, facts: { ...flash.facts, sharesSpaceWith: ['disk'], ephemeralNodes } },
      {
        facts: { name: 'local', freeBytes: local, ephemeralNodes },
        allocatableBytes: localBytes,
        allocatedBytes: taken('local'),
      },
    ];
  }

  #figures(name: string, { cpuMillis, gib, pods: limit, pool, isShared }: Machine, uid: string, isHeldBack: boolean): NodeFigures {
    const pods = [...this.pods.values()].filter((pod) => pod.node === name);
    const groups = pool === undefined ? [] : groupsOf[pool];
    const cards = (group: CardGroup): number =>
      pool === 'claim'
        ? sum(
            pods.filter(({ cardGroups: [own] }) => own !== undefined && groupKey(own) === groupKey(group)),
            (pod) => pod.cards.get(byClaim) ?? 0,
          )
        : group === groups[0]
          ? sum(pods, (pod) => pod.cards.get(byPlugin) ?? 0)
          : 0;
    const allocated: NodeAmounts = {
      cpuMillis: sum(pods, (pod) => pod.cpuMillis),
      memoryBytes: sum(pods, (pod) => pod.memoryBytes),
      ephemeralBytes: sum(pods, (pod) => pod.ephemeralBytes),
      pods: pods.length,
      cards: new Map(groups.map((group) => [groupKey(group), cards(group)])),
    };
    const allocatable = {
      cpuMillis,
      memoryBytes: gib * Gi,
      ephemeralBytes: gib * Gi,
      pods: limit,
      cards: new Map(groups.map((group) => [groupKey(group), 2])),
    };
    const facts = {
      ...{
        name,
        uid,
        cards: poolsOf(pool, cards),
        storageClasses: classNames,
      },
      heldBack: isHeldBack ? [{ code: 'Cordoned', message: 'is cordoned' }] : [],
      podSlots: limit === undefined ? undefined : limit - pods.length,
      cpuMillis: cpuMillis - allocated.cpuMillis,
      memoryBytes: allocatable.memoryBytes - allocated.memoryBytes,
      ephemeralBytes: allocatable.ephemeralBytes - allocated.ephemeralBytes - (isShared === true ? this.#claimedOn(name) : 0),
    };
    return { facts, allocatable, allocated };
  }
}

function poolsOf(pool: Machine['pool'], taken: (group: CardGroup) => number): readonly CardPool[] {
  if (pool === undefined) return [];
  const mayBeFree = groupsOf[pool];
  if (pool === 'claim') {
    const groups = mayBeFree.map((group) => ({ ...group, size: 2, free: 2 - taken(group) }));
    return [{ resource: byClaim, assignedBy: 'claim', groups }];
  }
  const size = mayBeFree.length * 2;
  return [{ resource: byPlugin, assignedBy: 'plugin', size, free: size - sum(mayBeFree, taken), mayBeFree }];
}

const sum = <T>(values: readonly T[], of: (value: T) => number): number => values.reduce((total, value) => total + of(value), 0);

function toggle(set: Set<string>, name: string): void {
  if (!set.delete(name)) set.add(name);
}

function refill<T>(map: Map<string, T>, from: ReadonlyMap<string, T>): void {
  map.clear();
  for (const [key, value] of from) map.set(key, value);
}

const textOf = ({ facts, allocatable }: NodeFigures): string => JSON.stringify([facts, allocatable.cpuMillis]);
