import { BidState, Bids, Deployments, Events, OrderState, OwnerKeys, ProviderMarket } from '@quartermaster/api/market';
import type { TestMarket } from '@quartermaster/market/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { compressedKey } from './compressed-key.ts';
import { sampleSdl } from './sample-sdl.ts';
import { deploy, TestMarkets, uakt } from './start-market.ts';

const markets = new TestMarkets();
const patience = { timeout: 20_000, interval: 50 };
let service: TestMarket;

beforeAll(async () => {
  service = await markets.start();
});

afterAll(() => markets.stop());

const as = (account: string) => service.provider(account).client(ProviderMarket);

describe('a bid', () => {
  it('is there once for each order and provider, however often it is made', async () => {
    const { order } = await deploy(service, 'acme');
    const offer = [{ unit: 1, cards: [{ vendor: 'nvidia', model: 'a100' }] }];
    const { bid } = await as('p1').createBid({ order, price: uakt('5'), offer });
    const repeated = await Promise.all(
      ['5', '5.0', '5.000000000000000000'].map((amount) => as('p1').createBid({ order, price: uakt(amount) })),
    );
    expect(repeated.map((answer) => answer.bid)).toEqual([bid, bid, bid]);
    await expect(as('p1').createBid({ order, price: uakt('6') })).rejects.toMatchObject({ code: 'already_exists' });
    await service
      .tenant('acme')
      .client(Bids)
      .accept({ id: bid?.id ?? '' });
    expect((await as('p1').createBid({ order, price: uakt('5') })).bid?.status?.state).toBe(BidState.ACTIVE);
    await expect(as('p1').closeBid({ order })).rejects.toMatchObject({
      code: 'failed_precondition',
      message: expect.stringContaining('close that'),
    });
    await expect(as('p2').createBid({ order, price: uakt('5') })).rejects.toMatchObject({ code: 'failed_precondition' });
  });

  it('is refused above the maximum, in another denom, and for what is no order, price or unit', async () => {
    const { order } = await deploy(service, 'acme');
    const bid = (change: object) => as('p1').createBid({ order, price: uakt('5'), ...change });
    await expect(bid({ price: uakt('100.000000000000000001') })).rejects.toThrow('must be at most 100 uakt');
    await expect(bid({ price: { denom: 'usd', amount: '1' } })).rejects.toMatchObject({ code: 'failed_precondition' });
    for (const amount of ['0', '-1', '1e3', '', '1.0000000000000000001'])
      await expect(bid({ price: uakt(amount) })).rejects.toThrow(/field "price.amount"/);
    await expect(bid({ price: undefined })).rejects.toThrow('field "price": must be given');
    await expect(bid({ order: undefined })).rejects.toThrow('field "order"');
    await expect(bid({ order: { ...order, owner: 'other' } })).rejects.toMatchObject({ code: 'not_found' });
    await expect(bid({ order: { ...order, oseq: 2 } })).rejects.toMatchObject({ code: 'not_found' });
    await expect(bid({ offer: [{ unit: 9 }] })).rejects.toThrow('field "offer.0.unit": must be a unit of the order: 1');
    expect((await as('p1').listBids({})).bids.filter(({ id }) => id.startsWith(`${order.dseq}-`))).toEqual([]);
  });

  it('that is closed before it is made never wins', async () => {
    const { order } = await deploy(service, 'acme');
    const { bid } = await as('late').closeBid({ order, reason: 'gave up' });
    expect(bid).toMatchObject({ status: { state: BidState.CLOSED, closedReason: 'gave up' } });
    expect((await as('late').closeBid({ order })).bid).toEqual(bid);
    expect((await as('late').createBid({ order, price: uakt('1') })).bid).toEqual(bid);
    await expect(
      service
        .tenant('acme')
        .client(Bids)
        .accept({ id: bid?.id ?? '' }),
    ).rejects.toMatchObject({ code: 'failed_precondition' });
    expect((await as('late').listBids({})).bids).toEqual([]);
  });

  it('on an order that is over or forgotten needs no closing, and on one that is to come cannot be promised', async () => {
    const { deployment, order } = await deploy(service, 'acme');
    await expect(as('p9').closeBid({ order: { ...order, oseq: 2 } })).rejects.toMatchObject({ code: 'not_found' });
    await expect(as('p9').closeBid({ order: { ...order, dseq: order.dseq + 1_000n } })).rejects.toMatchObject({ code: 'not_found' });
    expect((await as('p9').closeBid({ order: { ...order, owner: 'nobody' } })).bid).toBeUndefined();
    await service.tenant('acme').client(Deployments).close({ id: deployment.id });
    expect((await as('p9').closeBid({ order })).bid).toBeUndefined();
    expect((await as('p9').closeBid({ order: { ...order, oseq: 2 } })).bid).toBeUndefined();
    await expect(as('p9').closeLease({ order })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is one of at most a hundred on an order', async () => {
    const { order } = await deploy(service, 'acme');
    for (let index = 0; index < 100; index += 1) await as(`bulk-${index}`).createBid({ order, price: uakt('5') });
    // One that has not taken effect, and never will: whoever bids need not find out what became of it.
    await expect(as('bulk-100').createBid({ order, price: uakt('5') })).rejects.toMatchObject({ code: 'failed_precondition' });
  });
});

describe('lists of a provider', () => {
  it('are complete in pages, oldest orders first, at positions that do not go back', async () => {
    const own = await markets.start();
    const client = own.provider('p1').client(ProviderMarket);
    const before = (await client.listOrders({})).position;
    for (let index = 0; index < 7; index += 1) await deploy(own, `t${index}`);
    const seen: string[] = [];
    const positions = [before];
    for (let pageToken = '', more = true; more; more = pageToken !== '') {
      const page = await client.listOrders({ pageSize: 3, pageToken });
      seen.push(...page.orders.map(({ id }) => id));
      positions.push(page.position);
      pageToken = page.nextPageToken;
    }
    expect(seen).toEqual(['1-1-1', '2-1-1', '3-1-1', '4-1-1', '5-1-1', '6-1-1', '7-1-1']);
    expect(positions).toEqual(positions.toSorted((a, b) => (a < b ? -1 : 1)));
    // Not beyond any transaction of the server that is open still, whichever database it is of.
    await expect.poll(async () => (await client.listOrders({})).position > before).toBe(true);
    for (const dseq of [1n, 2n, 3n])
      await client.createBid({ order: { owner: `t${dseq - 1n}`, dseq, gseq: 1, oseq: 1 }, price: uakt('5') });
    const first = await client.listBids({ pageSize: 2 });
    const second = await client.listBids({ pageSize: 2, pageToken: first.nextPageToken });
    expect([first, second].map(({ bids }) => bids.length)).toEqual([2, 1]);
    expect(second.nextPageToken).toBe('');
    await own.tenant('t0').client(Bids).accept({ id: '1-1-1-p1' });
    expect((await client.listLeases({})).leases.map(({ id }) => id)).toEqual(['1-1-1-p1']);
    expect((await client.listOrders({})).orders.map(({ id }) => id)).not.toContain('1-1-1');
    await expect(client.listOrders({ pageSize: -1 })).rejects.toThrow('page_size');
  });

  it('show nothing of who ordered but the account, and nothing of other providers', async () => {
    const { order } = await deploy(service, 'discreet', undefined, sampleSdl({ image: 'nginx' }));
    await as('p1').createBid({ order, price: uakt('5') });
    const { known } = await as('p2').lookUp({ orders: [order] });
    expect(known).toMatchObject([
      { order: { metadata: { creators: [], tenants: [], version: 0n }, status: { state: OrderState.OPEN, bids: 0 } } },
    ]);
    expect(known.map(({ bid, lease }) => [bid, lease])).toEqual([[undefined, undefined]]);
    expect((await as('p2').listBids({})).bids).toEqual([]);
  });

  it('show neither what will run nor why it ended, which is between the tenant and its provider', async () => {
    const { order } = await deploy(service, 'private', undefined, sampleSdl({ image: 'canary' }));
    await as('p1').createBid({ order, price: uakt('5') });
    const listed = (await as('p2').listOrders({ pageSize: 1000 })).orders.find(({ spec }) => spec?.order?.owner === 'private');
    expect(listed?.spec?.group?.resources?.units).toHaveLength(1);
    expect(listed?.spec?.group?.services).toEqual([]);
    await service
      .tenant('private')
      .client(Bids)
      .accept({ id: `${order.dseq}-1-1-p1` });
    await as('p1').closeLease({ order, reason: 'node canary burns' });
    const { known } = await as('p2').lookUp({ orders: [order] });
    expect(known).toMatchObject([{ order: { status: { state: OrderState.CLOSED, closedReason: '' } } }]);
    await expect(as('p2').createBid({ order, price: uakt('5') })).rejects.toThrow(/ is closed: bid on open ones$/);
    expect((await as('p1').lookUp({ orders: [order] })).known[0]?.lease?.status?.closedReason).toBe('node canary burns');
  });
});

describe('a watch of a provider', () => {
  it('wakes at once, and whenever something may concern it', async () => {
    const own = await markets.start();
    const ending = new AbortController();
    const client = own.provider('p1').client(ProviderMarket);
    const wakes: bigint[] = [];
    const watching = (async () => {
      for await (const { position } of client.watch({}, { signal: ending.signal })) wakes.push(position);
    })().catch(() => {});
    const woken = async (work: () => Promise<unknown>): Promise<bigint> => {
      const before = wakes.length;
      await work();
      await expect.poll(() => wakes.length).toBeGreaterThan(before);
      return wakes.at(-1) ?? 0n;
    };
    await expect.poll(() => wakes.length).toBe(1);
    const { order } = await deploy(own, 'acme');
    await expect.poll(() => wakes.length).toBe(2);
    const listed = await client.listOrders({});
    expect(listed.orders).toHaveLength(1);
    expect(listed.position).toBeGreaterThanOrEqual(wakes[1] ?? 0n);
    await woken(() => client.createBid({ order, price: uakt('6') }));
    const last = await woken(() =>
      own
        .tenant('acme')
        .client(Deployments)
        .close({ id: String(order.dseq) }),
    );
    expect((await client.listBids({})).position).toBeGreaterThanOrEqual(last);
    ending.abort();
    await watching;
  });
});

describe('watches of one caller', () => {
  it('are bounded, of providers and of tenants, and one that ends makes room', async () => {
    const own = await markets.start({ streamsPerCaller: 2 });
    const everyone = ['p1', 'p2'].map((account) => own.provider(account).client(ProviderMarket));
    const tenant = own.tenant('acme').client(Events);
    const watches = [
      ...everyone.map((client) => (signal: AbortSignal) => client.watch({}, { signal })),
      (signal: AbortSignal) => tenant.watch({ bookmarks: true }, { signal }),
    ];
    for (const watch of watches) {
      const open = async () => {
        const ending = new AbortController();
        await watch(ending.signal)[Symbol.asyncIterator]().next();
        return ending;
      };
      const first = await open();
      await open();
      await expect(open()).rejects.toMatchObject({
        code: 'resource_exhausted',
        message: expect.stringContaining(
          '2 streams open, which is as many as it may: end one of them first, or have market-streams-per-caller raised',
        ),
      });
      first.abort();
      await vi.waitFor(open, patience);
    }
  });
});

describe('keys of an owner', () => {
  it('are for providers that trade with it, as long as they do', async () => {
    const publicKey = compressedKey();
    await service
      .tenant('keyed')
      .client(OwnerKeys)
      .create({ object: { spec: { key: { case: 'publicKey', value: publicKey } } } });
    const { order } = await deploy(service, 'keyed');
    const keys = async (account: string) => (await as(account).listOwnerKeys({ owner: 'keyed' })).keys.map(({ spec }) => spec?.key.value);
    await expect(keys('k1')).rejects.toMatchObject({ code: 'permission_denied' });
    await as('k1').createBid({ order, price: uakt('5') });
    await as('k2').createBid({ order, price: uakt('6') });
    expect(await keys('k1')).toEqual([publicKey]);
    await service
      .tenant('keyed')
      .client(Bids)
      .accept({ id: `${order.dseq}-1-1-k1` });
    expect(await keys('k1')).toEqual([publicKey]);
    await expect(keys('k2')).rejects.toMatchObject({ code: 'permission_denied' });
    await as('k1').closeLease({ order });
    await expect(keys('k1')).rejects.toMatchObject({ code: 'permission_denied' });
  });
});
