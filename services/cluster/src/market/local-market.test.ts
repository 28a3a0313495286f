import { create } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import {
  BidSchema,
  BidState,
  CreateBidResponseSchema,
  GetAccountResponseSchema,
  ListBidsResponseSchema,
  ListOrdersResponseSchema,
  LookUpResponseSchema,
  OrderState,
} from '@quartermaster/api/market';
import { type StatusCode, StatusError } from '@quartermaster/kernel';
import type { RpcChannel } from '@quartermaster/rpc';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openTerms } from '../../test/bid-process.ts';
import { Gi } from '../../test/sample-facts.ts';
import { concernReasons } from '../bids/concerns.ts';
import { LocalMarket } from './local-market.ts';

const { signal } = new AbortController();
const order = { owner: 'alice', dseq: 1n, gseq: 1, oseq: 1 };

/** A market that answers what it is told to. */
function answering(methods: Record<string, (request: never) => unknown>) {
  let connections = 0;
  const channel = { client: () => methods, close: () => {} } as unknown as RpcChannel;
  const market = new LocalMarket(async () => {
    connections += 1;
    return channel;
  });
  return { market, connections: () => connections };
}

const orderInit = {
  spec: {
    order,
    group: {
      resources: { units: [{ id: 1, count: 2, cpuMillis: 500n, memoryBytes: BigInt(Gi) }] },
      requirements: { attributes: { region: 'west' }, signedByAllOf: ['a'], signedByAnyOf: [] },
      maxPrice: { denom: 'uakt', amount: '10' },
      httpEndpoints: { 1: 3 },
    },
  },
  metadata: { creationTimestamp: timestampFromMs(5) },
};

describe('the local market', () => {
  it('lists orders by pages, and leaves out what it cannot name', async () => {
    const asked: string[] = [];
    const { market } = answering({
      listOrders: async ({ pageToken }: { pageToken: string }) => {
        asked.push(pageToken);
        return create(ListOrdersResponseSchema, {
          orders: [orderInit, { spec: {} }],
          nextPageToken: pageToken === '' ? 'more' : '',
          position: 7n,
        });
      },
    });
    const page = await market.orders(undefined, signal);
    expect(page).toEqual({
      items: [
        {
          ...{ order, createdAt: 5, malformed: undefined, maxPrice: { denom: 'uakt', amount: '10' }, httpEndpoints: new Map([[1, 3]]) },
          requirements: { attributes: new Map([['region', 'west']]), signedByAllOf: ['a'], signedByAnyOf: [] },
          request: {
            units: [
              {
                id: 1,
                count: 2,
                cpuMillis: 500,
                memoryBytes: Gi,
                volumes: [],
                gpus: undefined,
                randomPorts: undefined,
                leasedIps: undefined,
              },
            ],
          },
        },
      ],
      ...{ next: 'more', position: 7n, unreadable: 1 },
    });
    expect((await market.orders('more', signal)).next).toBeUndefined();
    expect(asked).toEqual(['', 'more']);
  });

  it('fails as a whole where something of ours cannot be read', async () => {
    const { market } = answering({ listBids: async () => create(ListBidsResponseSchema, { bids: [{ id: 'b', spec: { order } }] }) });
    await expect(market.bids(undefined, signal)).rejects.toThrow('bid b of the market cannot be read');
  });

  it('knows of what it is told, and not of what it is not', async () => {
    const known = [
      {
        order: { ...orderInit, status: { state: OrderState.ACTIVE } },
        bid: { spec: { order }, status: { state: BidState.LOST, closedReason: 'dear' } },
      },
    ];
    const { market } = answering({ lookUp: async () => create(LookUpResponseSchema, { known }) });
    const found = await market.lookUp([order, { ...order, dseq: 2n }], signal);
    expect([...found.keys()]).toEqual(['alice-1-1-1']);
    expect(found.get('alice-1-1-1')).toMatchObject({ state: 'active', bid: { state: 'lost', reason: 'dear' } });
  });

  it('tells what was refused from what nobody knows', async () => {
    const outcomeOf = async (code: StatusCode) => {
      const { market } = answering({
        createBid: async () => {
          throw new StatusError(code, 'no');
        },
      });
      return (await market.createBid(order, { price: { denom: 'uakt', amount: '1' }, cards: new Map() }, signal)).kind;
    };
    for (const code of ['failed_precondition', 'not_found', 'already_exists', 'invalid_argument', 'permission_denied'] as const)
      expect(await outcomeOf(code)).toBe('refused');
    for (const code of ['unavailable', 'internal', 'aborted', 'resource_exhausted', 'unauthenticated'] as const)
      expect(await outcomeOf(code)).toBe('unknown');
  });

  it('says what it offers, and connects anew after it was out of reach', async () => {
    let request: unknown;
    let isAway = true;
    const { market, connections } = answering({
      createBid: async (asked: unknown) => {
        request = asked;
        if (isAway) throw new StatusError('unavailable', 'away');
        return create(CreateBidResponseSchema, { bid: create(BidSchema, { spec: { order }, status: { state: BidState.OPEN } }) });
      },
    });
    const cards = new Map([[1, [{ vendor: 'nvidia', model: 'a100', interface: 'SXM4', memoryBytes: 80 * Gi }]]]);
    const bid = () => market.createBid(order, { price: { denom: 'uakt', amount: '1' }, cards }, signal);
    expect((await bid()).kind).toBe('unknown');
    isAway = false;
    expect(await bid()).toMatchObject({ kind: 'done', value: { state: 'open' } });
    expect(connections()).toBe(2);
    expect(request).toMatchObject({ offer: [{ unit: 1, cards: [{ vendor: 'nvidia', model: 'a100', memoryBytes: BigInt(80 * Gi) }] }] });
  });

  it('asks once of each connection whose it is', async () => {
    let asked = 0;
    const { market } = answering({
      getAccount: async () => {
        asked += 1;
        return create(GetAccountResponseSchema, { account: `provider-${asked}` });
      },
      listBids: async () => {
        throw new StatusError('unavailable', 'away');
      },
    });
    for (let times = 0; times < 2; times += 1) expect(await market.account(signal)).toBe('provider-1');
    await expect(market.bids(undefined, signal)).rejects.toMatchObject({ code: 'unavailable' });
    expect(await market.account(signal)).toBe('provider-2');
  });

  it('reads orders of any shape, and says of each what is wrong', async () => {
    const unit = fc.record({
      ...{
        id: fc.nat(),
        count: fc.nat(),
        cpuMillis: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
        memoryBytes: fc.bigInt({ min: -1n, max: 2n ** 63n - 1n }),
      },
      volumes: fc.array(
        fc.record({ name: fc.string(), bytes: fc.bigInt({ min: 0n, max: 2n ** 62n }), kind: fc.nat(5), storageClass: fc.string() }),
        { maxLength: 20 },
      ),
      leasedIps: fc.array(fc.string(), { maxLength: 3 }),
    });
    const orders = fc.record({
      owner: fc.string(),
      units: fc.array(unit, { maxLength: 3 }),
      amount: fc.string(),
      attributes: fc.dictionary(fc.string(), fc.string()),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(orders, { minLength: 10, maxLength: 10 }), async (list) => {
        const messages = list.map(({ owner, units, amount, attributes }) => ({
          spec: {
            order: { ...order, owner },
            group: { resources: { units }, maxPrice: { denom: 'uakt', amount }, requirements: { attributes } },
          },
        }));
        const { market } = answering({ listOrders: async () => create(ListOrdersResponseSchema, { orders: messages as never }) });
        const { items, unreadable = 0 } = await market.orders(undefined, signal);
        expect(items.length + unreadable).toBe(list.length);
        for (const item of items) expect(concernReasons(item, openTerms).length).toBeGreaterThan(0);
      }),
      { numRuns: 1_000 },
    );
  }, 60_000);
});
