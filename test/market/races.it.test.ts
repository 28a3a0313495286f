import {
  BidState,
  Bids,
  DeploymentState,
  Deployments,
  LeaseState,
  Leases,
  OrderState,
  Orders,
  ProviderMarket,
} from '@quartermaster/api/market';
import { codeOf, seededRandom } from '@quartermaster/kernel';
import type { TestMarket } from '@quartermaster/market/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { times } from '../support/soak.ts';
import { deploy, TestMarkets, uakt } from './start-market.ts';

const markets = new TestMarkets();
let replicas: readonly TestMarket[];
const providers = ['p1', 'p2', 'p3', 'p4'];

beforeAll(async () => {
  const first = await markets.start();
  replicas = [first, await markets.start({ replicaOf: first })];
});

afterAll(() => markets.stop());

/** What a caller may be answered that came too late. */
const lateCodes = ['ok', 'failed_precondition', 'not_found', 'already_exists'];

async function outcome(call: Promise<unknown>): Promise<string> {
  return await call.then(
    () => 'ok',
    (thrown: unknown) => codeOf(thrown),
  );
}

/** Everything that belongs to a deployment, as its tenant sees it. */
async function stateOf(service: TestMarket, tenant: string) {
  const channel = service.tenant(tenant);
  const [deployments, orders, bids, leases] = await Promise.all([
    channel.client(Deployments).list({}),
    channel.client(Orders).list({}),
    channel.client(Bids).list({}),
    channel.client(Leases).list({}),
  ]);
  return { deployment: deployments.items[0], orders: orders.items, bids: bids.items, leases: leases.items };
}

/** Whatever happened: each order has one winner at most, and states agree with each other. */
function checkConsistent({ deployment, orders, bids, leases }: Awaited<ReturnType<typeof stateOf>>): void {
  const isActive = deployment?.status?.state === DeploymentState.ACTIVE;
  for (const order of orders) {
    const ofOrder = bids.filter(({ id }) => id.startsWith(`${order.id}-`));
    const won = leases.filter(({ id }) => id.startsWith(`${order.id}-`));
    const live = won.filter(({ status }) => status?.state === LeaseState.ACTIVE);
    expect(won.length).toBeLessThanOrEqual(1);
    expect(live).toHaveLength(order.status?.state === OrderState.ACTIVE ? 1 : 0);
    const accepted = ofOrder.filter(({ status }) => status?.state === BidState.ACTIVE).map(({ id }) => id);
    expect(accepted).toEqual(live.map(({ id }) => id));
    if (order.status?.state !== OrderState.OPEN) expect(ofOrder.filter(({ status }) => status?.state === BidState.OPEN)).toEqual([]);
    if (!isActive) expect(order.status?.state).toBe(OrderState.CLOSED);
  }
  // While it is active, its group has exactly one order that is not over.
  const notOver = orders.filter(({ status }) => status?.state !== OrderState.CLOSED);
  expect(notOver.map(({ spec }) => spec?.order?.oseq)).toEqual(isActive ? [deployment.status?.groups[0]?.oseq] : []);
}

const seeds = Array.from({ length: times(8, 200) }, (_, index) => index + 1);

it.each(seeds)('bids, acceptances, withdrawals and closes at the same time leave one lease at most (seed %i)', async (seed) => {
  const random = seededRandom(seed);
  const tenant = `racer-${seed}`;
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random.next() * from.length)] as T;
  const { deployment, order } = await deploy(pick(replicas), tenant);
  const bidder = (provider: string) => pick(replicas).provider(provider).client(ProviderMarket);
  for (const provider of providers.slice(0, 2)) await bidder(provider).createBid({ order, price: uakt('5') });
  const mayClose = seed % 2 === 0;
  const calls = Array.from({ length: 20 }, () => {
    const provider = pick(providers);
    const id = `${order.dseq}-1-1-${provider}`;
    const owner = pick(replicas).tenant(tenant);
    const kinds = ['bid', 'accept', 'accept', 'withdraw', 'end', 'leave', ...(mayClose ? ['close'] : [])] as const;
    switch (pick(kinds)) {
      case 'bid':
        return () => bidder(provider).createBid({ order, price: uakt('5') });
      case 'accept':
        return () => owner.client(Bids).accept({ id });
      case 'withdraw':
        return () => bidder(provider).closeBid({ order });
      case 'end':
        return () => owner.client(Leases).close({ id });
      case 'leave':
        return () => bidder(provider).closeLease({ order });
      default:
        return () => owner.client(Deployments).close({ id: deployment.id });
    }
  });
  const outcomes = await Promise.all(calls.map((call) => outcome(call())));
  expect(outcomes.filter((each) => !lateCodes.includes(each))).toEqual([]);
  checkConsistent(await stateOf(pick(replicas), tenant));
});

it('accepts exactly one of many bids that are accepted at once', async () => {
  const [service] = replicas;
  if (service === undefined) throw new Error('there is one');
  const { order } = await deploy(service, 'chooser');
  const accounts = Array.from({ length: 20 }, (_, index) => `q${index}`);
  await Promise.all(
    accounts.map((account) =>
      service
        .provider(account)
        .client(ProviderMarket)
        .createBid({ order, price: uakt('5') }),
    ),
  );
  const accept = (account: string, index: number) =>
    outcome(
      (replicas[index % 2] ?? service)
        .tenant('chooser')
        .client(Bids)
        .accept({ id: `${order.dseq}-1-1-${account}` }),
    );
  const outcomes = await Promise.all(accounts.map(accept));
  expect(outcomes.toSorted()).toEqual([...accounts.slice(1).map(() => 'failed_precondition'), 'ok']);
  const state = await stateOf(service, 'chooser');
  expect(state.leases).toHaveLength(1);
  expect(state.bids.filter(({ status }) => status?.state === BidState.LOST)).toHaveLength(19);
  checkConsistent(state);
});
