import type { Holds, NodeHold } from '../placement/holds.ts';
import type { Plan } from '../placement/plan.ts';
import type { LeaseUse } from './net-holds.ts';

/** Amounts of everything that can be promised, of one reservation or of many together. */
export interface Resources {
  cpuMillis: number;
  /** With RAM volumes. */
  memoryBytes: number;
  ephemeralBytes: number;
  readonly cards: Map<string, number>; // resource name -> cards
  readonly storage: Map<string, number>; // storage class -> bytes
  ports: number;
  ips: number;
}

interface Amounts {
  readonly cpuMillis: number;
  readonly memoryBytes: number;
  readonly ephemeralBytes: number;
}

export const noResources = (): Resources => ({
  cpuMillis: 0,
  memoryBytes: 0,
  ephemeralBytes: 0,
  cards: new Map(),
  storage: new Map(),
  ports: 0,
  ips: 0,
});

export function addPromised(sum: Resources, plan: Plan): Resources {
  for (const unit of plan.units) {
    const { length } = unit.replicas;
    addAmounts(sum, unit, length);
    for (const { class: name, bytes } of unit.volumes) addTo(sum.storage, name, bytes * length);
    for (const { cards } of unit.replicas) if (cards !== undefined) addTo(sum.cards, cards.resource, cards.count);
  }
  return addEndpoints(sum, plan);
}

export function addHeld(sum: Resources, holds: Holds): Resources {
  for (const hold of holds.nodes.values()) addNodeHold(sum, hold);
  return addEndpoints(sum, holds);
}

export function addNodeHold(sum: Resources, hold: NodeHold): void {
  addAmounts(sum, hold);
  for (const { resource, count } of hold.cards) addTo(sum.cards, resource, count);
  for (const [name, bytes] of hold.volumes) addTo(sum.storage, name, bytes);
}

/** What the lease has, whether or not it was promised. */
export function addUsed(sum: Resources, use: LeaseUse): Resources {
  for (const pod of use.pods) {
    addAmounts(sum, pod);
    for (const [resource, count] of pod.cards) addTo(sum.cards, resource, count);
  }
  for (const { storageClass, bytes } of use.claims) addTo(sum.storage, storageClass, bytes);
  return addEndpoints(sum, use);
}

function addAmounts(sum: Resources, { cpuMillis, memoryBytes, ephemeralBytes }: Amounts, times = 1): void {
  sum.cpuMillis += cpuMillis * times;
  sum.memoryBytes += memoryBytes * times;
  sum.ephemeralBytes += ephemeralBytes * times;
}

function addEndpoints(sum: Resources, { ports, ips }: { readonly ports: number; readonly ips: number }): Resources {
  sum.ports += ports;
  sum.ips += ips;
  return sum;
}

function addTo(sums: Map<string, number>, key: string, amount: number): void {
  sums.set(key, (sums.get(key) ?? 0) + amount);
}
