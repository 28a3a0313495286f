import { Bids, Deployments, Leases, OwnerKeys, ProviderMarket, Sdl } from '@quartermaster/api/market';
import type { OrderId } from '@quartermaster/cluster';
import { describeMarket, type TenantsHand } from '@quartermaster/cluster/market-contract';
import { LocalMarket } from '@quartermaster/cluster/testing';
import { codeOf } from '@quartermaster/kernel';
import type { TestMarket } from '@quartermaster/market/testing';
import { openRpcChannel } from '@quartermaster/rpc';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compressedKey } from './compressed-key.ts';
import { sampleSdl } from './sample-sdl.ts';
import { deploy, TestMarkets, uakt } from './start-market.ts';

const markets = new TestMarkets();
let service: TestMarket;
let market: LocalMarket;

beforeAll(async () => {
  service = await markets.start();
  market = new LocalMarket(async () => service.provider('tried'), 2);
});

afterAll(async () => {
  market.close();
  await markets.stop();
});

const tenant = 'acme';
const idOf = ({ dseq, gseq, oseq }: OrderId, provider: string): string => `${dseq}-${gseq}-${oseq}-${provider}`;

/** A tenant that knows the public API, and nothing else. */
function handOf(): TenantsHand {
  const as = service.tenant(tenant);
  const accept = async (order: OrderId, provider: string) => void (await as.client(Bids).accept({ id: idOf(order, provider) }));
  return {
    order: async () => ({ order: (await deploy(service, tenant)).order, denom: 'uakt' }),
    accept: (order) => accept(order, 'tried'),
    acceptAnother: async (order) => {
      await service
        .provider('another')
        .client(ProviderMarket)
        .createBid({ order, price: uakt('1') });
      await accept(order, 'another');
    },
    closeOrder: async ({ dseq }) => void (await as.client(Deployments).close({ id: String(dseq) })),
    closeLease: async (order) => void (await as.client(Leases).close({ id: idOf(order, 'tried') })),
    deployed: async ({ dseq }) => {
      const { object } = await as.client(Deployments).get({ id: String(dseq), reveal: true });
      return (await as.client(Sdl).check({ sdl: object?.spec?.sdl ?? '' })).manifest;
    },
    change: async ({ dseq }) =>
      void (await as
        .client(Deployments)
        .update({ object: { id: String(dseq), spec: { sdl: sampleSdl({ image: 'caddy' }) } }, updateMask: { paths: ['spec.sdl'] } })),
    delivery: async (order) => {
      const { object } = await as.client(Leases).get({ id: idOf(order, 'tried') });
      const { state, message, services, gateway } = object?.status?.delivery ?? {};
      if (state === undefined || message === undefined || services === undefined) return undefined;
      return {
        state: state as 'Active',
        message,
        services: services.map((each) => ({ ...each, health: each.health as 'starting' })),
        gateway,
      };
    },
    register: async () => {
      const value = compressedKey();
      const { object } = await as.client(OwnerKeys).create({ object: { spec: { key: { case: 'publicKey', value } } } });
      return [object?.status?.fingerprint ?? ''];
    },
  };
}

describeMarket('the local market on PostgreSQL', () => ({ market, hand: handOf() }));

describe('the local market over a break', () => {
  const { signal } = new AbortController();

  it('ends the watch, is reached where it is then, and has kept what was traded', async () => {
    const replica = await markets.start({ replicaOf: service });
    let at = replica;
    const token = await service.token({ name: 'agent', role: 'provider', source: 'tried' });
    const own = new LocalMarket(async () => openRpcChannel({ address: at.grpcAddress, token: () => token, tries: 1 }));
    const { order } = await deploy(service, tenant);
    const offer = { price: uakt('2.5'), cards: new Map() };
    expect(await own.createBid(order, offer, signal)).toMatchObject({ kind: 'done', value: { state: 'open' } });
    let wakes = 0;
    const ending = new AbortController();
    const watch = () => own.watch(() => (wakes += 1), ending.signal);
    const broken = watch().then(
      () => 'ended',
      (thrown: unknown) => codeOf(thrown),
    );
    await expect.poll(() => wakes).toBeGreaterThan(0);
    await replica.stop();
    expect(await broken).toBe('unavailable');
    expect(await own.createBid(order, offer, signal)).toMatchObject({ kind: 'unknown' });
    await expect(own.bids(undefined, signal)).rejects.toMatchObject({ code: 'unavailable' });
    at = service;
    expect(await own.createBid(order, offer, signal)).toMatchObject({ kind: 'done', value: { state: 'open' } });
    const before = wakes;
    const watching = watch().catch(() => {});
    await expect.poll(() => wakes).toBeGreaterThan(before);
    ending.abort();
    await watching;
    own.close();
  });
});
