import type { ClassFigures, InventoryChange, LeasePod, LeaseVolume, NodeFigures } from '../model/inventory-change.ts';
import type { InventoryKnowledge, IpPool, NodePortUse } from '../model/knowledge.ts';
import type { Reservation } from '../model/reservation.ts';
import { type CommitLevel, soldOnce } from '../placement/commit-level.ts';
import { Stock } from '../placement/stock.ts';
import type { Headroom } from '../placement/stock-facts.ts';
import type { Book } from './book.ts';
import { BookClasses } from './book-classes.ts';
import { checkInventoryChange } from './check-inventory-change.ts';
import { classCapacity, nodeCapacity, sameAmounts } from './cluster-capacity.ts';
import { HeldPlaces } from './held-places.ts';
import { LeaseRecords } from './lease-records.ts';
import { NameIndex } from './name-index.ts';
import { type LeaseUse, type NetHolds, netHolds, noUse } from './net-holds.ts';
import { type NodeTerms, nodeTerms } from './node-terms.ts';
import type { Capacity } from './pending-limits.ts';
import { PendingTally } from './pending-tally.ts';
import { type PlanProblem, planProblems, reliedOnNode } from './plan-problems.ts';

export type { Book } from './book.ts';

export interface BookOptions {
  readonly headroom?: Headroom | undefined;
  /** `cluster-node-port-quantity`. */
  readonly nodePorts?: number | undefined;
  readonly storageLevel?: CommitLevel | undefined;
}

/** What the book has of one reservation. */
export interface BookEntry {
  readonly reservation: Reservation;
  /** What the inventory counts as its own. */
  readonly use: LeaseUse;
  readonly net: NetHolds;
}

/** Why a plan cannot be carried out, since when. */
export interface Misplanned {
  readonly since: number;
  readonly problems: readonly PlanProblem[];
}

const nothingHeard: InventoryKnowledge = {
  protocol: 'unknown',
  problem: { code: 'InventoryUnknown', message: 'nothing was heard of the inventory yet' },
};

/** The book of a replica. A change costs as much as it concerns: reservations are found by their nodes, classes and namespaces. */
export class ReservationBook implements Book {
  readonly stock: Stock;
  readonly places: HeldPlaces;
  readonly pending = new PendingTally();
  readonly headroom: Headroom;
  /** Size of the pool of external ports. */
  readonly portQuantity: number;
  readonly storageLevel: CommitLevel;
  readonly #nodes = new Map<string, NodeFigures>(); // name -> node
  readonly nodeTerms: NodeTerms = nodeTerms(this.#nodes, () => this.#knowledge);
  readonly #classes: BookClasses;
  readonly #pods = new LeaseRecords<LeasePod>();
  readonly #claims = new LeaseRecords<LeaseVolume>();
  readonly #entries = new Map<string, BookEntry>(); // name -> reservation
  readonly #byNamespace = new NameIndex(); // uid of the namespace -> reservations
  readonly #misplanned = new Map<string, Misplanned>(); // name -> problems
  #knowledge = nothingHeard;
  #ports: NodePortUse | undefined;
  #ips: IpPool | undefined;
  /** Of nodes; undefined until it is asked for. */
  #capacity: ReadonlyMap<string, Capacity> | undefined;
  /** The latest time that was told, for what began with a change. */
  #at = 0;
  /** Before that, a node that is not there is not gone. */
  #hasInventory = false;

  constructor({ headroom = {}, nodePorts = 2768, storageLevel = soldOnce.storage }: BookOptions = {}) {
    this.stock = new Stock(headroom);
    this.places = new HeldPlaces(this.stock);
    this.#classes = new BookClasses(this.stock, this.places, this.#nodes);
    this.headroom = headroom;
    this.portQuantity = nodePorts;
    this.stock.setCluster({ freePorts: nodePorts, freeIps: 'unknown' });
    this.storageLevel = storageLevel;
  }

  takeInventory(change: InventoryChange): void {
    checkInventoryChange(change);
    const { kind, nodes } = change;
    this.#at = Math.max(this.#at, change.observedAt);
    // Reservations whose plans may have become possible or impossible.
    const others = new Set<string>(this.#hasInventory ? [] : this.#entries.keys());
    this.#hasInventory = true;
    const note = (names: Iterable<string>): void => {
      for (const name of names) others.add(name);
    };
    for (const name of goneOf(kind, this.#nodes, change.removedNodes, nodes)) this.#setNode(name, undefined, note);
    const newNodes = nodes.map(({ facts }) => facts.name).filter((name) => !this.#nodes.has(name));
    for (const figures of nodes) this.#setNode(figures.facts.name, figures, note);
    note(this.#classes.take(change, goneOf(kind, this.#classes.all, change.removedClasses, change.classes), newNodes));
    const pods = this.#pods.take(kind, change.pods, change.removedPods);
    const claims = this.#claims.take(kind, change.volumes, change.removedVolumes);
    this.#settleNamespaces(new Set([...pods, ...claims]));
    this.#judge(others);
  }

  setKnowledge(knowledge: InventoryKnowledge): void {
    this.#at = Math.max(this.#at, knowledge.lastContactAt ?? 0);
    this.#knowledge = knowledge;
  }

  setNodePorts(use: NodePortUse): void {
    const before = this.#ports;
    this.#ports = use;
    this.#poolsChanged(changedKeys(before?.byNamespace, use.byNamespace));
  }

  setIpPool(pool: IpPool | undefined): void {
    const before = this.#ips;
    this.#ips = pool;
    this.#at = Math.max(this.#at, pool?.observedAt ?? 0);
    this.#poolsChanged(changedKeys(before?.byNamespace, pool?.byNamespace));
  }

  setLostPods(uids: ReadonlySet<string>): void {
    this.#settleNamespaces(this.#pods.leaveOut(uids));
  }

  setReservation(reservation: Reservation): void {
    const { name, owner, plan } = reservation;
    const namespace = reservation.leaseNamespace?.uid;
    const planned = this.reservation(name)?.plan;
    const before = this.#forget(name);
    if (reservation.phase === 'pending') this.pending.add(owner, plan);
    if (namespace !== undefined) this.#byNamespace.add(namespace, name);
    this.#settle(reservation);
    this.#classes.setPlan(name, planned, plan);
    // What is in a namespace counts for one reservation: another one may have it now.
    this.#settleNamespaces(namespace === undefined || namespace === before[0] ? before : [...before, namespace], name);
  }

  removeReservation(name: string): void {
    const touched = this.#forget(name);
    this.#classes.setPlan(name, this.reservation(name)?.plan, undefined);
    this.#entries.delete(name);
    this.#misplanned.delete(name);
    this.places.hold(name, undefined);
    this.#settleNamespaces(touched);
  }

  get knowledge(): InventoryKnowledge {
    return this.#knowledge;
  }

  reservation(name: string): Reservation | undefined {
    return this.#entries.get(name)?.reservation;
  }

  reservations(): readonly Reservation[] {
    return [...this.#entries.values()].map(({ reservation }) => reservation).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  podsOf(name: string): readonly LeasePod[] {
    return this.#entries.get(name)?.use.pods ?? [];
  }

  entry(name: string): BookEntry | undefined {
    return this.#entries.get(name);
  }

  get entries(): Iterable<BookEntry> {
    return this.#entries.values();
  }

  get nodes(): Iterable<NodeFigures> {
    return this.#nodes.values();
  }

  get classes(): Iterable<ClassFigures> {
    return this.#classes.all.values();
  }

  /** Undefined until it was first told. */
  get nodePorts(): NodePortUse | undefined {
    return this.#ports;
  }

  get ipPool(): IpPool | undefined {
    return this.#ips;
  }

  get misplanned(): ReadonlyMap<string, Misplanned> {
    return this.#misplanned;
  }

  /** As PendingTally names resources. */
  readonly capacityOf = (resource: string): Capacity | undefined => {
    if (resource === 'ports') return { total: this.portQuantity, largestNode: 0 };
    if (resource === 'leased-ips') return this.#ips && { total: this.#ips.total, largestNode: 0 };
    if (resource.startsWith('storage/'))
      return classCapacity(this.#classes.all.get(resource.slice('storage/'.length)), this.storageLevel, this.#nodes);
    this.#capacity ??= nodeCapacity(this.#nodes.values());
    return this.#capacity.get(resource);
  };

  #setNode(name: string, figures: NodeFigures | undefined, note: (names: Iterable<string>) => void): void {
    const before = this.#nodes.get(name);
    if (!sameAmounts(before?.allocatable, figures?.allocatable)) this.#capacity = undefined;
    if (figures === undefined) {
      this.#nodes.delete(name);
      this.stock.removeNode(name);
    } else {
      this.#nodes.set(name, figures);
      this.stock.setNode(figures.facts);
    }
    this.places.nodeChanged(name);
    if (reliedOnNode(before?.facts) !== reliedOnNode(figures?.facts)) note(this.places.onNode(name));
  }

  #poolsChanged(namespaces: ReadonlySet<string>): void {
    const used =
      this.#ports === undefined ? 0 : [...this.#ports.byNamespace.values()].reduce((sum, count) => sum + count, this.#ports.others);
    this.stock.setCluster({ freePorts: this.portQuantity - used, freeIps: this.#ips?.free ?? 'unknown' });
    this.places.poolsChanged();
    this.#settleNamespaces(namespaces);
  }

  /** The namespace that the reservation of that name was counted in. Its holds stay until they are replaced. */
  #forget(name: string): readonly string[] {
    const before = this.#entries.get(name)?.reservation;
    if (before?.phase === 'pending') this.pending.remove(before.owner, before.plan);
    const namespace = before?.leaseNamespace?.uid;
    if (namespace === undefined) return nowhere;
    this.#byNamespace.remove(namespace, name);
    return [namespace];
  }

  #settleNamespaces(uids: Iterable<string>, settled?: string): void {
    for (const uid of uids) {
      for (const name of this.#byNamespace.of(uid)) {
        const reservation = this.reservation(name);
        if (reservation !== undefined && name !== settled) this.#settle(reservation);
      }
    }
    if (this.#hasInventory) this.places.review(this.#at);
  }

  #settle(reservation: Reservation): void {
    const use = this.#useOf(reservation);
    const net = netHolds(reservation, use);
    this.#entries.set(reservation.name, { reservation, use, net });
    this.places.hold(reservation.name, net.holds);
    this.#judge([reservation.name]);
  }

  /** Where two reservations record one namespace, what is in it comes off the first alone: counted twice rather than not at all. */
  #useOf({ name, leaseNamespace }: Reservation): LeaseUse {
    if (leaseNamespace === undefined) return noUse;
    const { uid } = leaseNamespace;
    for (const other of this.#byNamespace.of(uid)) if (other < name) return noUse;
    return {
      pods: this.#pods.of(uid),
      claims: this.#claims.of(uid),
      ports: this.#ports?.byNamespace.get(uid) ?? 0,
      ips: this.#ips?.byNamespace.get(uid) ?? 0,
    };
  }

  #judge(names: Iterable<string>): void {
    if (!this.#hasInventory) return;
    for (const name of names) {
      const entry = this.#entries.get(name);
      const problems = entry === undefined ? [] : planProblems(this.stock, entry.reservation.request, entry.net);
      if (problems.length === 0) this.#misplanned.delete(name);
      else this.#misplanned.set(name, { since: this.#misplanned.get(name)?.since ?? this.#at, problems });
    }
  }
}

const nowhere: readonly string[] = [];

function goneOf(
  kind: InventoryChange['kind'],
  known: ReadonlyMap<string, unknown>,
  removed: readonly string[],
  listed: readonly { readonly facts: { readonly name: string } }[],
): readonly string[] {
  if (kind === 'delta') return removed;
  const names = new Set(listed.map(({ facts }) => facts.name));
  return [...known.keys()].filter((name) => !names.has(name));
}

function changedKeys(before: ReadonlyMap<string, number> = new Map(), after: ReadonlyMap<string, number> = new Map()): Set<string> {
  const keys = new Set([...before.keys(), ...after.keys()]);
  for (const key of keys) if (before.get(key) === after.get(key)) keys.delete(key);
  return keys;
}
