import type { WorkloadPod } from '../pods/workload-pod.ts';
import { fitFailures } from './fit.ts';
import type { NodeRoom } from './node-room.ts';

export type Placement = { readonly kind: 'node'; readonly node: string } | { readonly kind: 'nowhere'; readonly message: string };

export interface PlacementOptions {
  /** Where among the nodes to begin: with many of them, not all are looked at, and each should get its turn. */
  readonly startAt?: number | undefined;
  /** A further rule for a node, such as where the pod's volumes are: why not, or undefined. */
  readonly alsoRefuses?: (room: NodeRoom) => string | undefined;
}

/** Pods without requests count as if they had these, so that they spread as well. */
const assumedCpuMillis = 100;
const assumedMemoryBytes = 200 * 2 ** 20;

/** The best node of those that the pod fits on, or why it fits on none. Pure: changes nothing, and ends the same for the same input. */
export function place(pod: WorkloadPod, rooms: readonly NodeRoom[], options: PlacementOptions = {}): Placement {
  if (rooms.length === 0) return { kind: 'nowhere', message: 'no nodes available to schedule pods' };
  const enough = nodesToFind(rooms.length);
  const reasons = new Map<string, number>(); // reason -> nodes
  let found = 0;
  let best: { readonly room: NodeRoom; readonly score: number } | undefined;
  for (let i = 0; i < rooms.length && found < enough; i += 1) {
    const room = rooms[(i + (options.startAt ?? 0)) % rooms.length];
    if (room === undefined) continue;
    const failures = [...fitFailures(pod, room)];
    const refusal = failures.length > 0 ? undefined : options.alsoRefuses?.(room);
    if (refusal !== undefined) failures.push(refusal);
    for (const failure of failures) reasons.set(failure, (reasons.get(failure) ?? 0) + 1);
    if (failures.length > 0) continue;
    found += 1;
    const score = scoreOf(pod, room);
    if (best === undefined || score > best.score) best = { room, score };
  }
  if (best !== undefined) return { kind: 'node', node: best.room.view.name };
  const histogram = [...reasons].map(([reason, nodes]) => `${nodes} ${reason}`).sort();
  return { kind: 'nowhere', message: `0/${rooms.length} nodes are available: ${histogram.join(', ')}.` };
}

/** All of up to a hundred nodes; of more a falling share, down to a twentieth, as Kubernetes does. */
function nodesToFind(nodes: number): number {
  if (nodes <= 100) return nodes;
  const percent = Math.max(50 - Math.floor(nodes / 125), 5);
  return Math.max(Math.floor((nodes * percent) / 100), 100);
}

/** Emptier nodes are better. */
function scoreOf(pod: WorkloadPod, room: NodeRoom): number {
  const freeShare = (resource: string, assumed: number): number => {
    const total = room.view.allocatable.get(resource) ?? 0;
    const used = Math.max(room.used(resource), room.pods.size * assumed) + (pod.requests.get(resource) ?? assumed);
    return total === 0 ? 0 : Math.max(1 - used / total, 0);
  };
  return freeShare('cpu', assumedCpuMillis) + freeShare('memory', assumedMemoryBytes);
}
