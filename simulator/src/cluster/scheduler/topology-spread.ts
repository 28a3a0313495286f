import type { TopologySpreadConstraint } from '@quartermaster/kube/shapes';
import { matchesSelector } from '../label-selector.ts';
import { isTolerated, matchesNodeRules } from './fit.ts';
import type { NodeRoom } from './node-room.ts';
import type { PodView } from './pod-view.ts';

const reason = "node(s) didn't match pod topology spread constraints";

/** How the pods that a constraint speaks of are spread now. */
interface Spread {
  readonly constraint: TopologySpreadConstraint;
  readonly counts: ReadonlyMap<string, number>; // domain -> matching pods, of domains with a node that the pod could use
}

/** Says of a node why the pod would be spread too unevenly there. Looks at all pods once, and at each node then in no time. */
export function spreadCheck(pod: PodView, rooms: Iterable<NodeRoom>): (room: NodeRoom) => string | undefined {
  const required = pod.spread.filter(({ whenUnsatisfiable }) => whenUnsatisfiable !== 'ScheduleAnyway');
  const checks = spreadsOf(pod, required, rooms).map(({ constraint, counts }) => {
    const lowest = counts.size < (constraint.minDomains ?? 1) ? 0 : Math.min(...counts.values());
    const own = isMeant(constraint, pod, pod) ? 1 : 0;
    return ({ view: { labels } }: NodeRoom): string | undefined => {
      const domain = labels[constraint.topologyKey];
      if (domain === undefined) return `${reason} (missing required label)`;
      return (counts.get(domain) ?? 0) + own - lowest > constraint.maxSkew ? reason : undefined;
    };
  });
  return (room) => {
    for (const check of checks) {
      const refusal = check(room);
      if (refusal !== undefined) return refusal;
    }
    return undefined;
  };
}

/** From 0 to 100 for each constraint that only asks: the fewer of its pods a node's domain has, the more. */
export function spreadPreference(pod: PodView, rooms: Iterable<NodeRoom>): (room: NodeRoom) => number {
  const asked = pod.spread.filter(({ whenUnsatisfiable }) => whenUnsatisfiable === 'ScheduleAnyway');
  const spreads = spreadsOf(pod, asked, rooms).map((spread) => ({ ...spread, highest: Math.max(1, ...spread.counts.values()) }));
  return ({ view: { labels } }) => {
    let score = 0;
    for (const { constraint, counts, highest } of spreads) {
      const domain = labels[constraint.topologyKey];
      if (domain !== undefined) score += 100 * (1 - (counts.get(domain) ?? 0) / highest);
    }
    return score;
  };
}

function spreadsOf(pod: PodView, constraints: readonly TopologySpreadConstraint[], rooms: Iterable<NodeRoom>): readonly Spread[] {
  if (constraints.length === 0) return [];
  const all = [...rooms];
  return constraints.map((constraint) => {
    const counts = new Map<string, number>();
    for (const room of all) {
      const { labels } = room.view;
      const domain = labels[constraint.topologyKey];
      // A node that lacks the label of one constraint counts for none.
      if (domain === undefined || constraints.some(({ topologyKey }) => labels[topologyKey] === undefined)) continue;
      if (!isEligible(constraint, pod, room)) continue;
      let matching = 0;
      for (const other of room.pods.values()) if (!other.isLeaving && isMeant(constraint, pod, other)) matching += 1;
      counts.set(domain, (counts.get(domain) ?? 0) + matching);
    }
    return { constraint, counts };
  });
}

function isEligible({ nodeAffinityPolicy, nodeTaintsPolicy }: TopologySpreadConstraint, pod: PodView, { view }: NodeRoom): boolean {
  if (nodeAffinityPolicy !== 'Ignore' && !matchesNodeRules(pod, view)) return false;
  return nodeTaintsPolicy !== 'Honor' || view.taints.every((taint) => isTolerated(taint, pod.tolerations));
}

/** Whether `other` is one of those that a constraint of `pod` counts. */
function isMeant({ labelSelector, matchLabelKeys = [] }: TopologySpreadConstraint, pod: PodView, other: PodView): boolean {
  return (
    other.namespace === pod.namespace &&
    matchesSelector(labelSelector, other.labels) &&
    matchLabelKeys.every((key) => pod.labels[key] === undefined || pod.labels[key] === other.labels[key])
  );
}
