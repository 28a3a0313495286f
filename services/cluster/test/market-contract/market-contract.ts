import { createHash } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import type { DeliveryReport, MarketPage } from '../../src/market/market.ts';
import type { OrderId } from '../../src/model/order.ts';
import { orderName } from '../../src/reservations/order-name.ts';
import type { TriedMarket } from './tenants-hand.ts';

const { signal } = new AbortController();
const patience = { timeout: 10_000, interval: 50 };

const delivery: DeliveryReport = {
  state: 'Active',
  reason: 'Running',
  message: 'everything runs',
  health: 'healthy',
  manifestHash: 'a'.repeat(64),
  refusal: '',
  refusedHash: '',
  services: [
    {
      ...{ name: 'web', health: 'starting', count: 2, available: 1 },
      uris: ['web.example.com', 'node.example.com:31000'],
      problems: ['one is starting'],
    },
  ],
  gateway: { uri: 'https://provider.example:8443', grpcAddress: 'provider.example:8444', certificateAuthority: '' },
  manifestAt: 1_000,
  deployedAt: 2_000,
};

/** What every market must do that providers deal at. */
export function describeMarket(what: string, tried: () => Promise<TriedMarket> | TriedMarket): void {
  const namesOf = async <T extends { readonly order: OrderId }>(list: (page: string | undefined) => Promise<MarketPage<T>>) => {
    const found = new Map<string, T>();
    for (let page: string | undefined, isFirst = true; isFirst || page !== undefined; isFirst = false) {
      const { items, next } = await list(page);
      for (const item of items) found.set(orderName(item.order), item);
      page = next;
    }
    return found;
  };
  const offer = (denom: string, amount = '2.5') => ({ price: { denom, amount }, cards: new Map() });

  /** An order with a bid of ours on it. */
  async function bid() {
    const { market, hand } = await tried();
    const { order, denom } = await hand.order();
    const made = await market.createBid(order, offer(denom), signal);
    expect(made).toMatchObject({ kind: 'done', value: { state: 'open', price: { denom, amount: '2.5' } } });
    return {
      market,
      hand,
      order,
      denom,
      name: orderName(order),
      look: async () => (await market.lookUp([order], signal)).get(orderName(order)),
    };
  }

  describe(`${what} as a market`, () => {
    it('says which account of it we are, which is that of our leases', async () => {
      const { market, hand, order, look } = await bid();
      await hand.accept(order);
      const account = await market.account(signal);
      expect(account).toMatch(/./);
      expect((await look())?.lease?.provider).toBe(account);
      expect(await market.account(signal)).toBe(account);
    });

    it('lists an open order with what it asks for, until it is closed', async () => {
      const { market, hand } = await tried();
      const { order, denom } = await hand.order();
      const listed = await vi.waitFor(async () => {
        const found = (await namesOf((page) => market.orders(page, signal))).get(orderName(order));
        expect(found).toBeDefined();
        return found;
      }, patience);
      expect(listed?.maxPrice.denom).toBe(denom);
      expect(listed?.request.units.length).toBeGreaterThan(0);
      await hand.closeOrder(order);
      expect((await namesOf((page) => market.orders(page, signal))).has(orderName(order))).toBe(false);
      expect((await market.lookUp([order], signal)).get(orderName(order))).toMatchObject({ state: 'closed' });
    });

    it('has one bid of ours on an order, and answers the same one when it is repeated', async () => {
      const { market, hand, order, denom, name } = await bid();
      for (const same of ['2.5', '2.50'])
        expect(await market.createBid(order, offer(denom, same), signal)).toMatchObject({ kind: 'done', value: { state: 'open' } });
      expect(await market.createBid(order, offer(denom, '3'), signal)).toMatchObject({ kind: 'refused' });
      expect((await namesOf((page) => market.bids(page, signal))).get(name)).toMatchObject({ state: 'open', price: { amount: '2.5' } });
      await hand.accept(order);
      expect(await market.createBid(order, offer(denom), signal)).toMatchObject({ kind: 'done', value: { state: 'won' } });
    });

    it('takes no bid for more than the order pays, in another denom, or for what is no price', async () => {
      const { market, hand } = await tried();
      const { order, denom } = await hand.order();
      for (const wrong of [offer(denom, '1000000'), offer(`${denom}x`), offer(denom, '-1'), offer(denom, '1e1')])
        expect(await market.createBid(order, wrong, signal)).toMatchObject({ kind: 'refused' });
      expect((await market.lookUp([order], signal)).get(orderName(order))?.bid).toBeUndefined();
    });

    it('makes a lease of a bid that is accepted, which is not closed as a bid', async () => {
      const { market, hand, order, name, look } = await bid();
      await hand.accept(order);
      expect(await look()).toMatchObject({ state: 'active', bid: { state: 'won' }, lease: { state: 'active', price: { amount: '2.5' } } });
      expect((await namesOf((page) => market.leases(page, signal))).has(name)).toBe(true);
      expect((await namesOf((page) => market.orders(page, signal))).has(name)).toBe(false);
      expect(await market.closeBid(order, 'late', signal)).toMatchObject({ kind: 'refused' });
    });

    it('ends a bid that was not taken', async () => {
      const { hand, order, look } = await bid();
      await hand.acceptAnother(order);
      const known = await look();
      expect(known).toMatchObject({ state: 'active', bid: { state: 'lost' } });
      expect(known?.lease).toBeUndefined();
    });

    it('ends the bid with the order', async () => {
      const { market, hand, order, look } = await bid();
      await hand.closeOrder(order);
      expect(await look()).toMatchObject({ state: 'closed', bid: { state: 'lost' } });
      await hand.accept(order).catch(() => {});
      expect(await market.closeBid(order, 'late', signal)).toMatchObject({ kind: 'done', value: { state: 'lost' } });
      expect(await look()).toMatchObject({ state: 'closed', bid: { state: 'lost' } });
      const other = await hand.order();
      await hand.closeOrder(other.order);
      expect(await market.createBid(other.order, offer(other.denom), signal)).toMatchObject({ kind: 'refused' });
    });

    it('never makes a lease of a bid that was closed, however often', async () => {
      const { market, hand, order, denom, name, look } = await bid();
      for (let times = 0; times < 2; times += 1)
        expect(await market.closeBid(order, 'too late', signal)).toMatchObject({ kind: 'done', value: { state: 'closed' } });
      await hand.accept(order).catch(() => {});
      const known = await look();
      expect(known?.bid).toMatchObject({ state: 'closed', reason: 'too late' });
      expect(known?.lease).toBeUndefined();
      expect((await namesOf((page) => market.bids(page, signal))).has(name)).toBe(false);
      expect(await market.createBid(order, offer(denom), signal)).not.toMatchObject({ kind: 'done', value: { state: 'open' } });
    });

    it('takes no bid after one was ruled out', async () => {
      const { market, hand } = await tried();
      const { order, denom } = await hand.order();
      for (let times = 0; times < 2; times += 1) expect(await market.closeBid(order, 'ruled out', signal)).toMatchObject({ kind: 'done' });
      expect(await market.createBid(order, offer(denom), signal)).not.toMatchObject({ kind: 'done', value: { state: 'open' } });
      await hand.accept(order).catch(() => {});
      const known = (await market.lookUp([order], signal)).get(orderName(order));
      expect([known?.state, known?.lease]).toEqual(['open', undefined]);
      expect((await namesOf((page) => market.bids(page, signal))).has(orderName(order))).toBe(false);
    });

    it('closes a lease for good, whoever does', async () => {
      const { market, hand, order, denom, name, look } = await bid();
      await hand.accept(order);
      for (let times = 0; times < 2; times += 1)
        expect(await market.closeLease(order, 'over', signal)).toMatchObject({ kind: 'done', value: { state: 'closed' } });
      expect(await look()).toMatchObject({ lease: { state: 'closed', reason: 'over' } });
      expect((await namesOf((page) => market.leases(page, signal))).has(name)).toBe(false);
      expect(await market.closeBid(order, 'late', signal)).toMatchObject({ kind: 'done', value: { state: 'closed' } });
      expect(await market.createBid(order, offer(denom), signal)).not.toMatchObject({ kind: 'done', value: { state: 'open' } });
      await hand.accept(order).catch(() => {});
      expect(await look()).toMatchObject({ state: 'closed', bid: { state: 'closed' }, lease: { state: 'closed', reason: 'over' } });
      const other = await bid();
      await other.hand.accept(other.order);
      await other.hand.closeLease(other.order);
      expect((await other.look())?.lease).toMatchObject({ state: 'closed' });
    });

    it('does not know an order that there never was, and does nothing with it', async () => {
      const { market, hand } = await tried();
      const { order, denom } = await hand.order();
      const stranger = { ...order, dseq: order.dseq + 1_000_000n };
      expect((await market.lookUp([stranger], signal)).size).toBe(0);
      expect((await market.createBid(stranger, offer(denom), signal)).kind).toBe('refused');
      expect((await market.closeBid(stranger, 'over', signal)).kind).toBe('refused');
      expect((await market.closeLease(stranger, 'over', signal)).kind).toBe('refused');
      expect((await market.closeLease(order, 'over', signal)).kind).toBe('refused');
      const both = await market.lookUp([stranger, order], signal);
      expect([...both.keys()]).toEqual([orderName(order)]);
    });

    it('leaves nothing out of its pages that is open all the time, whatever comes and goes between them', async () => {
      const { market, hand } = await tried();
      const gone = await hand.order();
      const stays: string[] = [];
      for (let count = 0; count < 5; count += 1) stays.push(orderName((await hand.order()).order));
      const first = await market.orders(undefined, signal);
      const found = new Set(first.items.map(({ order }) => orderName(order)));
      await hand.closeOrder(gone.order);
      stays.push(orderName((await hand.order()).order));
      let pages = 1;
      for (let { next } = first; next !== undefined; pages += 1) {
        const page: MarketPage<{ readonly order: OrderId }> = await market.orders(next, signal);
        expect(page.position).toBeGreaterThanOrEqual(first.position);
        for (const { order } of page.items) found.add(orderName(order));
        next = page.next;
      }
      expect(pages).toBeGreaterThan(1);
      expect([...found]).toEqual(expect.arrayContaining(stays));
      const again = await market.orders(undefined, signal);
      expect(again.position).toBeGreaterThan(first.position);
    });

    it('passes on what an active lease is to run, of which the lease tells the hash, also after the tenant has changed it', async () => {
      const { market, hand, order, name } = await bid();
      expect(await market.manifestOf(order, signal)).toBeUndefined();
      await hand.accept(order);
      const leased = async () => (await namesOf((page) => market.leases(page, signal))).get(name);
      const seen: string[] = [];
      for (const change of [undefined, () => hand.change(order)]) {
        await change?.();
        const json = await hand.deployed(order);
        expect(seen).not.toContain(json);
        seen.push(json);
        const received = await market.manifestOf(order, signal);
        expect(received).toMatchObject({ json, confirmed: [] });
        const manifestHash = createHash('sha256').update(json).digest('hex');
        // A market may say which one it is; then it is this one.
        expect([undefined, manifestHash]).toContain(received?.hash);
        const lease = await leased();
        expect([lease?.manifestHash, lease?.provider]).toEqual([manifestHash, expect.stringMatching(/./)]);
        expect((await market.lookUp([order], signal)).get(name)?.lease).toMatchObject({ manifestHash });
      }
      await hand.closeLease(order);
      expect(await market.manifestOf(order, signal)).toBeUndefined();
      expect(await market.manifestOf({ ...order, dseq: order.dseq + 1_000_000n }, signal)).toBeUndefined();
    });

    it('shows tenants how their leases go, and of a closed one that it is complete', async () => {
      const { market, hand, order } = await bid();
      const report = async (more: Partial<DeliveryReport>) => (await market.report(order, { ...delivery, ...more }, signal)).kind;
      expect(await report({})).toBe('refused');
      await hand.accept(order);
      expect(await hand.delivery(order)).toBeUndefined();
      for (let times = 0; times < 2; times += 1) expect(await report({})).toBe('done');
      const { state, message, services, gateway } = delivery;
      expect(await hand.delivery(order)).toMatchObject({ state, message, services, gateway });
      expect(await report({ gateway: undefined })).toBe('done');
      expect((await hand.delivery(order))?.gateway).toBeUndefined();
      expect(await report({ state: 'Complete' })).toBe('refused');
      expect(await report({ state: 'Error', message: 'the image cannot be pulled' })).toBe('done');
      expect(await hand.delivery(order)).toMatchObject({ state: 'Error', message: 'the image cannot be pulled' });
      await hand.closeLease(order);
      expect(await report({})).toBe('refused');
      for (let times = 0; times < 2; times += 1) expect(await report({ state: 'Complete', services: [] })).toBe('done');
      expect(await hand.delivery(order)).toMatchObject({ state: 'Complete', services: [] });
      expect((await market.report({ ...order, dseq: order.dseq + 1_000_000n }, delivery, signal)).kind).toBe('refused');
    });

    it('tells what proves an owner to those who deal with it', async () => {
      const { market, hand, order } = await bid();
      const registered = await hand.register();
      expect((await market.keysOf(order.owner, signal)).map(({ fingerprint }) => fingerprint)).toEqual(
        expect.arrayContaining([...registered]),
      );
      expect(await market.keysOf('stranger', signal).catch(() => [])).toEqual([]);
    });

    it('wakes whoever watches at once, which a break is made good by, and when a tenant has done something', async () => {
      const { market, hand } = await tried();
      for (let times = 0; times < 2; times += 1) {
        const ending = new AbortController();
        let wakes = 0;
        const watching = market.watch(() => (wakes += 1), ending.signal).catch(() => {});
        const wakesAfter = (before: number) => vi.waitFor(() => expect(wakes).toBeGreaterThan(before), patience);
        const woken = async (deed: () => Promise<unknown>): Promise<void> => {
          const before = wakes;
          await deed();
          await wakesAfter(before);
        };
        await wakesAfter(0);
        const { order, denom } = await hand.order();
        await market.createBid(order, offer(denom), signal);
        await woken(() => hand.accept(order));
        await woken(() => hand.change(order));
        await woken(() => hand.closeLease(order));
        await woken(() => hand.order());
        ending.abort();
        await watching;
        const before = wakes;
        await hand.order();
        expect(wakes).toBe(before);
      }
    });
  });
}
