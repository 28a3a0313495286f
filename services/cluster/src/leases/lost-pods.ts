import type { SeenLeasePod } from '../health/lease-health.ts';

/**
 * UIDs of pods that stand for no replica any more: the cluster has given them up, and their node does not say that they have ended. A node that is silent for a moment loses
 * none: the cluster gives up a pod only after minutes. Those that were lost (`before`) stay so when their node is heard again: it ends them, and their replicas have other
 * places by then.
 */
export function lostPods(
  pods: Iterable<SeenLeasePod>,
  isHeard: (node: string) => boolean,
  before: ReadonlySet<string> = new Set(),
): ReadonlySet<string> {
  const lost = new Set<string>();
  for (const { uid, node, isDeleting } of pods) if (isDeleting && node !== '' && (before.has(uid) || !isHeard(node))) lost.add(uid);
  return lost;
}
