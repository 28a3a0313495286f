import { ReservationBook } from '../src/book/reservation-book.ts';
import type { InventoryChange, LeasePod } from '../src/model/inventory-change.ts';
import type { OrderId } from '../src/model/order.ts';
import type { Reservation } from '../src/model/reservation.ts';
import type { Plan } from '../src/placement/plan.ts';
import type { NodeFacts } from '../src/placement/stock-facts.ts';
import { orderName } from '../src/reservations/order-name.ts';
import { one } from './sample-facts.ts';

export const order = (owner: string, dseq: bigint): OrderId => ({ owner, dseq, gseq: 1, oseq: 1 });

/** A pending one of nothing in particular, unless changed. */
export function reservation(of: OrderId, changed: Partial<Reservation> = {}): Reservation {
  const name = orderName(of);
  return {
    name,
    uid: `uid-${name}`,
    resourceVersion: '1',
    order: of,
    owner: of.owner,
    request: one(),
    plan: { units: [], ports: 0, ips: 0 },
    phase: 'pending',
    isConfirmed: true,
    createdAt: 1_000,
    expiresAt: 61_000,
    term: 7,
    ...changed,
  };
}

/** One replica of one core and 1 GiB on a node. */
export const planOn = (node: string, cpuMillis = 1000): Plan => ({
  units: [{ id: 1, cpuMillis, memoryBytes: 2 ** 30, ephemeralBytes: 0, volumes: [], replicas: [{ node, uid: `uid-${node}` }] }],
  ports: 0,
  ips: 0,
});

export const pod = (node: string, namespaceUid: string, cpuMillis = 1000): LeasePod => ({
  uid: `pod-on-${node}`,
  namespace: 'lease',
  namespaceUid,
  name: 'web-0',
  service: 'web',
  node,
  cpuMillis,
  memoryBytes: 2 ** 30,
  ephemeralBytes: 0,
  cards: new Map(),
  cardGroups: [],
  devices: [],
});

/** A book that has heard of these nodes, of which nobody else takes anything. */
export function filledBook(nodes: readonly NodeFacts[], pods: readonly LeasePod[] = []): ReservationBook {
  const book = new ReservationBook();
  const generation = { epoch: 'e', sequence: 3n };
  const change: InventoryChange = {
    kind: 'whole',
    generation,
    observedAt: 900,
    nodes: nodes.map((facts) => {
      const { cpuMillis, memoryBytes, ephemeralBytes } = facts;
      const allocatable = { cpuMillis, memoryBytes, ephemeralBytes, cards: new Map<string, number>() };
      return { facts, allocatable, allocated: { cpuMillis: 0, memoryBytes: 0, ephemeralBytes: 0, cards: new Map<string, number>() } };
    }),
    removedNodes: [],
    classes: [],
    removedClasses: [],
    pods,
    removedPods: [],
    volumes: [],
    removedVolumes: [],
  };
  book.takeInventory(change);
  book.setKnowledge({ protocol: 'deltas', generation, observedAt: 900, lastContactAt: 950 });
  book.setNodePorts({ byNamespace: new Map(), others: 0 });
  return book;
}
