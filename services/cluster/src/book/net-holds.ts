import type { LeasePod, LeaseVolume } from '../model/inventory-change.ts';
import type { Holds, NodeHold } from '../placement/holds.ts';
import { holdsOf, type Plan } from '../placement/plan.ts';
import { type Promised, type WaitingReplica, waitingReplicas } from './waiting-replicas.ts';

/** What the inventory counts already of what is in the namespace of a reservation. */
export interface LeaseUse {
  readonly pods: readonly LeasePod[];
  readonly claims: readonly LeaseVolume[];
  readonly ports: number;
  readonly ips: number;
}

export const noUse: LeaseUse = { pods: [], claims: [], ports: 0, ips: 0 };

export interface NetHolds {
  /** What is promised beyond what the lease has. */
  readonly holds: Holds;
  /** Replicas that no pod was found for. */
  readonly waiting: readonly WaitingReplica[];
}

/**
 * What a plan still has to hold beside what the inventory counts, so that nothing is counted twice and nothing forgotten. A pod that stands for no replica is counted
 * beside all of them. Volumes, ports and addresses have no replica: of each kind, what there is comes off what was promised.
 */
export function netHolds(promised: Promised, use: LeaseUse): NetHolds {
  const { plan } = promised;
  const { pods, claims, ports, ips } = use;
  const waiting = waitingReplicas(promised, pods);
  // Every one that is pending.
  if (use === noUse) return { holds: holdsOf(plan), waiting };
  const nodes = new Map<string, NodeHold>();
  for (const { unit, replica } of waiting) {
    const before = nodes.get(replica.node) ?? nothing;
    nodes.set(replica.node, {
      cpuMillis: before.cpuMillis + unit.cpuMillis,
      memoryBytes: before.memoryBytes + unit.memoryBytes,
      ephemeralBytes: before.ephemeralBytes + unit.ephemeralBytes,
      pods: before.pods + 1,
      cards: replica.cards === undefined ? before.cards : [...before.cards, replica.cards],
      volumes: before.volumes,
    });
  }
  for (const [node, volumes] of unclaimed(plan, claims)) nodes.set(node, { ...(nodes.get(node) ?? nothing), volumes });
  return { holds: { nodes, ports: Math.max(plan.ports - ports, 0), ips: Math.max(plan.ips - ips, 0) }, waiting };
}

const nothing: NodeHold = { cpuMillis: 0, memoryBytes: 0, ephemeralBytes: 0, pods: 0, cards: [], volumes: new Map() };

/** Bytes of each class that no claim has taken, by node. A claim comes off what is promised on its own node first, then off the rest of its class. */
function unclaimed(plan: Plan, claims: readonly LeaseVolume[]): Map<string, Map<string, number>> {
  const left = new Map<string, Map<string, number>>(); // storage class -> node -> bytes
  for (const { volumes, replicas } of plan.units) {
    for (const { class: name, bytes } of volumes) {
      const byNode = left.get(name) ?? new Map<string, number>();
      left.set(name, byNode);
      for (const { node } of replicas) byNode.set(node, (byNode.get(node) ?? 0) + bytes);
    }
  }
  const elsewhere = claims.map(({ storageClass, node, bytes }) => {
    const byNode = left.get(storageClass);
    return { byNode, bytes: node === undefined ? bytes : bytes - takeOff(byNode, node, bytes) };
  });
  for (const { byNode, bytes } of elsewhere) {
    let rest = bytes;
    for (const node of byNode?.keys() ?? []) rest -= takeOff(byNode, node, rest);
  }
  const held = new Map<string, Map<string, number>>(); // node -> storage class -> bytes
  for (const [name, byNode] of left) {
    for (const [node, bytes] of byNode) if (bytes > 0) held.set(node, (held.get(node) ?? new Map<string, number>()).set(name, bytes));
  }
  return held;
}

/** Answers how much there was to take. */
function takeOff(byNode: Map<string, number> | undefined, node: string, bytes: number): number {
  const there = byNode?.get(node) ?? 0;
  const taken = Math.min(there, bytes);
  if (taken > 0) byNode?.set(node, there - taken);
  return taken;
}
