import { StatusError } from '@quartermaster/kernel';
import type { Identity, StreamLimits } from '@quartermaster/rpc';
import type { LeaseCaches } from '../../known-leases/lease-caches.ts';
import type { LeaseSight } from '../../known-leases/lease-sight.ts';
import { covers, type Granted } from '../who/granted.ts';
import type { Scope } from '../who/token-claims.ts';
import type { LogSource } from './log-stream.ts';
import type { PodChanges } from './pod-changes.ts';
import type { StreamedCluster } from './streamed-cluster.ts';

/** What logs of leases are read with. */
export interface LogParts {
  readonly caches: Pick<LeaseCaches, 'podsIn'>;
  readonly changes: Pick<PodChanges, 'listen'>;
  readonly cluster: Pick<StreamedCluster, 'lines'>;
  /** Of logs of pods that one tenant reads at once, over all its streams: each is a connection to the API server. */
  readonly podLimits: Pick<StreamLimits, 'opened'>;
}

/** The logs of some services of a lease: of the pods that are in its namespace, as it is followed. */
export function logSource({ caches, changes, cluster, podLimits }: LogParts, sight: LeaseSight, services: ReadonlySet<string>): LogSource {
  const namespace = namespaceOf(sight);
  const tenant: Identity = { kind: 'token', name: sight.lease.owner, groups: [] };
  return {
    async *lines(pod, options) {
      const ended = podLimits.opened(tenant, '');
      try {
        yield* cluster.lines({ namespace, name: pod }, options);
      } finally {
        ended();
      }
    },
    pods: () => caches.podsIn(namespace).filter(({ service }) => services.has(service)),
    changes: (listener) => changes.listen(namespace, listener),
  };
}

/** Its own, by uid. */
export function namespaceOf({ namespace, name }: LeaseSight): string {
  if (namespace !== undefined) return namespace.name;
  throw new StatusError('unavailable', `lease ${name} is not deployed yet, or cannot be seen at the moment: try again`);
}

/** Throws where the lease has no manifest yet. */
export function servicesIn({ manifest }: LeaseSight): readonly string[] {
  if (manifest !== undefined) return manifest.group.services.map(({ name }) => name);
  throw new StatusError('unavailable', 'the lease has no manifest yet: try again');
}

/** Those that are asked for; where none is, all that may be touched. */
export function wantedServices(
  sight: LeaseSight,
  { scope, granted }: { readonly scope: Scope; readonly granted: Granted },
  asked: readonly string[],
): ReadonlySet<string> {
  const there = servicesIn(sight);
  const refused = asked.find((service) => !covers(granted, service));
  if (refused !== undefined)
    throw new StatusError('permission_denied', `the token is not for ${scope} of service ${refused}: sign one that is`);
  const unknown = asked.find((service) => !there.includes(service));
  if (unknown !== undefined) {
    const known = there.filter((service) => covers(granted, service)).join(', ');
    throw new StatusError('invalid_argument', `service: ${unknown} is not in the manifest of the lease, which has ${known}`);
  }
  return new Set((asked.length === 0 ? there : asked).filter((service) => covers(granted, service)));
}
