import { decideBy } from '../src/book/decide.ts';
import { type BookOptions, ReservationBook } from '../src/book/reservation-book.ts';
import type { InventoryChange, LeasePod, LeaseVolume, NodeFigures } from '../src/model/inventory-change.ts';
import type { Reservation } from '../src/model/reservation.ts';
import { groupKey } from '../src/placement/card-offer.ts';
import { place } from '../src/placement/place.ts';
import type { Plan } from '../src/placement/plan.ts';
import type { Request } from '../src/placement/request.ts';
import { Stock } from '../src/placement/stock.ts';
import type { ClassFacts, NodeFacts } from '../src/placement/stock-facts.ts';
import { one } from './sample-facts.ts';

/** A node of which nothing is allocated. */
export function figures(facts: NodeFacts): NodeFigures {
  const { cpuMillis, memoryBytes, ephemeralBytes, podSlots: pods } = facts;
  const cards = new Map<string, number>();
  for (const pool of facts.cards) {
    const groups = pool.assignedBy === 'claim' ? pool.groups : pool.mayBeFree.map((each) => ({ ...each, size: pool.size }));
    for (const group of groups) cards.set(groupKey(group), group.size);
  }
  const allocated = { cpuMillis: 0, memoryBytes: 0, ephemeralBytes: 0, cards: new Map<string, number>() };
  return { facts, allocatable: { cpuMillis, memoryBytes, ephemeralBytes, pods, cards }, allocated };
}

export const delta = (changed: Partial<InventoryChange>): InventoryChange => ({
  ...{ kind: 'delta', observedAt: 1, nodes: [], removedNodes: [], classes: [], removedClasses: [], pods: [], removedPods: [] },
  ...{ volumes: [], removedVolumes: [], ...changed },
});

/** A book that knows these nodes and classes, that nobody uses ports, and nothing of addresses. */
export function bookOf(nodes: readonly NodeFacts[], classes: readonly ClassFacts[] = [], options: BookOptions = {}): ReservationBook {
  const book = new ReservationBook(options);
  book.setKnowledge({ protocol: 'deltas' });
  const sized = classes.map((facts) => ({ facts, allocatableBytes: typeof facts.freeBytes === 'number' ? facts.freeBytes : undefined }));
  book.takeInventory(delta({ kind: 'whole', nodes: nodes.map(figures), classes: sized }));
  book.setNodePorts({ byNamespace: new Map(), others: 0 });
  return book;
}

export const noLimits = { most: 1e6, perOwner: 1000, ownerShare: 1, share: 1 };

function planIn(book: ReservationBook, request: Request): Plan {
  const decision = decideBy(book, { limits: noLimits })(request);
  if (decision.kind !== 'plan') throw new Error(`there is no room: ${JSON.stringify(decision.reasons)}`);
  return decision.plan;
}

/** A pending one, planned where the book has room unless a plan is given. */
export function reserve(book: ReservationBook, name: string, request: Request = one(), changed: Partial<Reservation> = {}): Reservation {
  const reservation: Reservation = {
    ...{ name, uid: `uid-${name}`, resourceVersion: '1', order: { owner: 'alice', dseq: 1n, gseq: 1, oseq: 1 }, owner: 'alice', request },
    ...{
      plan: changed.plan ?? planIn(book, request),
      phase: 'pending',
      isConfirmed: true,
      createdAt: 0,
      expiresAt: 1000,
      term: 1,
      ...changed,
    },
  };
  book.setReservation(reservation);
  return reservation;
}

/** There is a lease in a namespace `ns-<name>` with the uid `<name>-1`. */
export function activate(book: ReservationBook, reservation: Reservation): Reservation {
  const leaseNamespace = { name: `ns-${reservation.name}`, uid: `${reservation.name}-1` };
  const active: Reservation = { ...reservation, phase: 'active', expiresAt: undefined, leaseNamespace };
  book.setReservation(active);
  return active;
}

/** A pod for the replica of the first unit that is planned first. */
export function podOf({ name, plan: { units } }: Pick<Reservation, 'name' | 'plan'>, changed: Partial<LeasePod> = {}): LeasePod {
  const [unit] = units;
  const [replica] = unit?.replicas ?? [];
  if (unit === undefined || replica === undefined) throw new Error('the plan has no replicas');
  const { cpuMillis, memoryBytes, ephemeralBytes } = unit;
  return {
    ...{ uid: 'pod-1', namespace: `ns-${name}`, namespaceUid: `${name}-1`, name: 'web-1', service: 'web', node: replica.node, devices: [] },
    ...{
      cpuMillis,
      memoryBytes,
      ephemeralBytes,
      cards: new Map(replica.cards && [[replica.cards.resource, replica.cards.count]]),
      cardGroups: replica.cards?.groups ?? [],
      ...changed,
    },
  };
}

export const claimOf = (name: string, changed: Partial<LeaseVolume>): LeaseVolume => ({
  ...{ uid: 'claim-1', namespace: `ns-${name}`, namespaceUid: `${name}-1`, name: 'data', storageClass: 'disk', bytes: 0, ...changed },
});

/** Apart from any book. */
export function planOn(nodes: readonly NodeFacts[], request: Request, classes: readonly ClassFacts[] = []): Plan {
  const stock = new Stock();
  stock.setCluster({ freePorts: 100, freeIps: 100 });
  for (const facts of classes) stock.setClass(facts);
  for (const facts of nodes) stock.setNode(facts);
  const placing = place(stock, request);
  if (placing.kind !== 'plan') throw new Error('there is no room');
  return placing.plan;
}
