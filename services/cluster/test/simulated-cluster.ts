import type { ClassFigures, InventoryChange, LeasePod, LeaseVolume, NodeAmounts, NodeFigures } from '../src/model/inventory-change.ts';
import { groupKey } from '../src/placement/card-offer.ts';
import type { CardGroup, CardPool } from '../src/placement/stock-facts.ts';
import { a100, Gi, t4 } from './sample-facts.ts';

export interface Machine {
  readonly cpuMillis: number;
  readonly gib: number;
  readonly pool?: 'claim' | 'plugin' | 'plugin-a100' | 'mixed';
  readonly local: number;
  /** Whether volumes of `local` and of `flash`, and ephemeral storage, are on one filesystem. */
  readonly isShared?: boolean;
}

export const machines: readonly Machine[] = [
  { cpuMillis: 4000, gib: 8, local: 6, isShared: true },
  { cpuMillis: 4000, gib: 8, pool: 'plugin', local: 0 },
  { cpuMillis: 8000, gib: 12, pool: 'claim', local: 10, isShared: true },
  { cpuMillis: 3000, gib: 4, pool: 'mixed', local: 3 },
  { cpuMillis: 4000, gib: 8, pool: 'plugin-a100', local: 0 },
];

const groupsOf = { claim: [t4, a100], plugin: [t4], 'plugin-a100': [a100], mixed: [t4, a100] } as const satisfies Record<
  string,
  readonly CardGroup[]
>;
const byClaim = 'gpu.nvidia.com';
const byPlugin = 'nvidia.com/gpu';

/** Nodes, and what runs on them. A node counts the pods of its own generation. */
export class SimulatedCluster {
  readonly machines = new Map<string, { readonly machine: Machine; readonly uid: string; readonly isHeldBack: boolean }>(); // name -> machine
  readonly pods = new Map<string, LeasePod>();
  readonly claims = new Map<string, LeaseVolume>();
  diskGib = 12;
  /** Of which nobody can tell now: a class, or what `local` has on a node. */
  #silent: { readonly className?: string | undefined; readonly node?: string | undefined } = {};
  /** What was last told of each class, with nodes that share their ephemeral storage until they are said not to. */
  readonly #lastKnown = new Map<string, ClassFigures>();
  readonly #published = { nodes: new Map<string, string>(), pods: new Map<string, LeasePod>(), claims: new Map<string, LeaseVolume>() };

  get nodes(): ReadonlyMap<string, NodeFigures> {
    return new Map([...this.machines].map(([name, { machine, uid, isHeldBack }]) => [name, this.#figures(name, machine, uid, isHeldBack)]));
  }

  get classes(): ReadonlyMap<string, ClassFigures> {
    return new Map(
      [...this.#lastKnown].map(([name, figures]) => {
        const unknown = { ...figures.facts, freeBytes: undefined, isNodeLocal: name === 'local' };
        return [name, name === this.#silent.className ? { facts: unknown } : figures];
      }),
    );
  }

  put(name: string, machine: Machine, uid: string): void {
    this.machines.set(name, { machine, uid, isHeldBack: false });
  }

  silence(which: number, node: string): void {
    this.#silent = which % 5 === 4 ? { node } : { className: ['disk', 'flash', 'local'][which % 5] };
  }

  /** What the cards of a pod may be that it got on this node; `handed` is what a claim has handed to it. */
  cardGroups(node: string, resource: string, handed: readonly CardGroup[]): readonly CardGroup[] {
    const pool = this.machines.get(node)?.machine.pool;
    if (resource === byClaim) return handed.slice(0, 1);
    return pool === undefined || pool === 'claim' ? [] : groupsOf[pool];
  }

  /** All that somebody has to hear who was not there from the beginning. */
  heard(observedAt: number): readonly InventoryChange[] {
    const whole = this.whole(observedAt);
    const known = { ...whole, classes: [...this.#lastKnown.values()] };
    return this.#silent.className === undefined ? [known] : [known, whole];
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
    for (const figures of classes) if (figures.facts.freeBytes !== undefined) this.#learn(figures);
    const change: InventoryChange = {
      ...{ kind: 'delta', observedAt, classes, removedClasses: [] },
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

  #learn(figures: ClassFigures): void {
    const { name, freeBytes, ephemeralNodes = [] } = figures.facts;
    const before = name === 'local' && typeof freeBytes === 'object' ? (this.#lastKnown.get(name)?.facts.ephemeralNodes ?? []) : [];
    const silent = [...before].filter((node) => this.machines.has(node) && !(typeof freeBytes === 'object' && freeBytes.has(node)));
    this.#lastKnown.set(name, { ...figures, facts: { ...figures.facts, ephemeralNodes: new Set([...ephemeralNodes, ...silent]) } });
  }

  /** A class that cannot be read is told of by its name alone; those that share its space do not name it then. */
  #toldClasses(): readonly ClassFigures[] {
    const { className } = this.#silent;
    return this.#classes().map((figures) => {
      const { name, sharesSpaceWith } = figures.facts;
      if (name === className) return { facts: { name, refusal: { code: 'AgentMissing', message: 'no agent' } } };
      return { ...figures, facts: { ...figures.facts, sharesSpaceWith: sharesSpaceWith?.filter((each) => each !== className) } };
    });
  }

  #classes(): readonly ClassFigures[] {
    const taken = (name: string, node?: string): number => {
      let sum = 0;
      for (const claim of this.claims.values())
        if (claim.storageClass === name && (node === undefined || claim.node === node)) sum += claim.bytes;
      return sum;
    };
    const isTold = (name: string, { local: gib }: Machine): boolean => gib > 0 && name !== this.#silent.node;
    const local = new Map(
      [...this.machines].filter(([name, { machine }]) => isTold(name, machine)).map(([name, { machine }]) => [name, machine.local * Gi]),
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
    const localNodes = new Set([...ephemeralNodes].filter((name) => local.has(name)));
    return [
      { ...disk, facts: { ...disk.facts, sharesSpaceWith: ['flash'] } },
      { ...flash, facts: { ...flash.facts, sharesSpaceWith: ['disk'], ephemeralNodes } },
      {
        facts: { name: 'local', freeBytes: local, ephemeralNodes: localNodes },
        allocatableBytes: localBytes,
        allocatedBytes: taken('local'),
      },
    ];
  }

  #figures(name: string, { cpuMillis, gib, pool, isShared }: Machine, uid: string, isHeldBack: boolean): NodeFigures {
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
      cards: new Map(groups.map((group) => [groupKey(group), cards(group)])),
    };
    const allocatable = {
      cpuMillis,
      memoryBytes: gib * Gi,
      ephemeralBytes: gib * Gi,
      cards: new Map(groups.map((group) => [groupKey(group), 2])),
    };
    const facts = {
      ...{
        name,
        uid,
        cards: poolsOf(pool, cards),
        storageClasses: ['disk', 'flash', 'local'],
      },
      heldBack: isHeldBack ? [{ code: 'Cordoned', message: 'is cordoned' }] : [],
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

function refill<T>(map: Map<string, T>, from: ReadonlyMap<string, T>): void {
  map.clear();
  for (const [key, value] of from) map.set(key, value);
}

const textOf = ({ facts, allocatable }: NodeFigures): string => JSON.stringify([facts, allocatable.cpuMillis]);
