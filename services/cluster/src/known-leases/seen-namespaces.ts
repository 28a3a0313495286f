import { type Source, sourceOf } from '@quartermaster/controller';
import { type Clock, StatusError } from '@quartermaster/kernel';
import { type Cache, type CacheOpener, isRead, kinds } from '@quartermaster/kube';
import type { Namespace } from '@quartermaster/kube/shapes';
import { type LiveObject, liveObject } from '../apply/live-object.ts';
import type { LeaseId } from '../model/lease.ts';
import { leaseOf } from '../model/lease-labels.ts';
import { orderName } from '../reservations/order-name.ts';
import { WrittenCache } from './written-cache.ts';

/** A namespace that is a lease's, or looks like one. */
export interface SeenNamespace {
  readonly live: LiveObject;
  /** `tampered`: its labels and its annotations name different leases. Undefined: they name none. */
  readonly lease: LeaseId | 'tampered' | undefined;
  /** As `sealAnnotation` has it. */
  readonly seal: string;
  /** What is recorded of its Secrets. */
  readonly secrets: string;
  readonly isDeleting: boolean;
  /** Why it is not gone yet, as the server says. */
  readonly remaining: string;
}

/** `<seal> <JSON>`: Secret -> hash of what was applied and uid, with an HMAC of that by the salt of the lease (`leases/lease-secrets.ts`). Secrets themselves are not read. */
export const secretsAnnotation = 'quartermaster.dev/secrets';
/** What only whoever can read the Secret of the lease's manifest can make: by it a namespace is known to be ours, whatever is lost. */
export const sealAnnotation = 'quartermaster.dev/seal';
const leasePrefix = 'lease-';

/** Namespaces by name. Those that are nobody's lease cost a name each. */
export class SeenNamespaces {
  readonly source: Source;
  readonly #cache: Cache<SeenNamespace | undefined>;
  readonly #written: WrittenCache<Namespace, SeenNamespace | undefined>;

  constructor(caches: CacheOpener, clock: Pick<Clock, 'monotonic'>) {
    this.#cache = caches.open({
      name: 'namespaces',
      type: kinds.namespaces,
      project: seenNamespace,
      indexes: { isOfLease: ({ value }) => (value === undefined ? [] : ['yes']) },
    });
    const group = { index: 'isOfLease', of: () => 'yes' };
    this.#written = new WrittenCache({ cache: this.#cache, project: seenNamespace, clock, group });
    this.source = sourceOf(this.#cache, ({ value }) => {
      const lease = value?.lease;
      return lease === undefined || lease === 'tampered' ? [] : [orderName(lease)];
    });
  }

  /** All of them were read, and are being followed. */
  get isKnown(): boolean {
    return isRead(this.#cache.status()) && this.#cache.stale() === undefined;
  }

  get(name: string): SeenNamespace | undefined {
    return this.#written.get(name)?.value;
  }

  all(): readonly SeenNamespace[] {
    return this.#written.in('yes').flatMap(({ value }) => value ?? []);
  }

  /** Shows it before the watch does. */
  wrote(namespace: Namespace): SeenNamespace {
    const seen = this.#written.wrote(namespace);
    if (seen === undefined) throw new StatusError('internal', `namespace ${namespace.metadata?.name} has no name of a lease`);
    return seen;
  }

  /** The order of the lease that the namespace of this name is of. */
  orderOf(name: string): string | undefined {
    const lease = this.get(name)?.lease;
    return lease === undefined || lease === 'tampered' ? undefined : orderName(lease);
  }

  stale(): readonly string[] {
    return this.#cache.stale() === undefined ? [] : [this.#cache.name];
  }
}

export function seenNamespace(namespace: Namespace): SeenNamespace | undefined {
  const { metadata, status } = namespace;
  const lease = leaseOf(metadata ?? {});
  const { name = '', annotations = {}, deletionTimestamp } = metadata ?? {};
  if (lease === undefined && !name.startsWith(leasePrefix)) return undefined;
  const remaining = (status?.conditions ?? [])
    .filter(({ type, status: is }) => is === 'True' && type !== 'NamespaceDeletionDiscoveryFailure')
    .map(({ message = '' }) => message)
    .filter((message) => message !== '')
    .join('; ');
  return {
    live: liveObject(kinds.namespaces, namespace),
    ...{ lease, remaining },
    seal: annotations[sealAnnotation] ?? '',
    secrets: annotations[secretsAnnotation] ?? '',
    isDeleting: deletionTimestamp !== undefined,
  };
}
