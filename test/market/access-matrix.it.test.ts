import type { DescService } from '@bufbuild/protobuf';
import { Audit, SecretKeys, Sessions } from '@quartermaster/api/fulfillment-extras';
import * as market from '@quartermaster/api/market';
import { Bids, Deployments, Events, Leases, Orders, OwnerKeys, ProviderMarket } from '@quartermaster/api/market';
import type { TestMarket } from '@quartermaster/market/testing';
import type { RpcChannel } from '@quartermaster/rpc';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { outcomeOf, requestOf } from '../fulfillment/outcome-of.ts';
import { compressedKey } from './compressed-key.ts';
import { sampleSdl } from './sample-sdl.ts';
import { deploy, TestMarkets, uakt } from './start-market.ts';

/** Who may call what, written out: anonymous callers (-), admin, operator, provider, tenant. */
const reads = { List: 'aot', Get: 'aot' };
const expectedCallers: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'quartermaster.market.v1.Deployments': { ...reads, Create: 'at', Update: 'at', Preview: 't', Close: 'aot' },
  'quartermaster.market.v1.Orders': reads,
  'quartermaster.market.v1.Bids': { ...reads, Accept: 'at' },
  'quartermaster.market.v1.Leases': { ...reads, Close: 'at', CreateToken: 't' },
  'quartermaster.market.v1.OwnerKeys': { ...reads, Create: 'at', Delete: 'at' },
  'quartermaster.market.v1.Sdl': { Check: 'aot' },
  'quartermaster.market.v1.Events': { Watch: 'aot' },
  'quartermaster.market.v1.ProviderMarket': {
    ...{ GetAccount: 'p', ListOrders: 'p', ListBids: 'p', ListLeases: 'p', ListOwnerKeys: 'p', LookUp: 'p', Watch: 'p' },
    ...{ CreateBid: 'p', CloseBid: 'p', CloseLease: 'p', GetManifest: 'p', ReportDelivery: 'p' },
  },
  'quartermaster.fulfillment.v1.Audit': { List: 'ao' },
  'quartermaster.fulfillment.v1.Sessions': { Get: 'aopt' },
  'quartermaster.fulfillment.v1.SecretKeys': { Status: 'a', Reencrypt: 'a' },
};

const isService = (each: unknown): each is DescService =>
  typeof each === 'object' && each !== null && 'kind' in each && each.kind === 'service';
const services: readonly DescService[] = [...Object.values<unknown>(market).filter(isService), Audit, Sessions, SecretKeys];
const cases = services.flatMap((each) => each.methods).map((method) => [`/${method.parent.typeName}/${method.name}`, method] as const);

const markets = new TestMarkets();
let service: TestMarket;
/** Blue's: a deployment with a lease of p1 and a lost bid of p2, and a key. */
const ids = { deployment: '', order: '', bid: '', key: '' };

beforeAll(async () => {
  service = await markets.start();
  const { deployment, order } = await deploy(service, 'blue', undefined, sampleSdl({ image: 'canary' }));
  for (const account of ['p1', 'p2'])
    await service
      .provider(account)
      .client(ProviderMarket)
      .createBid({ order, price: uakt('5') });
  Object.assign(ids, { deployment: deployment.id, order: `${order.dseq}-1-1`, bid: `${order.dseq}-1-1-p1` });
  await service.tenant('blue').client(Bids).accept({ id: ids.bid });
  const value = compressedKey();
  ids.key =
    (
      await service
        .tenant('blue')
        .client(OwnerKeys)
        .create({ object: { spec: { key: { case: 'publicKey', value } } } })
    ).object?.id ?? '';
});

afterAll(() => markets.stop());

describe('every method', () => {
  it('is served, in the matrix, and no other', () => {
    const written = Object.entries(expectedCallers).flatMap(([name, rows]) => Object.keys(rows).map((method) => `/${name}/${method}`));
    expect(written.toSorted()).toEqual(cases.map(([path]) => path).toSorted());
    const served = service.market.services.map(({ descriptor }) => descriptor.typeName).toSorted();
    expect(served).toEqual(services.map(({ typeName }) => typeName).toSorted());
  });

  it.each(cases)('%s is open to those for whom it is meant, and to nobody else', async (_path, method) => {
    const callers = expectedCallers[method.parent.typeName]?.[method.name] ?? '';
    const channels: readonly (readonly [string, RpcChannel])[] = [
      ['-', service.anonymous()],
      ['a', service.admin],
      ['o', service.operator],
      ['p', service.provider('p1')],
      ['t', service.tenant('blue')],
    ];
    for (const [letter, channel] of channels) {
      const { code, message } = await outcomeOf(channel, method, requestOf(method));
      const isRefused = ['unauthenticated', 'permission_denied', 'internal', 'unimplemented'].includes(code);
      if (callers.includes(letter)) expect({ letter, code, message, isRefused }).toMatchObject({ isRefused: false });
      else expect({ letter, code }).toEqual({ letter, code: letter === '-' ? 'unauthenticated' : 'permission_denied' });
    }
  });
});

const owned = [
  [Deployments, () => ids.deployment],
  [Orders, () => ids.order],
  [Bids, () => ids.bid],
  [Leases, () => ids.bid],
  [OwnerKeys, () => ids.key],
] as const;

const ofOneObject = owned.flatMap(([each, id]) =>
  each.methods
    // All but those that name no object: a new one is among them by itself.
    .filter(({ name }) => !['List', 'Create'].includes(name))
    .map((method) => [`/${method.parent.typeName}/${method.name}`, method, id] as const),
);

describe('what belongs to another tenant', () => {
  it.each(ofOneObject)('is not there for %s, in the same words as what never was', async (_path, method, idOf) => {
    const naming = (id: string): object => (method.name === 'Update' ? { object: { id, metadata: { name: 'x' } } } : { id, dryRun: true });
    const red = service.tenant('red');
    const missing = { [ids.deployment]: '999', [ids.order]: '999-1-1', [ids.bid]: '999-1-1-p1', [ids.key]: 'never-was' }[idOf()] ?? '';
    const others = await outcomeOf(red, method, naming(idOf()));
    const never = await outcomeOf(red, method, naming(missing));
    expect(others.code).toBe('not_found');
    expect(others.message.replaceAll(`"${idOf()}"`, 'ID')).toBe(never.message.replaceAll(`"${missing}"`, 'ID'));
  });

  it.each(owned)('is in no list of %s, whatever the filter says', async (each, idOf) => {
    const list = async (channel: RpcChannel, filter: string) => {
      const client = channel.client(each as typeof Orders);
      const { items, total } = await client.list({ filter });
      return { isThere: items.some(({ id }) => id === idOf()), total };
    };
    for (const filter of ['', `this.id == "${idOf()}"`, `"blue" in this.metadata.tenants || this.id == "${idOf()}"`]) {
      expect(await list(service.tenant('red'), filter)).toEqual({ isThere: false, total: 0 });
    }
    for (const channel of [service.tenant('blue'), service.tenant('red', 'blue'), service.operator, service.admin]) {
      expect(await list(channel, '')).toMatchObject({ isThere: true });
    }
  });

  it('sends it no events', async () => {
    const ending = new AbortController();
    const seen: (string | undefined)[] = [];
    let isOpen = false;
    const watching = (async () => {
      const { watch } = service.tenant('red').client(Events);
      for await (const { event, bookmark } of watch({ bookmarks: true }, { signal: ending.signal })) {
        isOpen ||= bookmark;
        if (event !== undefined) seen.push(event.payload.value?.metadata?.tenants.join());
      }
    })().catch(() => {});
    await expect.poll(() => isOpen).toBe(true);
    await deploy(service, 'blue');
    await deploy(service, 'red');
    await expect.poll(() => seen).toEqual(['red', 'red']);
    ending.abort();
    await watching;
  });

  it('cannot be made by naming its tenant, nor for nobody or several', async () => {
    const make = (channel: RpcChannel, tenants: readonly string[]) =>
      channel.client(Deployments).create({ object: { metadata: { tenants: [...tenants] }, spec: { sdl: sampleSdl() } }, dryRun: true });
    await expect(make(service.tenant('red'), ['blue'])).rejects.toMatchObject({ code: 'permission_denied' });
    await expect(make(service.tenant('red'), ['shared'])).rejects.toThrow('must be exactly one tenant');
    await expect(make(service.tenant('red', 'green'), [])).rejects.toThrow('name one of red, green');
    await expect(make(service.admin, [])).rejects.toThrow('must be exactly one tenant');
    expect((await make(service.tenant('red', 'green'), ['green'])).object?.status?.owner).toBe('green');
    expect((await make(service.admin, ['blue'])).object?.status?.owner).toBe('blue');
  });
});

describe('the SDL', () => {
  it('is opened by its owner alone, and that is written down', async () => {
    const reveal = (channel: RpcChannel) => channel.client(Deployments).get({ id: ids.deployment, reveal: true });
    expect((await reveal(service.tenant('blue'))).object?.spec?.sdl).toBe(sampleSdl({ image: 'canary' }));
    for (const channel of [service.admin, service.operator])
      await expect(reveal(channel)).rejects.toMatchObject({ code: 'permission_denied' });
    const { entries } = await service.admin.client(Audit).list({ kind: 'deployments', objectId: ids.deployment });
    expect(entries.map(({ actor, outcome }) => [actor, outcome])).toEqual([
      ['user of blue', 'revealed'],
      ['user of blue', 'created'],
    ]);
    const rows = await service.market.database.query<{ readonly found: boolean }>({
      text: "select exists (select from deployments where data::text like '%canary%' and data #>> '{spec,sdl}' <> '<redacted>') as found",
    });
    expect(rows).toEqual([{ found: false }]);
  });
});

describe('a provider', () => {
  it('sees its own bids and leases, and nothing of another', async () => {
    const [one, two] = ['p1', 'p2'].map((account) => service.provider(account).client(ProviderMarket));
    const order = { owner: 'blue', dseq: BigInt(ids.deployment), gseq: 1, oseq: 1 };
    expect((await one?.listLeases({}))?.leases.map(({ id }) => id)).toEqual([ids.bid]);
    expect((await two?.listLeases({}))?.leases).toEqual([]);
    expect((await two?.listBids({}))?.bids).toEqual([]);
    const { known = [] } = (await two?.lookUp({ orders: [order] })) ?? {};
    expect(known.map(({ bid, lease }) => [bid?.spec?.provider, lease])).toEqual([['p2', undefined]]);
    await expect(two?.closeLease({ order })).rejects.toMatchObject({ code: 'not_found' });
    expect((await one?.lookUp({ orders: [order] }))?.known[0]?.lease?.status?.state).toBe(market.LeaseState.ACTIVE);
  });

  it('loses its watch with its right to it', async () => {
    const other = await markets.start({ access: { 'market-revoked-tokens': [] } });
    const channel = other.as({ name: 'agent', role: 'provider', source: 'p1', id: 'to-revoke' });
    const stream = channel.client(ProviderMarket).watch({})[Symbol.asyncIterator]();
    expect((await stream.next()).done).toBe(false);
    other.updateAccess({ 'market-revoked-tokens': ['to-revoke'] });
    await expect(stream.next()).rejects.toMatchObject({ code: 'unauthenticated' });
  });
});

describe('the audit log', () => {
  it('has who was refused a write', async () => {
    const refused = service.provider('mallory').client(Deployments).close({ id: ids.deployment });
    await expect(refused).rejects.toMatchObject({ code: 'permission_denied' });
    const audit = service.operator.client(Audit);
    const entries = async () =>
      (await audit.list({ filter: 'this.actor == "agent of mallory"' })).entries.map(({ method, outcome }) => [method, outcome]);
    await expect.poll(entries).toEqual([['/quartermaster.market.v1.Deployments/Close', 'permission_denied']]);
  });
});
