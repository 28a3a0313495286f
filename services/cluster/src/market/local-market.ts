import { ProviderMarket } from '@quartermaster/api/market';
import { codeOf, messageOf, type StatusCode } from '@quartermaster/kernel';
import type { RpcChannel, ServiceClient } from '@quartermaster/rpc';
import type { OrderId } from '../model/order.ts';
import { orderName } from '../reservations/order-name.ts';
import { orderMessage } from '../serve/request-message.ts';
import type {
  DeliveryReport,
  KnownOrder,
  Market,
  MarketBid,
  MarketLease,
  MarketOrder,
  MarketOutcome,
  MarketPage,
  Offer,
  OwnerKey,
  ReceivedManifest,
} from './market.ts';
import { bidRequest, readBid, readKey, readKnown, readLease, readOrder, reportRequest } from './market-message.ts';

type Client = ServiceClient<typeof ProviderMarket>;

/** Answers with which a server says that it did nothing. Whatever else fails may have been done. */
const clear: ReadonlySet<StatusCode> = new Set([
  'failed_precondition',
  'not_found',
  'already_exists',
  'invalid_argument',
  'permission_denied',
]);

interface Line {
  readonly channel: RpcChannel;
  readonly client: Client;
  calls: number;
  /** Once it was asked for. */
  account?: string | undefined;
}

/** The market service of Quartermaster, over a connection that is made when it is needed and again after a failure. */
export class LocalMarket implements Market {
  readonly priceDigits = 18;
  readonly #connect: () => Promise<RpcChannel>;
  readonly #pageSize: number;
  #line: Line | undefined;

  constructor(connect: () => Promise<RpcChannel>, pageSize = 1000) {
    this.#connect = connect;
    this.#pageSize = pageSize;
  }

  async account(signal: AbortSignal): Promise<string> {
    return await this.#call(async (client, line) => (line.account ??= (await client.getAccount({}, { signal })).account));
  }

  async orders(page: string | undefined, signal: AbortSignal): Promise<MarketPage<MarketOrder>> {
    const answer = await this.#call((client) => client.listOrders({ pageSize: this.#pageSize, pageToken: page ?? '' }, { signal }));
    const items = answer.orders.map(readOrder).filter((order) => order !== undefined);
    return pageOf(answer, items, answer.orders.length - items.length);
  }

  async bids(page: string | undefined, signal: AbortSignal): Promise<MarketPage<MarketBid>> {
    const answer = await this.#call((client) => client.listBids({ pageSize: this.#pageSize, pageToken: page ?? '' }, { signal }));
    return pageOf(answer, answer.bids.map(readBid));
  }

  async leases(page: string | undefined, signal: AbortSignal): Promise<MarketPage<MarketLease>> {
    const answer = await this.#call((client) => client.listLeases({ pageSize: this.#pageSize, pageToken: page ?? '' }, { signal }));
    return pageOf(answer, answer.leases.map(readLease));
  }

  async lookUp(orders: readonly OrderId[], signal: AbortSignal): Promise<ReadonlyMap<string, KnownOrder>> {
    const { known } = await this.#call((client) => client.lookUp({ orders: orders.map(orderMessage) }, { signal }));
    return new Map(known.map(readKnown).map((each) => [orderName(each.order.order), each]));
  }

  async watch(wake: () => void, signal: AbortSignal): Promise<void> {
    await this.#call(async (client) => {
      for await (const _ of client.watch({}, { signal })) wake();
    });
  }

  async createBid(order: OrderId, offer: Offer, signal: AbortSignal): Promise<MarketOutcome<MarketBid>> {
    return await this.#request(async (client) => {
      const { bid } = await client.createBid(bidRequest(order, offer), { signal });
      if (bid === undefined) throw new Error('the answer has no bid');
      return readBid(bid);
    });
  }

  async closeBid(order: OrderId, reason: string, signal: AbortSignal): Promise<MarketOutcome<MarketBid | undefined>> {
    return await this.#request(async (client) => {
      const { bid } = await client.closeBid({ order: orderMessage(order), reason }, { signal });
      return bid && readBid(bid);
    });
  }

  async closeLease(order: OrderId, reason: string, signal: AbortSignal): Promise<MarketOutcome<MarketLease>> {
    return await this.#request(async (client) => {
      const { lease } = await client.closeLease({ order: orderMessage(order), reason }, { signal });
      if (lease === undefined) throw new Error('the answer has no lease');
      return readLease(lease);
    });
  }

  async manifestOf(order: OrderId, signal: AbortSignal): Promise<ReceivedManifest | undefined> {
    try {
      const { manifest, manifestHash, confirmed } = await this.#call((client) =>
        client.getManifest({ order: orderMessage(order) }, { signal }),
      );
      return { json: manifest, confirmed, hash: manifestHash };
    } catch (thrown) {
      // Of a lease that is over there is nothing to run any more.
      if (codeOf(thrown) === 'not_found') return undefined;
      throw thrown;
    }
  }

  async report(order: OrderId, delivery: DeliveryReport, signal: AbortSignal): Promise<MarketOutcome<void>> {
    return await this.#request(async (client) => void (await client.reportDelivery(reportRequest(order, delivery), { signal })));
  }

  async keysOf(owner: string, signal: AbortSignal): Promise<readonly OwnerKey[]> {
    const { keys } = await this.#call((client) => client.listOwnerKeys({ owner }, { signal }));
    return keys.map(readKey).filter((key) => key !== undefined);
  }

  close(): void {
    this.#line?.channel.close();
    this.#line = undefined;
  }

  async #request<T>(call: (client: Client) => Promise<T>): Promise<MarketOutcome<T>> {
    try {
      return { kind: 'done', value: await this.#call(call) };
    } catch (thrown) {
      const code = codeOf(thrown);
      const reason = { code: codeName(code), message: messageOf(thrown) };
      return { kind: clear.has(code) ? 'refused' : 'unknown', reason };
    }
  }

  async #open(): Promise<Line> {
    const channel = await this.#connect();
    return { channel, client: channel.client(ProviderMarket), calls: 0 };
  }

  /** After a failure to reach it the address is asked for anew: it may be somewhere else by then. */
  async #call<T>(call: (client: Client, line: Line) => Promise<T>): Promise<T> {
    this.#line ??= await this.#open();
    const line = this.#line;
    line.calls += 1;
    try {
      return await call(line.client, line);
    } catch (thrown) {
      if (codeOf(thrown) === 'unavailable' && this.#line === line) this.#line = undefined;
      throw thrown;
    } finally {
      line.calls -= 1;
      if (line !== this.#line && line.calls === 0) line.channel.close();
    }
  }
}

const pageOf = <T>(
  { nextPageToken, position }: { readonly nextPageToken: string; readonly position: bigint },
  items: readonly T[],
  unreadable = 0,
): MarketPage<T> => ({ items, next: nextPageToken === '' ? undefined : nextPageToken, position, unreadable });

/** not_found -> NotFound. */
const codeName = (code: StatusCode): string => code.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
