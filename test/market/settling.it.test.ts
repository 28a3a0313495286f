import { Audit } from '@quartermaster/api/fulfillment-extras';
import {
  BidChoice,
  BidState,
  Bids,
  DeploymentState,
  Deployments,
  Leases,
  OrderState,
  Orders,
  ProviderMarket,
} from '@quartermaster/api/market';
import { FakeClock } from '@quartermaster/kernel';
import type { TestMarket } from '@quartermaster/market/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { sampleSdl } from './sample-sdl.ts';
import { deploy, TestMarkets, uakt } from './start-market.ts';

const markets = new TestMarkets();

afterAll(() => markets.stop());

const bid = (service: TestMarket, account: string, order: Awaited<ReturnType<typeof deploy>>['order'], amount: string) =>
  service
    .provider(account)
    .client(ProviderMarket)
    .createBid({ order, price: uakt(amount) });

const leasesOf = async (service: TestMarket, tenant: string): Promise<readonly string[]> =>
  (await service.tenant(tenant).client(Leases).list({ order: 'id' })).items.map(({ spec }) => spec?.provider ?? '');

describe('the choice of the market', () => {
  it('is the cheapest bid, once for each order, however many replicas choose', async () => {
    const clock = new FakeClock(Date.now());
    const options = { clock, terms: { choiceDelayMs: 3_000 } };
    const first = await markets.start(options);
    await Promise.all([1, 2].map(() => markets.start({ ...options, replicaOf: first })));
    const orders = await Promise.all(Array.from({ length: 10 }, (_, index) => deploy(first, `t${index}`, BidChoice.CHEAPEST)));
    await Promise.all(
      orders.flatMap(({ order }) => [
        bid(first, 'dear', order, '9.5'),
        bid(first, 'cheap', order, '9.25'),
        bid(first, 'dearer', order, '10'),
      ]),
    );
    const chosen = async () => {
      await clock.advance(600);
      return await Promise.all(orders.map(({ order }) => leasesOf(first, order.owner)));
    };
    await expect.poll(chosen).toEqual(orders.map(() => ['cheap']));
    const { items } = await first.admin.client(Bids).list({ limit: 1_000 });
    expect(items.filter(({ status }) => status?.state === BidState.LOST)).toHaveLength(20);
    const { entries } = await first.admin
      .client(Audit)
      .list({ filter: 'this.kind == "leases" && this.actor == "market" && this.method == "choice"' });
    expect(entries).toHaveLength(10);
  });

  it('leaves orders alone that are younger, whose tenants choose, or whose providers have left the group before', async () => {
    const clock = new FakeClock(Date.now());
    const service = await markets.start({ clock, terms: { choiceDelayMs: 60_000 } });
    const { order: own } = await deploy(service, 'chooser', BidChoice.TENANT);
    const { order: older } = await deploy(service, 'older', BidChoice.CHEAPEST);
    const { order: old } = await deploy(service, 'old', BidChoice.CHEAPEST);
    await clock.advance(30_000);
    const { order } = await deploy(service, 'trusting', BidChoice.CHEAPEST);
    for (const each of [own, order]) await bid(service, 'p1', each, '5');
    await clock.advance(1_000);
    await bid(service, 'p2', order, '5');
    await clock.advance(30_000);
    const chosenFor = (tenant: string) => async (): Promise<readonly string[]> => {
      await clock.advance(100);
      return await leasesOf(service, tenant);
    };
    // The market looks again only when it has chosen all that it found before: so it has looked at the younger one, too.
    for (const each of [older, old]) {
      await bid(service, 'p1', each, '5');
      await expect.poll(chosenFor(each.owner)).toEqual(['p1']);
    }
    expect(await leasesOf(service, 'trusting')).toEqual([]);
    await clock.advance(30_000);
    const chosen = chosenFor('trusting');
    // Both ask the same: the earlier one.
    await expect.poll(chosen).toEqual(['p1']);
    expect(await leasesOf(service, 'chooser')).toEqual([]);
    await service.provider('p1').client(ProviderMarket).closeLease({ order, reason: 'no room' });
    const next = { ...order, oseq: 2 };
    await bid(service, 'p1', next, '1');
    await bid(service, 'p2', next, '5');
    await clock.advance(60_000);
    await expect.poll(chosen).toEqual(['p1', 'p2']);
  });
});

describe('an order that nobody serves', () => {
  it('is closed with its bids when its time is over, and the deployment says so', async () => {
    const clock = new FakeClock(Date.now());
    const options = { clock, terms: { orderLifetimeMs: 60_000 } };
    const service = await markets.start(options);
    await Promise.all([1, 2].map(() => markets.start({ ...options, replicaOf: service })));
    const { order: lonely } = await deploy(service, 'lonely');
    const { order: half, deployment } = await deploy(service, 'half', BidChoice.TENANT, sampleSdl({}, {}));
    await bid(service, 'p1', half, '5');
    await service
      .tenant('half')
      .client(Bids)
      .accept({ id: `${half.dseq}-1-1-p1` });
    await bid(service, 'p2', { ...half, gseq: 2 }, '5');
    const closed = async (): Promise<number> => {
      await clock.advance(10_000);
      return (await service.admin.client(Orders).list({ filter: 'this.status.state == ORDER_STATE_CLOSED' })).total ?? 0;
    };
    await expect.poll(closed).toBe(2);
    const stateOf = async (tenant: string, id: bigint) =>
      (
        await service
          .tenant(tenant)
          .client(Deployments)
          .get({ id: String(id) })
      ).object?.status;
    expect(await stateOf('lonely', lonely.dseq)).toMatchObject({
      state: DeploymentState.CLOSED,
      closedReason: 'group "place-1": no provider offered it in time',
    });
    expect(await stateOf('half', half.dseq)).toMatchObject({
      state: DeploymentState.ACTIVE,
      groups: [
        { closedReason: '' },
        { closedReason: expect.stringMatching(/^none of its 1 open bids was accepted in time; close the deployment/) },
      ],
    });
    // Each of them once, however many replicas looked.
    const { entries } = await service.admin.client(Audit).list({ filter: 'this.kind == "orders" && this.method == "expiry"' });
    expect(entries.map(({ objectId }) => objectId).toSorted()).toEqual([`${lonely.dseq}-1-1`, `${half.dseq}-2-1`]);
    const { items } = await service.tenant('half').client(Bids).list({ order: 'id' });
    expect(items.map(({ status }) => status?.state)).toEqual([BidState.ACTIVE, BidState.LOST]);
    await service.tenant('half').client(Deployments).close({ id: deployment.id });
    expect((await service.tenant('half').client(Orders).list({})).items.map(({ status }) => status?.state)).toEqual([
      OrderState.CLOSED,
      OrderState.CLOSED,
    ]);
  });
});

describe('history', () => {
  it('is forgotten when its time is over, order by order, and what is not over stays', async () => {
    const service = await markets.start();
    const { order, deployment } = await deploy(service, 'old');
    const { order: kept } = await deploy(service, 'kept');
    for (const each of [order, kept]) await bid(service, 'p1', each, '5');
    await service.tenant('old').client(Deployments).close({ id: deployment.id });
    await service
      .tenant('kept')
      .client(Bids)
      .accept({ id: `${kept.dseq}-1-1-p1` });
    await service
      .tenant('kept')
      .client(Leases)
      .close({ id: `${kept.dseq}-1-1-p1` });
    const { database } = service.market;
    const idsIn = async (table: string) =>
      (await database.query<{ readonly id: string }>({ text: `select id from ${table} order by id` })).map(({ id }) => id);
    const left = () => Promise.all(['deployments', 'orders', 'bids', 'leases'].map(idsIn));
    await markets.start({ replicaOf: service, retention: { historyMs: 1 } });
    await expect.poll(left).toEqual([[String(kept.dseq)], [`${kept.dseq}-1-2`], [], []]);
    const rows = await database.query<{ readonly kind: string; readonly secrets: bigint }>({
      text: 'select kind, (select count(*) from secrets) as secrets from archive order by kind, id',
    });
    expect(rows.map(({ kind }) => kind)).toEqual(['bids', 'bids', 'deployments', 'leases', 'orders', 'orders']);
    expect(rows[0]?.secrets).toBe(1n);
  });
});
