import { type Source, sourceOf } from '@quartermaster/controller';
import { type Cache, type CacheOpener, isRead, type KubeObject, type KubeReader, kinds } from '@quartermaster/kube';
import { claimedOrders, leasedOrderOf, leaseKey, leaseKeys } from '../model/lease-labels.ts';
import type { OrderId } from '../model/order.ts';
import type { LeaseNamespace } from '../model/reservation.ts';
import { orderName } from './order-name.ts';

interface NamespaceOfLease extends LeaseNamespace {
  readonly order: OrderId;
}

const leaseAnnotationFields = Object.fromEntries(leaseKeys.map((key) => [key, true as const]));

/** The namespaces of leases, found by the orders that they name. */
export class LeaseNamespaces {
  /** Names of reservations. */
  readonly source: Source;
  readonly #reader: Pick<KubeReader, 'list'>;
  readonly #cache: Cache<NamespaceOfLease | undefined>;

  constructor(reader: Pick<KubeReader, 'list'>, caches: CacheOpener) {
    this.#reader = reader;
    this.#cache = caches.open({
      name: 'namespaces of leases',
      type: kinds.namespaces,
      labelSelector: leaseKey('owner'),
      fields: { metadata: { labels: true, annotations: leaseAnnotationFields, deletionTimestamp: true } },
      project: ofLease,
      indexes: { order: ({ value }) => (value === undefined ? [] : [orderName(value.order)]) },
    });
    this.source = sourceOf(this.#cache, ({ value }) => (value === undefined ? [] : [orderName(value.order)]));
  }

  /** All of them were read, and are being followed. What happened just now may not be among it. */
  get isKnown(): boolean {
    return isRead(this.#cache.status()) && this.#cache.stale() === undefined;
  }

  /** By name where there are several. */
  of(reservation: string): readonly NamespaceOfLease[] {
    const found = this.#cache.byIndex('order', reservation).flatMap(({ value }) => value ?? []);
    return found.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** As the quorum has it, for what cannot be taken back: undefined where there is none, `ambiguous` where several claim to be it, or one that says two things. */
  async leaseOf(order: OrderId, signal?: AbortSignal): Promise<LeaseNamespace | 'ambiguous' | undefined> {
    // An owner may be no value of a label; numbers always are.
    const numbers = (['dseq', 'gseq', 'oseq'] as const).map((part) => `${leaseKey(part)}=${order[part]}`);
    const labelSelector = [leaseKey('owner'), ...numbers].join();
    const { items } = await this.#reader.list(kinds.namespaces, { labelSelector, signal });
    const isIt = (found: OrderId): boolean => orderName(found) === orderName(order);
    const [first, ...others] = items.flatMap((item) => ofLease(item) ?? []).filter((found) => isIt(found.order));
    return others.length > 0 || items.some((item) => isTampered(item) && claimedOrders(item.metadata).some(isIt)) ? 'ambiguous' : first;
  }

  stop(): Promise<void> {
    return this.#cache.stop();
  }
}

function ofLease({ metadata }: Pick<KubeObject, 'metadata'>): NamespaceOfLease | undefined {
  const order = isEnding(metadata) ? undefined : leasedOrderOf(metadata);
  if (order === undefined || order === 'tampered') return undefined;
  return { order, name: metadata?.name ?? '', uid: metadata?.uid ?? '' };
}

const isTampered = ({ metadata }: Pick<KubeObject, 'metadata'>): boolean => !isEnding(metadata) && leasedOrderOf(metadata) === 'tampered';

/** Takes no new pods; those that it has end. */
const isEnding = (metadata: KubeObject['metadata']): boolean => metadata?.deletionTimestamp !== undefined;
