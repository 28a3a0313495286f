import { create } from '@bufbuild/protobuf';
import type { OrderId } from '@quartermaster/api/cluster';
import { type Bid, type KnownOrder, KnownOrderSchema, type Lease, LeaseState, type Order, type OwnerKey } from '@quartermaster/api/market';
import { invalidFields, StatusError } from '@quartermaster/kernel';
import { momentSql, type Queryable, type Statement, type StoredObject } from '@quartermaster/store';
import type { Kinds } from '../kinds/kinds.ts';
import { orderIdOf } from '../rules/index.ts';
import { providerView } from './provider-view.ts';

interface PageRequest {
  readonly pageSize: number;
  readonly pageToken: string;
}

export interface Page<M> {
  readonly items: M[];
  /** The id of the last item; empty on the last page. */
  readonly nextPageToken: string;
  readonly position: bigint;
}

interface PageRow {
  readonly position: bigint;
  readonly body: Uint8Array | null;
  /** Of leases alone. */
  readonly manifest_hash?: string | null;
}

const defaultSize = 100;
const maxSize = 1_000;

/** The page and the moment that it was read at are one statement, so that nothing comes between them. Every page has a row, be it an empty one. */
const pageStatement = (name: string, page: string): Statement => ({
  name,
  text: `select ${momentSql} as position, page.* from (values (true)) as always left join lateral (${page}) as page on true`,
});

/** Of the deployment of a lease: what the lease is to run. */
const manifestHashSql = `d.data #>> '{status,manifest_hash}' as manifest_hash`;

// An order that is forgotten since the page before begins the list anew, which repeats some and misses none.
const openOrders = pageStatement(
  'provider-orders',
  `select body from orders where state = 1
    and (created_at, id) > (coalesce((select created_at from orders where id = $1), '-infinity'), $1) order by created_at, id limit $2`,
);
const liveBids = pageStatement(
  'provider-bids',
  'select body from bids where provider = $3 and state in (1, 2) and id > $1 order by id limit $2',
);
const activeLeases = pageStatement(
  'provider-leases',
  `select l.body, ${manifestHashSql} from leases l left join deployments d on d.id = l.deployment
    where l.provider = $3 and l.state = 1 and l.id > $1 order by l.id limit $2`,
);

const knownOrders = {
  name: 'provider-known',
  text: `select ${momentSql} as position, known.* from (values (true)) as always left join lateral (
      select o.body as order_body, b.body as bid, l.body as lease, ${manifestHashSql} from orders o
      left join bids b on b.id = o.id || '-' || $2 left join leases l on l.id = o.id || '-' || $2
      left join deployments d on d.id = l.deployment
      where o.id = any($1::text[]) order by o.id
    ) as known on true`,
};

interface KnownRow {
  readonly position: bigint;
  readonly order_body: Uint8Array | null;
  readonly bid: Uint8Array | null;
  readonly lease: Uint8Array | null;
  readonly manifest_hash: string | null;
}

const isPartner = {
  name: 'provider-is-partner',
  text: `select exists (select from bids where provider = $1 and state in (1, 2) and tenants @> array[$2::text])
    or exists (select from leases where provider = $1 and state = 1 and owner = $2) as is_partner`,
};

/** The market as one provider sees it. */
export class ProviderReads {
  readonly #db: Queryable;
  readonly #kinds: Kinds;

  constructor(db: Queryable, kinds: Kinds) {
    this.#db = db;
    this.#kinds = kinds;
  }

  async orders(request: PageRequest): Promise<Page<Order>> {
    const page = await this.#page(openOrders, ({ body }) => this.#kinds.orders.store.decode(body), request, []);
    return { ...page, items: page.items.map(providerView) };
  }

  bids(provider: string, request: PageRequest): Promise<Page<Bid>> {
    return this.#page(liveBids, ({ body }) => this.#kinds.bids.store.decode(body), request, [provider]);
  }

  leases(provider: string, request: PageRequest): Promise<Page<Lease>> {
    const { store } = this.#kinds.leases;
    return this.#page(activeLeases, (row) => withManifestHash(store.decode(row.body), row.manifest_hash), request, [provider]);
  }

  /** Those that the market does not know are left out, and so are those of other owners than the request says. */
  async known(provider: string, orders: readonly OrderId[]): Promise<{ readonly known: KnownOrder[]; readonly position: bigint }> {
    if (orders.length > maxSize)
      throw invalidFields([{ field: 'orders', description: `must not have more than ${maxSize} entries; ask again for the others` }]);
    const asked = new Set(orders.map((order) => `${orderIdOf(order)} ${order.owner}`));
    const rows = await this.#db.query<KnownRow>(knownOrders, [orders.map(orderIdOf), provider]);
    const { orders: orderKind, bids, leases } = this.#kinds;
    const known = rows.flatMap(({ order_body: body, bid, lease, manifest_hash: hash }) => {
      if (body === null) return [];
      const order = orderKind.store.decode(body);
      if (!asked.has(`${order.id} ${order.spec?.order?.owner}`)) return [];
      return create(KnownOrderSchema, {
        order: providerView(order),
        ...(bid && { bid: bids.store.decode(bid) }),
        ...(lease && { lease: withManifestHash(leases.store.decode(lease), hash) }),
      });
    });
    return { known, position: rows[0]?.position ?? 0n };
  }

  /** Throws in the same words for owners that there are not. */
  async keysOf(provider: string, owner: string): Promise<OwnerKey[]> {
    const [row] = await this.#db.query<{ readonly is_partner: boolean }>(isPartner, [provider, owner]);
    if (row?.is_partner !== true) {
      throw new StatusError(
        'permission_denied',
        `field "owner": ${provider} has neither an open bid on an order of that owner nor a lease of it: bid on one of its orders first`,
      );
    }
    const statement = { name: 'keys-of-owner', text: 'select body from owner_keys where owner = $1 order by id' };
    const rows = await this.#db.query<{ readonly body: Uint8Array }>(statement, [owner]);
    return rows.map(({ body }) => this.#kinds.owner_keys.store.decode(body));
  }

  async #page<M extends StoredObject>(
    statement: Statement,
    decode: (row: PageRow & { readonly body: Uint8Array }) => M,
    { pageSize, pageToken }: PageRequest,
    more: readonly string[],
  ): Promise<Page<M>> {
    if (pageSize < 0) throw invalidFields([{ field: 'page_size', description: `must not be negative; leave it out for ${defaultSize}` }]);
    if (pageToken.includes('\0'))
      throw invalidFields([{ field: 'page_token', description: 'must be the next_page_token of the page before' }]);
    const size = Math.min(pageSize === 0 ? defaultSize : pageSize, maxSize);
    const rows = await this.#db.query<PageRow>(statement, [pageToken, size + 1, ...more]);
    const all = rows.flatMap((row) => (row.body === null ? [] : [decode({ ...row, body: row.body })]));
    const items = all.slice(0, size);
    return { items, nextPageToken: all.length > size ? (items.at(-1)?.id ?? '') : '', position: rows[0]?.position ?? 0n };
  }
}

/** Of one that was read here, and is nobody else's. What is over is to run nothing. */
function withManifestHash(lease: Lease, hash: string | null | undefined): Lease {
  if (lease.status?.state === LeaseState.ACTIVE) lease.status.manifestHash = hash ?? '';
  return lease;
}
