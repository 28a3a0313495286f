/*
 * What a book must say, as plainly as it can be said: everything is added up anew from what was told, each time. Shares no code with the book.
 */
import type { ClassFigures, LeasePod, LeaseVolume, NodeFigures } from '../src/model/inventory-change.ts';
import type { IpPool, NodePortUse } from '../src/model/knowledge.ts';
import type { Reservation } from '../src/model/reservation.ts';
import type { CardGroup, Headroom } from '../src/placement/stock-facts.ts';
import type { HeldReplica } from './unit-assignments.ts';

/** Everything that a book was told. */
export interface Told {
  readonly headroom: Headroom;
  readonly portQuantity: number;
  readonly nodes: ReadonlyMap<string, NodeFigures>;
  readonly classes: ReadonlyMap<string, ClassFigures>;
  readonly pods: ReadonlyMap<string, LeasePod>;
  readonly claims: ReadonlyMap<string, LeaseVolume>;
  readonly ports: NodePortUse;
  readonly ips: IpPool | undefined;
  readonly reservations: ReadonlyMap<string, Reservation>;
}

/** One thing that a reservation holds. */
export interface Held {
  readonly name: string;
  /** Empty where it is the cluster's. */
  readonly node: string;
  readonly resource: string;
  readonly amount: number;
  /** Of cards. */
  readonly group?: string | undefined;
}

const sum = <T>(values: Iterable<T>, of: (value: T) => number): number => [...values].reduce((total, value) => total + of(value), 0);

const keyOf = (group: CardGroup): string =>
  `${group.vendor}/${group.model}/${group.interface}/${Math.round(group.memoryBytes / 2 ** 30)}Gi`.toLowerCase();

const isOwn = ({ leaseNamespace }: Reservation, { namespaceUid }: { readonly namespaceUid?: string | undefined }): boolean =>
  namespaceUid !== undefined && namespaceUid === leaseNamespace?.uid;

/** `waiting`: the replicas that no pod stands for, which is judged elsewhere; all of them unless given. */
export function heldBy(told: Told, reservation: Reservation, waiting?: readonly HeldReplica[]): Held[] {
  const { name, plan } = reservation;
  const replicas = waiting ?? plan.units.flatMap((unit) => unit.replicas.map((replica) => ({ unit, replica })));
  const uid = reservation.leaseNamespace?.uid ?? '';
  const held: Held[] = replicas.flatMap(({ unit, replica: { node, cards } }) => [
    { name, node, resource: 'cpu', amount: unit.cpuMillis },
    { name, node, resource: 'memory', amount: unit.memoryBytes },
    { name, node, resource: 'ephemeral', amount: unit.ephemeralBytes },
    { name, node, resource: 'pods', amount: 1 },
    ...(cards === undefined ? [] : [{ name, node, resource: cards.resource, amount: cards.count, group: cards.group }]),
  ]);
  const volumes = plan.units.flatMap((unit) =>
    unit.volumes.flatMap((volume) =>
      unit.replicas.map(({ node }) => ({ name, node, resource: `storage/${volume.class}`, amount: volume.bytes })),
    ),
  );
  // Node by node, as each class first names them.
  const first = volumes.map((each) => volumes.findIndex((other) => other.node === each.node && other.resource === each.resource));
  const inOrder = volumes.map((each, at) => ({ each, at: first[at] ?? 0 })).toSorted((a, b) => a.at - b.at);
  const claims = [...told.claims.values()].filter((claim) => isOwn(reservation, claim)).map((claim) => ({ claim, left: claim.bytes }));
  for (const isAnywhere of [false, true]) {
    for (const own of claims) {
      for (const { each } of inOrder) {
        if (each.resource !== `storage/${own.claim.storageClass}` || !(isAnywhere || each.node === own.claim.node)) continue;
        const taken = Math.min(each.amount, own.left);
        each.amount -= taken;
        own.left -= taken;
      }
    }
  }
  return [
    ...held,
    ...volumes,
    { name, node: '', resource: 'ports', amount: Math.max(plan.ports - (told.ports.byNamespace.get(uid) ?? 0), 0) },
    { name, node: '', resource: 'ips', amount: Math.max(plan.ips - (told.ips?.byNamespace.get(uid) ?? 0), 0) },
  ].filter(({ amount }) => amount > 0);
}

const isWide = ({ facts }: ClassFigures): boolean => typeof facts.freeBytes !== 'object' && facts.isNodeLocal !== true;

const sharesSpace = ({ facts: one }: ClassFigures, { facts: other }: ClassFigures): boolean =>
  one.name === other.name || one.sharesSpaceWith?.includes(other.name) === true || other.sharesSpaceWith?.includes(one.name) === true;

/** `<place> <resource>` -> what is left there, headroom and holds taken off. */
export function roomsOf(told: Told, held: readonly Held[], headroom = told.headroom): Map<string, number> {
  const rooms = new Map<string, number>();
  const heldOf = (node: string, resource: string, group?: string): number =>
    sum(held, (each) =>
      each.node === node && each.resource === resource && (group === undefined || each.group === undefined || each.group === group)
        ? each.amount
        : 0,
    );
  const heldAnywhere = ({ facts }: ClassFigures): number =>
    sum(held, (each) => (each.resource === `storage/${facts.name}` ? each.amount : 0));
  const beside = new Map<string, number>(); // node of whose ephemeral storage something is held -> what is left of it
  for (const { facts } of told.nodes.values()) {
    const { name } = facts;
    rooms.set(`${name} cpu`, facts.cpuMillis - (headroom.cpuMillis ?? 0) - heldOf(name, 'cpu'));
    rooms.set(`${name} memory`, facts.memoryBytes - (headroom.memoryBytes ?? 0) - heldOf(name, 'memory'));
    rooms.set(`${name} pods`, (facts.podSlots ?? Number.POSITIVE_INFINITY) - heldOf(name, 'pods'));
    const inEphemeral = [...told.classes.values()].filter((each) => each.facts.ephemeralNodes?.has(name) === true);
    const localHeld = sum(inEphemeral, (each) => (isWide(each) ? 0 : heldOf(name, `storage/${each.facts.name}`)));
    const wideHeld = sum(inEphemeral, (each) => (isWide(each) ? heldAnywhere(each) : 0));
    const promised = heldOf(name, 'ephemeral') + localHeld;
    const ephemeral = facts.ephemeralBytes - (headroom.ephemeralBytes ?? 0) - promised;
    // Where nobody was promised any of it, nothing is missing.
    rooms.set(`${name} ephemeral`, promised > 0 ? ephemeral - wideHeld : Math.max(ephemeral - wideHeld, Math.min(ephemeral, 0)));
    // On a node that is held back nothing is missing, and nothing is left that was promised.
    const left = ephemeral - wideHeld;
    if (promised > 0) beside.set(name, facts.heldBack.length === 0 ? left : Math.max(left, 0));
    for (const pool of facts.cards) {
      const { resource } = pool;
      if (pool.assignedBy === 'plugin') rooms.set(`${name} ${resource}`, pool.free - heldOf(name, resource));
      else
        for (const group of pool.groups) {
          const key = keyOf(group);
          rooms.set(`${name} ${resource}=${key}`, group.free - heldOf(name, resource, key));
        }
    }
  }
  for (const figures of told.classes.values()) {
    const { facts } = figures;
    const kept = headroom.persistentBytes ?? 0;
    const resource = `storage/${facts.name}`;
    const copies = facts.replicas ?? 1;
    if (typeof facts.freeBytes === 'number') {
      const space = [...told.classes.values()].filter((each) => isWide(each) && sharesSpace(each, figures));
      const room = (facts.freeBytes - kept) * copies - sum(space, (each) => heldAnywhere(each) * (each.facts.replicas ?? 1));
      const left = [...beside].filter(([name]) => facts.ephemeralNodes?.has(name)).map(([, bytes]) => bytes * copies);
      rooms.set(resource, Math.min(room, ...(heldAnywhere(figures) > 0 ? left : left.map((bytes) => Math.max(bytes, 0)))));
    } else
      for (const [name, free] of facts.freeBytes ?? []) {
        const pods = facts.ephemeralNodes?.has(name) === true ? heldOf(name, 'ephemeral') : 0;
        rooms.set(`${name} ${resource}`, (free - kept - heldOf(name, resource) - pods) * copies);
      }
  }
  const used = sum(told.ports.byNamespace.values(), (count) => count) + told.ports.others;
  rooms.set('ports', told.portQuantity - used - (headroom.ports ?? 0) - heldOf('', 'ports'));
  if (told.ips !== undefined) rooms.set('ips', told.ips.free - (headroom.ips ?? 0) - heldOf('', 'ips'));
  return rooms;
}

/** Who holds something of what is missing, on nodes that take work or are gone. */
export function overCommitted(told: Told, held: readonly Held[], rooms: ReadonlyMap<string, number>): string[] {
  const isShort = ({ node, resource, group }: Held): boolean => {
    if (node === '') return (rooms.get(resource) ?? 0) < 0;
    const facts = told.nodes.get(node)?.facts;
    const isVolume = resource.startsWith('storage/');
    if (isVolume && rooms.has(resource)) return (rooms.get(resource) ?? 0) < 0;
    const figures = told.classes.get(resource.slice('storage/'.length));
    const isKnown = figures?.facts.freeBytes !== undefined;
    const isInEphemeral = figures !== undefined && !isWide(figures) && figures.facts.ephemeralNodes?.has(node) === true;
    if (facts === undefined) return !isVolume || isKnown || isInEphemeral;
    if (facts.heldBack.length > 0) return false;
    if (isInEphemeral && (rooms.get(`${node} ephemeral`) ?? 0) < 0) return true;
    if (isVolume) return isKnown && (rooms.get(`${node} ${resource}`) ?? 0) < 0;
    const places = [...rooms].filter(([place]) => place === `${node} ${resource}` || place.startsWith(`${node} ${resource}=`));
    const counted = places.filter(([place]) => group === undefined || place === `${node} ${resource}` || place.endsWith(`=${group}`));
    return counted.length === 0 || counted.some(([, room]) => room < 0);
  };
  return [...new Set(held.filter(isShort).map(({ name }) => name))].toSorted();
}
