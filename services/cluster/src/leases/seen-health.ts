import { judgeLease } from '../health/judge-lease.ts';
import type { LeaseHealthReport } from '../health/lease-health.ts';
import { blindness } from '../known-leases/lease-blindness.ts';
import type { LeaseRecord } from '../known-leases/lease-record.ts';
import type { StoredManifest } from '../known-leases/manifest-store.ts';
import type { LeaseContext } from './lease-context.ts';
import type { LeaseEvent } from './lease-transitions.ts';
import { type PlaceSight, placePods } from './place-pods.ts';

/** How what runs of a lease is seen to be. */
export function healthOf(
  { caches, nodes, namespaces, book, settings }: Pick<LeaseContext, 'caches' | 'nodes' | 'namespaces' | 'book' | 'settings'>,
  { name, namespace, deployedAt = Infinity, runningAt }: Pick<LeaseRecord, 'name' | 'namespace' | 'deployedAt' | 'runningAt'>,
  { group }: Pick<StoredManifest, 'group'>,
  now: number,
): LeaseHealthReport {
  const [pods, claims, plan] = [caches.podsIn(namespace), caches.claimsIn(namespace), book.reservation(name)?.plan];
  const { isOpen, isHeard } = placeSight({ nodes, book });
  const held = plan === undefined ? [] : placePods(plan, group, pods, claims, { isOpen, isHeard }).held;
  // What waits at its gate for a node that takes nothing now has not failed either.
  const awaited = new Map(held.map(({ pod, node }) => [pod, node]));
  return judgeLease({
    group,
    pods: pods.map((pod) => (awaited.has(pod) ? { ...pod, assignedTo: awaited.get(pod) ?? '' } : pod)),
    workloads: caches.workloadsIn(namespace),
    claims,
    isNodeSeen: (node, use) => (use === 'runs' ? isHeard(node) : isOpen(node)),
    blind: blindness(caches, nodes, namespaces),
    hasRun: runningAt !== undefined,
    isLate: now - deployedAt >= settings.deadlines.unhealthyTimeoutMs,
  });
}

export const placeSight = ({ nodes, book }: Pick<LeaseContext, 'nodes' | 'book'>): PlaceSight => ({
  isOpen: (node) => nodes.isOpen(node, book.nodeTerms.toleratedTaints(node)) && !book.nodeTerms.isHeldBack(node),
  isHeard: (node) => nodes.isHeard(node),
});

/** What its health makes of the record of a lease. */
export function healthEvent({ state, services }: LeaseHealthReport): LeaseEvent {
  const message = services.flatMap(({ service, problems }) => problems.map((problem) => `${service}: ${problem.message}`)).join(' ');
  if (state === 'healthy') return { kind: 'running' };
  if (state === 'unhealthy') return { kind: 'unhealthy', message };
  if (state === 'unknown') return { kind: 'not-seen', message };
  return { kind: 'starting' };
}
