import {
  BidState,
  Bids,
  DeploymentState,
  Deployments,
  LeaseEnd,
  LeaseState,
  Leases,
  OrderState,
  Orders,
  ProviderMarket,
  Sdl,
} from '@quartermaster/api/market';
import { startMarketPostgres, startTestMarket, type TestMarket } from '@quartermaster/market/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SampleGroup, sampleSdl } from './sample-sdl.ts';

let postgres: Awaited<ReturnType<typeof startMarketPostgres>>;
let service: TestMarket;

beforeAll(async () => {
  postgres = await startMarketPostgres();
  service = await startTestMarket({ postgres, terms: { deploymentsPerTenant: 20 } });
});

afterAll(async () => {
  await service?.stop();
  await postgres?.stop();
});

const uakt = (amount: string) => ({ denom: 'uakt', amount });

async function deployed(tenant: string, ...groups: readonly SampleGroup[]) {
  const { object } = await service
    .tenant(tenant)
    .client(Deployments)
    .create({ object: { spec: { sdl: sampleSdl(...groups) } } });
  if (object === undefined) throw new Error('nothing was made');
  const order = { owner: tenant, dseq: object.status?.dseq ?? 0n, gseq: 1, oseq: 1 };
  return { deployment: object, order };
}

describe('a deployment', () => {
  it('becomes orders, bids and a lease, and ends with all of them', async () => {
    const acme = service.tenant('acme');
    const { deployment, order } = await deployed('acme', {}, { image: 'redis' });
    expect(deployment).toMatchObject({
      id: String(order.dseq),
      metadata: { tenants: ['acme'] },
      spec: { sdl: '<redacted>' },
      status: {
        state: DeploymentState.ACTIVE,
        owner: 'acme',
        groups: [
          { gseq: 1, oseq: 1 },
          { gseq: 2, oseq: 1 },
        ],
      },
    });
    const orders = await acme.client(Orders).list({ order: 'id' });
    expect(orders.items.map(({ id, status }) => [id, status?.state])).toEqual([
      [`${order.dseq}-1-1`, OrderState.OPEN],
      [`${order.dseq}-2-1`, OrderState.OPEN],
    ]);
    const [one, two] = ['p1', 'p2'].map((account) => service.provider(account).client(ProviderMarket));
    const { bid } = (await one?.createBid({ order, price: uakt('7.5') })) ?? {};
    await two?.createBid({ order, price: uakt('8') });
    expect(bid).toMatchObject({ id: `${order.dseq}-1-1-p1`, status: { state: BidState.OPEN } });
    expect((await acme.client(Orders).get({ id: `${order.dseq}-1-1` })).object?.status?.bids).toBe(2);
    const { lease } = await acme.client(Bids).accept({ id: bid?.id ?? '' });
    expect(lease).toMatchObject({ id: bid?.id, spec: { provider: 'p1', price: uakt('7.5'), groupName: 'place-1' } });
    expect((await acme.client(Bids).accept({ id: bid?.id ?? '' })).lease).toEqual(lease);
    await expect(acme.client(Bids).accept({ id: `${order.dseq}-1-1-p2` })).rejects.toMatchObject({
      code: 'failed_precondition',
      message: expect.stringContaining('is lost (another bid was accepted)'),
    });
    expect((await two?.closeBid({ order, reason: 'too late' }))?.bid?.status).toMatchObject({
      state: BidState.LOST,
      closedReason: 'another bid was accepted',
    });
    const { object } = await acme.client(Deployments).close({ id: deployment.id, reason: 'done with it' });
    expect(object?.status).toMatchObject({ state: DeploymentState.CLOSED, closedReason: 'done with it' });
    expect((await acme.client(Deployments).close({ id: deployment.id })).object).toEqual(object);
    expect((await acme.client(Leases).get({ id: lease?.id ?? '' })).object?.status).toMatchObject({
      state: LeaseState.CLOSED,
      endedBy: LeaseEnd.DEPLOYMENT,
    });
    const states = (await acme.client(Orders).list({})).items.map(({ status }) => status?.state);
    expect(states).toEqual([OrderState.CLOSED, OrderState.CLOSED]);
    expect((await one?.lookUp({ orders: [{ ...order, owner: 'somebody' }] }))?.known).toEqual([]);
    const known = await one?.lookUp({ orders: [order, { ...order, oseq: 9 }] });
    expect(known?.known).toMatchObject([
      { order: { status: { state: OrderState.CLOSED, bids: 0 } }, bid: { status: { state: BidState.CLOSED } }, lease: { id: lease?.id } },
    ]);
  });

  it('is deployed, bid on, accepted and closed over REST as well', async () => {
    const call = async (caller: Parameters<TestMarket['token']>[0], path: string, body: object) => {
      const headers = { authorization: `Bearer ${await service.token(caller)}`, 'content-type': 'application/json' };
      const answer = await fetch(`${service.restUrl}/api/market/v1/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
    };
    const tenant = { name: 'rest', role: 'tenant', groups: ['rest'] };
    const made = await call(tenant, 'deployments', { spec: { sdl: sampleSdl() } });
    expect(made).toMatchObject({ status: 200, body: { spec: { sdl: '<redacted>' }, status: { state: 'DEPLOYMENT_STATE_ACTIVE' } } });
    const dseq = String(made.body['id']);
    const order = { owner: 'rest', dseq, gseq: 1, oseq: 1 };
    const provider = { name: 'agent', role: 'provider', source: 'p1' };
    expect(await call(provider, 'provider/bids', { order, price: uakt('3') })).toMatchObject({
      status: 200,
      body: { bid: { id: `${dseq}-1-1-p1` } },
    });
    expect(await call(tenant, `bids/${dseq}-1-1-p1:accept`, {})).toMatchObject({
      status: 200,
      body: { status: { state: 'LEASE_STATE_ACTIVE' } },
    });
    expect(await call(provider, 'provider/orders:lookUp', { orders: [order] })).toMatchObject({
      body: { known: [{ lease: { id: `${dseq}-1-1-p1` } }] },
    });
    expect(await call(tenant, `deployments/${dseq}:close`, {})).toMatchObject({
      status: 200,
      body: { status: { closed_reason: 'closed by its tenant' } },
    });
  });

  it('is numbered once and for all, also when others deploy at the same time', async () => {
    const made = await Promise.all(Array.from({ length: 12 }, (_, index) => deployed(`many-${index % 3}`)));
    expect(new Set(made.map(({ deployment }) => deployment.id)).size).toBe(12);
    const later = await deployed('many-0');
    expect(made.every(({ order }) => order.dseq < later.order.dseq)).toBe(true);
  });

  it('is refused with path, line, rule and way out when its SDL is wrong, and stores nothing', async () => {
    const wrong = service.tenant('wrong').client(Deployments);
    await expect(wrong.create({ object: { spec: { sdl: sampleSdl({ cpu: 'frog' }) } } })).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringMatching(
        /^field "spec\.sdl": \/profiles\/compute\/small-1\/resources\/cpu\/units, line 14: units must be .*\(BadFormat\)/,
      ),
    });
    await expect(wrong.create({ object: {} })).rejects.toThrow('field "spec.sdl": must be given');
    await expect(wrong.create({ object: { id: '7', spec: { sdl: sampleSdl() } } })).rejects.toThrow('field "id": must be empty');
    expect((await wrong.list({})).total).toBe(0);
    const checked = await service.tenant('wrong').client(Sdl).check({ sdl: 'not: [yaml' });
    expect(checked).toMatchObject({ groups: [], faults: [{ path: '', line: 1, code: 'YamlSyntax' }] });
  });

  it('is only tried in a dry run', async () => {
    const dry = service.tenant('dry').client(Deployments);
    const { object } = await dry.create({ object: { spec: { sdl: sampleSdl() } }, dryRun: true });
    expect(object?.status).toMatchObject({ state: DeploymentState.ACTIVE, groups: [{ oseq: 1 }] });
    expect((await dry.list({})).total).toBe(0);
    expect((await service.tenant('dry').client(Orders).list({})).total).toBe(0);
  });

  it('takes another SDL that orders the same, and says what would be other', async () => {
    const { deployment } = await deployed('changing');
    const client = service.tenant('changing').client(Deployments);
    const update = (sdl: string) => client.update({ object: { id: deployment.id, spec: { sdl } }, updateMask: { paths: ['spec.sdl'] } });
    const { object } = await update(sampleSdl({ image: 'nginx:2' }));
    expect(object?.status?.manifestHash).not.toBe(deployment.status?.manifestHash);
    expect(object?.status?.groups[0]).toMatchObject({ oseq: 1, spec: { services: [{ image: 'nginx:2' }] } });
    await expect(update(sampleSdl({ cpu: '0.9', price: '5' }))).rejects.toMatchObject({
      code: 'failed_precondition',
      message:
        'field "spec.sdl": must order what was ordered before, but group "place-1" would have other resources, counts or ports; ' +
        'group "place-1" would have other prices: close the deployment and deploy anew',
    });
    await expect(update(sampleSdl({}, {}))).rejects.toThrow('its groups were place-1, and would be place-1, place-2');
    await expect(update('nothing')).rejects.toThrow('field "spec.sdl"');
    // However the place is written in the mask.
    for (const path of ['spec', ' spec . sdl ', 'spec..sdl', '.spec.sdl']) {
      const unread = client.update({ object: { id: deployment.id, spec: { sdl: 'nothing' } }, updateMask: { paths: [path] } });
      await expect(unread).rejects.toThrow('field "spec.sdl"');
    }
    const moved = client.update({
      object: { id: deployment.id, metadata: { tenants: ['other'] } },
      updateMask: { paths: ['metadata.tenants'] },
    });
    await expect(moved).rejects.toMatchObject({ code: 'permission_denied' });
    const { object: named } = await client.update({
      object: { id: deployment.id, metadata: { name: 'shop' } },
      updateMask: { paths: ['metadata.name'] },
    });
    expect(named).toMatchObject({ metadata: { name: 'shop' }, status: object?.status });
    expect((await client.get({ id: deployment.id, reveal: true })).object?.spec?.sdl).toBe(sampleSdl({ image: 'nginx:2' }));
    await client.close({ id: deployment.id });
    await expect(update(sampleSdl({ image: 'nginx:3' }))).rejects.toMatchObject({ code: 'failed_precondition' });
  });

  it('is one of at most so many of its tenant', async () => {
    for (let index = 0; index < 20; index += 1) await deployed('hoarder');
    await expect(deployed('hoarder')).rejects.toMatchObject({
      code: 'resource_exhausted',
      message: expect.stringContaining('market-deployments-per-tenant'),
    });
    const [oldest] = (await service.tenant('hoarder').client(Deployments).list({})).items;
    await service
      .tenant('hoarder')
      .client(Deployments)
      .close({ id: oldest?.id ?? '' });
    await deployed('hoarder');
  });
});

describe('a lease', () => {
  it.each([
    ['its tenant', LeaseEnd.TENANT],
    ['its provider', LeaseEnd.PROVIDER],
  ] as const)('that %s closes is followed by another order of the group', async (_who, endedBy) => {
    const tenant = `left-by-${endedBy}`;
    const { deployment, order } = await deployed(tenant);
    const id = `${order.dseq}-1-1-p1`;
    const provider = service.provider('p1').client(ProviderMarket);
    await provider.createBid({ order, price: uakt('1') });
    await service.tenant(tenant).client(Bids).accept({ id });
    const close = async () =>
      endedBy === LeaseEnd.TENANT
        ? (await service.tenant(tenant).client(Leases).close({ id, reason: 'moving' })).object
        : (await provider.closeLease({ order, reason: 'moving' })).lease;
    const closed = await close();
    expect(closed?.status).toMatchObject({ state: LeaseState.CLOSED, endedBy, closedReason: 'moving' });
    expect(await close()).toEqual(closed);
    const orders = (await service.tenant(tenant).client(Orders).list({})).items;
    expect(orders.map((each) => [each.id, each.status?.state])).toEqual([
      [`${order.dseq}-1-1`, OrderState.CLOSED],
      [`${order.dseq}-1-2`, OrderState.OPEN],
    ]);
    const { object } = await service.tenant(tenant).client(Deployments).get({ id: deployment.id });
    expect(object?.status).toMatchObject({ state: DeploymentState.ACTIVE, groups: [{ oseq: 2 }] });
  });
});
