import { type Source, sourceOf } from '@quartermaster/controller';
import { type Cache, type CacheOpener, isRead, type KubeObject, type KubeReader, kinds } from '@quartermaster/kube';
import type { OrderId } from '../model/order.ts';
import type { LeaseNamespace } from '../model/reservation.ts';
import { orderName } from './order-name.ts';

interface NamespaceOfLease extends LeaseNamespace {
  readonly order: OrderId;
}

const prefix = 'akash.network/lease.id.';
const maxDseq = 2n ** 64n - 1n;
const maxSeq = 2 ** 32 - 1;

/** The namespaces of leases, found by the orders that their labels name. */
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
      labelSelector: `${prefix}owner`,
      fields: { metadata: { labels: true, deletionTimestamp: true } },
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

  /** As the quorum has it, for what cannot be taken back: undefined where there is none, `ambiguous` where several claim to be it. */
  async leaseOf(order: OrderId, signal?: AbortSignal): Promise<LeaseNamespace | 'ambiguous' | undefined> {
    // An owner may be no value of a label; numbers always are.
    const numbers = (['dseq', 'gseq', 'oseq'] as const).map((part) => `${prefix}${part}=${order[part]}`);
    const labelSelector = [`${prefix}owner`, ...numbers].join();
    const { items } = await this.#reader.list(kinds.namespaces, { labelSelector, signal });
    const [first, ...others] = items.flatMap((item) => ofLease(item) ?? []).filter((found) => orderName(found.order) === orderName(order));
    return others.length > 0 ? 'ambiguous' : first;
  }

  stop(): Promise<void> {
    return this.#cache.stop();
  }
}

function ofLease({ metadata }: Pick<KubeObject, 'metadata'>): NamespaceOfLease | undefined {
  const order = orderOfLabels(metadata?.labels ?? {});
  // One that is being deleted takes no new pods; those that it has end.
  if (order === undefined || metadata?.deletionTimestamp !== undefined) return undefined;
  return { order, name: metadata?.name ?? '', uid: metadata?.uid ?? '' };
}

/** Undefined where they name no order. */
function orderOfLabels(labels: Readonly<Record<string, string>>): OrderId | undefined {
  const [owner = '', dseq, gseq, oseq] = ['owner', 'dseq', 'gseq', 'oseq'].map((part) => labels[`${prefix}${part}`]);
  const numbers = [dseq, gseq, oseq].map((text) => (text !== undefined && /^(0|[1-9]\d{0,19})$/.test(text) ? BigInt(text) : undefined));
  const [d, g, o] = numbers;
  if (owner === '' || d === undefined || g === undefined || o === undefined) return undefined;
  if (d > maxDseq || g > maxSeq || o > maxSeq) return undefined;
  return { owner, dseq: d, gseq: Number(g), oseq: Number(o) };
}
