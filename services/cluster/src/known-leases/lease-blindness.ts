import type { LeaseCaches } from './lease-caches.ts';
import type { SeenNamespaces } from './seen-namespaces.ts';
import type { SeenNodes } from './seen-nodes.ts';

/** Why what is seen of leases may be old, for people; undefined while all of it is followed. Nobody is unhealthy for what cannot be seen. */
export function blindness(
  caches: Pick<LeaseCaches, 'stale'>,
  nodes: Pick<SeenNodes, 'stale'>,
  namespaces: Pick<SeenNamespaces, 'stale'>,
): string | undefined {
  const stale = [...caches.stale(), ...nodes.stale(), ...namespaces.stale()];
  return stale.length === 0
    ? undefined
    : `the provider cannot observe its cluster at the moment (${stale.slice(0, 3).join(', ')}${stale.length > 3 ? ', …' : ''})`;
}
