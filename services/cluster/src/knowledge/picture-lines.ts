import type { ReservationBook } from '../book/reservation-book.ts';
import { addHeld, addNodeHold, addUsed, noResources, type Resources } from '../book/resources.ts';
import type { ClassFigures } from '../model/inventory-change.ts';
import type { InventoryPicture } from './inventory-picture.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A log cuts off lists that are longer. */
const perLine = 100;

/**
 * Everything that is known, and what is promised of it, as fields of log lines: what concerns all, then nodes, storage classes and reservations, so many on each line that none
 * grows with the cluster. Pods and claims are added up where they are.
 */
export function* pictureLines(picture: InventoryPicture, book: ReservationBook): Generator<Fields> {
  const { knowledge, nodePorts, portQuantity, ipPool } = book;
  const [nodes, storageClasses, reservations] = [nodeRows(picture, book), classRows(picture, book), reservationRows(book)];
  yield {
    knowledge: { ...knowledge },
    counts: {
      nodes: picture.nodes.size,
      storageClasses: picture.classes.size,
      pods: picture.pods.size,
      claims: picture.volumes.size,
      reservations: reservations.length,
    },
    ports: nodePorts && {
      quantity: portQuantity,
      ofLeases: sumOf(nodePorts.byNamespace),
      others: nodePorts.others,
      problem: nodePorts.problem,
    },
    addresses: ipPool && { total: ipPool.total, free: ipPool.free, ofLeases: sumOf(ipPool.byNamespace), observedAt: ipPool.observedAt },
  };
  for (const [part, rows] of Object.entries({ nodes, storageClasses, reservations })) {
    for (let from = 0; from < rows.length; from += perLine) yield { from, of: rows.length, [part]: rows.slice(from, from + perLine) };
  }
}

const sumOf = (counts: ReadonlyMap<string, number>): number => [...counts.values()].reduce((sum, count) => sum + count, 0);

/** With nodes of which only pods or promises are known. */
function nodeRows({ nodes, pods }: InventoryPicture, book: ReservationBook): readonly Fields[] {
  const byNode = new Map([...nodes.keys()].map((name) => [name, newSums()]));
  const sumsOf = (name: string): Sums => {
    const sums = byNode.get(name) ?? newSums();
    byNode.set(name, sums);
    return sums;
  };
  for (const pod of pods.values()) {
    const sums = sumsOf(pod.node);
    sums.pods += 1;
    addUsed(sums.used, { pods: [pod], claims: [], ports: 0, ips: 0 });
  }
  for (const { net } of book.entries) for (const [name, hold] of net.holds.nodes) addNodeHold(sumsOf(name).held, hold);
  return [...byNode].map(([name, sums]) => {
    const { facts, allocatable, allocated } = nodes.get(name) ?? {};
    const heldBack = facts?.heldBack.map(({ code }) => code);
    return { name, heldBack, allocatable, allocated, pods: sums.pods, ofPods: amountsOf(sums.used), held: amountsOf(sums.held) };
  });
}

interface Sums {
  pods: number;
  readonly used: Resources;
  readonly held: Resources;
}

const newSums = (): Sums => ({ pods: 0, used: noResources(), held: noResources() });

const amountsOf = ({ cpuMillis, memoryBytes, ephemeralBytes, cards }: Resources): Fields => ({
  ...{ cpuMillis, memoryBytes, ephemeralBytes, cards },
});

function classRows({ classes, volumes }: InventoryPicture, book: ReservationBook): readonly Fields[] {
  const held = noResources();
  for (const { net } of book.entries) addHeld(held, net.holds);
  const claims = Map.groupBy(volumes.values(), ({ storageClass }) => storageClass);
  return [...new Set([...classes.keys(), ...claims.keys(), ...held.storage.keys()])].map((name) => {
    const own = claims.get(name) ?? [];
    const ofClaims = own.reduce((sum, { bytes }) => sum + bytes, 0);
    return { name, ...figuresOf(classes.get(name)), claims: own.length, ofClaims, held: held.storage.get(name) ?? 0 };
  });
}

function figuresOf(figures: ClassFigures | undefined): Fields {
  if (figures === undefined) return {};
  const { facts, allocatableBytes, allocatedBytes } = figures;
  const { freeBytes, refusal } = facts;
  const free = typeof freeBytes === 'object' ? { nodes: freeBytes.size, freeBytes: sumOf(freeBytes) } : { freeBytes };
  return { ...free, allocatableBytes, allocatedBytes, refusal: refusal?.code };
}

const reservationRows = (book: ReservationBook): readonly Fields[] =>
  book.reservations().map(({ name, phase, isConfirmed, expiresAt, leaseNamespace }) => {
    const { use, net } = book.entry(name) ?? {};
    return {
      ...{ name, phase, isConfirmed, expiresAt, namespace: leaseNamespace?.name, pods: use?.pods.length, claims: use?.claims.length },
      ...{ waiting: net?.waiting.length, held: net && addHeld(noResources(), net.holds) },
    };
  });
