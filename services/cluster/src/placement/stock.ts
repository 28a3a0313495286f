import { StatusError } from '@quartermaster/kernel';
import type { Holds, NodeHold } from './holds.ts';
import { NodeIndex } from './node-index.ts';
import { NodeState, type Shape } from './node-state.ts';
import type { ClassFacts, ClusterFacts, Headroom, NodeFacts } from './stock-facts.ts';
import { freeByNode, StorageClasses } from './storage-classes.ts';

/**
 * What can be promised: what the inventory says is free, less what reservations hold. Each change costs as much as it concerns, whatever the size of the
 * cluster, and giving back what was held restores exactly what was there.
 */
export class Stock {
  readonly index = new NodeIndex();
  readonly storage: StorageClasses;
  readonly #nodes = new Map<string, NodeState>(); // name -> node
  /** Names of nodes of which nobody knows what is left of their ephemeral storage. */
  readonly ephemeralUnknown = new Set<string>();
  readonly #holds = new Map<string, Holds>(); // reservation -> what it holds
  readonly #headroom: Headroom;
  readonly #shapes = new Map<string, Shape>(); // text -> shape
  #cluster: ClusterFacts = { freePorts: 0, freeIps: 'unknown' };
  #heldPorts = 0;
  #heldIps = 0;
  /** Nodes to be looked at when all of several changes are made. */
  #waiting: Set<string> | undefined;

  constructor(headroom: Headroom = {}) {
    this.#headroom = headroom;
    this.storage = new StorageClasses(headroom.persistentBytes ?? 0);
  }

  /** Takes the facts in place of those of the same name. */
  setNode(facts: NodeFacts): void {
    checkAmounts(`node ${facts.name}`, [facts.cpuMillis, facts.memoryBytes, facts.ephemeralBytes, facts.podSlots ?? 0]);
    if (facts.ephemeralUnknown === undefined) this.ephemeralUnknown.delete(facts.name);
    else this.ephemeralUnknown.add(facts.name);
    this.#change(facts.name, (node) => node.setFacts(facts, this.#headroom, this.#shapeOf));
  }

  /** What is held of it stays held, and counts again when it comes back. */
  removeNode(name: string): void {
    this.ephemeralUnknown.delete(name);
    if (this.#nodes.has(name)) this.#change(name, (node) => node.setFacts(undefined, this.#headroom, this.#shapeOf));
  }

  setClass(facts: ClassFacts): void {
    this.#setClass(facts.name, facts);
  }

  removeClass(name: string): void {
    if (this.storage.get(name) !== undefined) this.#setClass(name, undefined);
  }

  setCluster(facts: ClusterFacts): void {
    checkAmounts('the cluster', [facts.freePorts, ...(facts.freeIps === 'unknown' ? [] : [facts.freeIps])]);
    this.#cluster = facts;
  }

  /** Counts as taken, whether or not there is that much: what was promised is promised. Holds of the same id are replaced. */
  hold(id: string, holds: Holds): void {
    for (const [name, hold] of holds.nodes) checkHold(id, name, hold);
    if (!isCount(holds.ports) || !isCount(holds.ips)) throw wrongAmounts(`hold ${id}`, [holds.ports, holds.ips], countRule);
    this.release(id);
    this.#holds.set(id, holds);
    this.#apply(holds, 1);
  }

  /** Whether there was something to give back. */
  release(id: string): boolean {
    const holds = this.#holds.get(id);
    if (holds === undefined) return false;
    this.#holds.delete(id);
    this.#apply(holds, -1);
    return true;
  }

  /** Several holds and releases, among which nothing is asked: what volumes may take of many nodes is worked out once. */
  atOnce(change: () => void): void {
    const waiting = (this.#waiting = new Set<string>());
    try {
      change();
    } finally {
      this.#waiting = undefined;
      this.#refresh(waiting);
    }
  }

  holdsOf(id: string): Holds | undefined {
    return this.#holds.get(id);
  }

  /** Also one that is gone while something is held of it: it has no facts then. */
  node(name: string): NodeState | undefined {
    return this.#nodes.get(name);
  }

  get nodes(): Iterable<NodeState> {
    return this.#nodes.values();
  }

  get freePorts(): number {
    return this.#cluster.freePorts - (this.#headroom.ports ?? 0) - this.#heldPorts;
  }

  get freeIps(): number | 'unknown' {
    const { freeIps } = this.#cluster;
    return freeIps === 'unknown' ? freeIps : freeIps - (this.#headroom.ips ?? 0) - this.#heldIps;
  }

  readonly #shapeOf = (text: string): Shape => {
    const known = this.#shapes.get(text);
    if (known !== undefined) return known;
    const shape = { text, number: this.#shapes.size };
    this.#shapes.set(text, shape);
    return shape;
  };

  #apply(holds: Holds, sign: 1 | -1): void {
    this.#heldPorts += sign * holds.ports;
    this.#heldIps += sign * holds.ips;
    let beside = this.#waiting;
    for (const [name, hold] of holds.nodes) {
      if (hold.volumes.size > 0) {
        for (const [storageClass, bytes] of hold.volumes) {
          this.storage.hold(storageClass, sign * bytes);
          for (const node of this.storage.wideNodes(storageClass)) (beside ??= new Set()).add(node);
        }
      }
      this.#change(name, (node) => node.change(hold, sign));
    }
    if (this.#waiting === undefined && beside !== undefined) this.#refresh(beside);
  }

  #refresh(names: Iterable<string>): void {
    for (const name of names) if (this.#nodes.has(name)) this.#change(name, () => {});
  }

  #setClass(name: string, facts: ClassFacts | undefined): void {
    const before = this.storage.get(name);
    const isEverywhere = this.storage.set(name, facts);
    const concerned = isEverywhere ? [...this.#nodes.keys()] : concernedBy(before, facts);
    this.#refresh(concerned);
  }

  /** The index has the node under what it was: without a look at all of them it can only be found there before it changes. */
  #change(name: string, change: (node: NodeState) => void): void {
    let node = this.#nodes.get(name);
    if (node === undefined) this.#nodes.set(name, (node = new NodeState(name)));
    this.index.remove(node);
    change(node);
    if (node.isForgettable) {
      this.#nodes.delete(name);
      this.storage.setBesideVolumes(name, undefined);
      return;
    }
    node.refresh(this.storage, this.#headroom);
    this.storage.setBesideVolumes(name, node.besideVolumes);
    this.index.add(node);
  }
}

function concernedBy(before: ClassFacts | undefined, after: ClassFacts | undefined): Set<string> {
  const sides = [before, after].filter((each) => each !== undefined);
  const names = new Set(
    sides.flatMap((each) => [...freeByNode(each).keys(), ...(each.ephemeralNodes ?? []), ...(each.maybeEphemeralNodes ?? [])]),
  );
  const roomOn = (facts: ClassFacts | undefined, node: string) => facts && freeByNode(facts).get(node);
  for (const node of names) {
    const isSame =
      roomOn(before, node) === roomOn(after, node) &&
      before?.ephemeralNodes?.has(node) === after?.ephemeralNodes?.has(node) &&
      before?.maybeEphemeralNodes?.has(node) === after?.maybeEphemeralNodes?.has(node);
    if (isSame) names.delete(node);
  }
  return names;
}

function checkHold(id: string, node: string, { cpuMillis, memoryBytes, ephemeralBytes, pods, cards, volumes }: NodeHold): void {
  let isRight = isCount(cpuMillis) && isCount(memoryBytes) && isCount(ephemeralBytes) && isCount(pods);
  for (const { count } of cards) isRight &&= isCount(count);
  for (const bytes of volumes.values()) isRight &&= isCount(bytes);
  if (isRight) return;
  const amounts = [cpuMillis, memoryBytes, ephemeralBytes, pods, ...cards.map(({ count }) => count), ...volumes.values()];
  throw wrongAmounts(`hold ${id} of node ${node}`, amounts, countRule);
}

const countRule = 'whole numbers of at least 0';

const isCount = (amount: number): boolean => Number.isSafeInteger(amount) && amount >= 0;

function checkAmounts(what: string, amounts: readonly number[]): void {
  if (!amounts.every(Number.isSafeInteger)) throw wrongAmounts(what, amounts, 'whole numbers');
}

const wrongAmounts = (what: string, amounts: readonly number[], rule: string): StatusError =>
  new StatusError('invalid_argument', `${what} has the amounts ${amounts.join(', ')}; they must be ${rule}`);
