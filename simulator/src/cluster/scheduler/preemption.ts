import { fitFailures } from './fit.ts';
import { NodeRoom } from './node-room.ts';
import { affinityCheck, type Surroundings } from './pod-affinity.ts';
import type { PodView } from './pod-view.ts';
import { spreadCheck } from './topology-spread.ts';

export interface Preemption {
  readonly node: string;
  /** Keys of the pods that have to go. */
  readonly victims: readonly string[];
}

export interface PreemptionOptions {
  readonly priorityOf: (pod: PodView) => number;
  /** A further rule for a node: why not, or undefined. */
  readonly alsoRefuses?: (room: NodeRoom) => string | undefined;
}

interface Candidate extends Preemption {
  /** The highest priority among the victims, and the sum. */
  readonly highest: number;
  readonly sum: number;
}

/**
 * Where a pod that fits nowhere would fit if pods of lower priority went, and which: on each node as few and as unimportant as will do; of
 * the nodes the one whose most important victim matters least. Rules between pods must hold with the victims still there. Pure.
 */
export function planPreemption(
  pod: PodView,
  rooms: readonly NodeRoom[],
  around: Surroundings,
  options: PreemptionOptions,
): Preemption | undefined {
  const between = affinityCheck(pod, around);
  const spread = spreadCheck(pod, rooms);
  let best: Candidate | undefined;
  for (const room of rooms) {
    if ((options.alsoRefuses?.(room) ?? between(room) ?? spread(room)) !== undefined) continue;
    const candidate = candidateOn(pod, room, options.priorityOf);
    if (candidate !== undefined && (best === undefined || isLess(candidate, best))) best = candidate;
  }
  return best === undefined ? undefined : { node: best.node, victims: best.victims };
}

function candidateOn(pod: PodView, room: NodeRoom, priorityOf: (pod: PodView) => number): Candidate | undefined {
  const own = priorityOf(pod);
  const lower = [...room.pods].filter(([, other]) => priorityOf(other) < own);
  if (lower.length === 0) return undefined;
  const trial = new NodeRoom(room.view);
  for (const [key, other] of room.pods) if (priorityOf(other) >= own) trial.put(key, other);
  if (fitFailures(pod, trial).length > 0) return undefined;
  // Who matters most comes back first, as long as there is room.
  const victims: [string, PodView][] = [];
  for (const [key, other] of lower.sort(([, a], [, b]) => priorityOf(b) - priorityOf(a))) {
    trial.put(key, other);
    if (fitFailures(pod, trial).length === 0) continue;
    trial.remove(key);
    victims.push([key, other]);
  }
  const priorities = victims.map(([, other]) => priorityOf(other));
  return {
    node: room.view.name,
    victims: victims.map(([key]) => key),
    highest: Math.max(...priorities),
    sum: priorities.reduce((total, priority) => total + priority, 0),
  };
}

const isLess = (a: Candidate, b: Candidate): boolean =>
  a.highest - b.highest < 0 || (a.highest === b.highest && (a.sum < b.sum || (a.sum === b.sum && a.victims.length < b.victims.length)));
