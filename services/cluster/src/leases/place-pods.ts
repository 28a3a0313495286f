import type { ManifestGroup } from '@quartermaster/api/lease-manifest';
import type { SeenClaim, SeenLeasePod } from '../health/lease-health.ts';
import { hasEnded } from '../health/pod-problem.ts';
import type { Plan } from '../placement/plan.ts';

/** What is done to pods so that each is where the plan has room for it. */
export interface PodPlacement {
  /** Pods that wait for a place, each with the node that it gets, and the unit that has the place. */
  readonly assign: readonly { readonly pod: SeenLeasePod; readonly node: string; readonly unit: number }[];
  /** Pods that go on waiting for a place on a node that takes nothing now. */
  readonly held: readonly { readonly pod: SeenLeasePod; readonly node: string }[];
  /** Pods that were given a node which the plan does not have for them any more, and that never got there: made anew, they are given another. */
  readonly replace: readonly SeenLeasePod[];
}

/** Of nodes at this moment. */
export interface PlaceSight {
  /** Whether something new may start there. */
  readonly isOpen: (node: string) => boolean;
  /** Whether what is said of its pods is so. */
  readonly isHeard: (node: string) => boolean;
}

/**
 * Replicas of a unit are alike, so that a pod may have the place of any of them. Pure: the same pods get the same places. One whose volumes lie on a node goes there, as long
 * as the plan has room on it. What is on its way out keeps its place until it is gone, since it runs till then, unless nobody hears of its node. A pod has a place of the unit that it was given, also where the
 * manifest has its service take another unit by now, or does not have it any more. A node that takes nothing now is given to nobody: what has no data there is planned anew.
 */
export function placePods(
  plan: Plan,
  group: ManifestGroup,
  pods: readonly SeenLeasePod[],
  claims: readonly SeenClaim[],
  { isOpen, isHeard }: PlaceSight,
): PodPlacement {
  const units = new Map(group.services.map(({ name, resources }) => [name, resources.id])); // service -> unit
  const nodeOfClaim = new Map(claims.map(({ name, node }) => [name, node])); // claim -> node
  const unitOf = (pod: SeenLeasePod): number | undefined => pod.unit ?? units.get(pod.service);
  const assign: { pod: SeenLeasePod; node: string; unit: number }[] = [];
  const held: { pod: SeenLeasePod; node: string; unit: number }[] = [];
  const replace: SeenLeasePod[] = [];
  for (const unit of plan.units) {
    const standing = pods.filter((pod) => unitOf(pod) === unit.id && !hasEnded(pod)).toSorted(byName);
    const own = standing.filter(({ isDeleting }) => !isDeleting);
    const free = unit.replicas.map(({ node }) => node);
    const take = (node: string): boolean => {
      const at = free.indexOf(node);
      if (at >= 0) free.splice(at, 1);
      return at >= 0;
    };
    // What runs is where it is, whatever the plan says.
    for (const { node } of own.filter((pod) => pod.node !== '')) take(node);
    for (const { node, isDeleting } of standing) if (isDeleting && node !== '' && isHeard(node)) take(node);
    const underWay = own.filter(({ node, assignedTo }) => node === '' && assignedTo !== '');
    for (const pod of underWay) if (!take(pod.assignedTo)) replace.push(pod);
    const waiting = own.filter(({ node, assignedTo, isGated }) => node === '' && assignedTo === '' && isGated);
    const bound = (pod: SeenLeasePod): string => pod.claims.map((claim) => nodeOfClaim.get(claim) ?? '').find((node) => node !== '') ?? '';
    for (const pod of waiting.toSorted((a, b) => Number(bound(a) === '') - Number(bound(b) === ''))) {
      const open = free.filter(isOpen);
      const node = free.includes(bound(pod))
        ? bound(pod)
        : (open.find((each) => !waiting.some((other) => bound(other) === each)) ?? open[0] ?? free[0]);
      if (node === undefined) continue;
      take(node);
      (isOpen(node) ? assign : held).push({ pod, node, unit: unit.id });
    }
  }
  return { assign, held, replace };
}

const byName = (a: SeenLeasePod, b: SeenLeasePod): number => (a.name < b.name ? -1 : 1);
