import { createHash } from 'node:crypto';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { timestampMs } from '@bufbuild/protobuf/wkt';
import { Audit } from '@quartermaster/api/fulfillment-extras';
import { Bids, Deployments, Events, LeaseDeliverySchema, Leases, ProviderMarket } from '@quartermaster/api/market';
import { codeOf, messageOf } from '@quartermaster/kernel';
import type { TestMarket } from '@quartermaster/market/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sampleSdl } from './sample-sdl.ts';
import { deploy, TestMarkets, uakt } from './start-market.ts';
import { volumeSdl } from './volume-sdl.ts';

const markets = new TestMarkets();
let service: TestMarket;

beforeAll(async () => {
  service = await markets.start();
});

afterAll(() => markets.stop());

const as = (account: string) => service.provider(account).client(ProviderMarket);
const tenant = (name = 'acme') => service.tenant(name).client(Deployments);

/** A lease of a provider, and all that names it. */
async function leased(provider: string, sdl = sampleSdl(), owner = 'acme') {
  const { deployment, order } = await deploy(service, owner, undefined, sdl);
  await as(provider).createBid({ order, price: uakt('5') });
  const id = `${deployment.id}-1-1-${provider}`;
  await service.tenant(owner).client(Bids).accept({ id });
  return { deployment, order, id };
}

const update = (id: string, sdl: string, confirm: readonly string[] = []) =>
  tenant().update({ object: { id, spec: { sdl } }, updateMask: { paths: ['spec.sdl'] }, confirm: [...confirm] });

type Delivery = MessageInitShape<typeof LeaseDeliverySchema>;
const delivery = (more: Delivery = {}): Delivery => ({
  ...{ state: 'Active', health: 'healthy', reason: 'Running', services: [{ name: 'web-1', count: 1, available: 1, uris: ['a.example'] }] },
  ...more,
});

describe('the manifest of a lease', () => {
  it('is given to the provider that has the lease, with the hash that the tenant sees, and that is written down', async () => {
    const { deployment, order } = await leased('m1', sampleSdl({ image: 'canary' }));
    const answer = await as('m1').getManifest({ order });
    expect(answer.manifest).toContain('canary');
    expect(answer.manifestHash).toBe(createHash('sha256').update(answer.manifest).digest('hex'));
    expect(answer.manifestHash).toBe(deployment.status?.manifestHash);
    expect(answer.confirmed).toEqual([]);
    const { entries } = await service.admin.client(Audit).list({ kind: 'deployments', objectId: deployment.id });
    expect(entries.map(({ actor, outcome, method }) => [actor, outcome, method])).toContainEqual([
      'agent of m1',
      'revealed',
      '/quartermaster.market.v1.ProviderMarket/GetManifest',
    ]);
  });

  it('is not there for anybody else, in the same words as one that never was, nor once the lease is closed', async () => {
    const { deployment, order, id } = await leased('m1');
    await as('m2').closeBid({ order });
    const refusal = async (account: string, asked: object) => {
      const thrown = await as(account)
        .getManifest({ order: { ...order, ...asked } })
        .catch((each: unknown) => each);
      expect(thrown).toMatchObject({ code: 'not_found' });
      return messageOf(thrown).replaceAll(/"[^"]+"/g, 'ID');
    };
    const words = await refusal('m2', {});
    expect(await refusal('m1', { owner: 'other' })).toBe(words);
    expect(await refusal('m1', { dseq: order.dseq + 1_000n })).toBe(words);
    await service.tenant('acme').client(Leases).close({ id });
    expect(await refusal('m1', {})).toBe(words);
    const { entries } = await service.admin.client(Audit).list({ kind: 'deployments', objectId: deployment.id });
    expect(entries.map(({ outcome }) => outcome)).not.toContain('revealed');
  });

  it('is read once for all leases of a deployment, in the turn of its owner', async () => {
    const readers: string[] = [];
    const own = await markets.start({
      beforeSdl: (reader) => ({
        read: (text, caller, signal) => {
          readers.push(caller);
          return reader.read(text, caller, signal);
        },
      }),
    });
    const provider = own.provider('m4').client(ProviderMarket);
    const groups = Array.from({ length: 20 }, () => ({ image: 'nginx' }));
    const orders = [];
    for (const owner of ['acme', 'zoe']) {
      const { order: first } = await deploy(own, owner, undefined, sampleSdl(...(owner === 'acme' ? groups : [{}])));
      for (let gseq = 1; gseq <= (owner === 'acme' ? groups.length : 1); gseq += 1) {
        const order = { ...first, gseq };
        const { bid } = await provider.createBid({ order, price: uakt('5') });
        await own
          .tenant(owner)
          .client(Bids)
          .accept({ id: bid?.id ?? '' });
        orders.push(order);
      }
    }
    readers.splice(0);
    const answers = await Promise.all(orders.map((order) => provider.getManifest({ order })));
    expect(new Set(answers.map(({ manifestHash }) => manifestHash)).size).toBe(2);
    expect(readers.toSorted()).toEqual(['account acme', 'account zoe']);
    const { object } = await own
      .tenant('acme')
      .client(Deployments)
      .update({
        object: { id: String(orders[0]?.dseq), spec: { sdl: sampleSdl(...groups.map(() => ({ image: 'caddy' }))) } },
        updateMask: { paths: ['spec.sdl'] },
      });
    readers.splice(0);
    const updated = await Promise.all(orders.slice(0, groups.length).map((order) => provider.getManifest({ order })));
    expect(updated.map(({ manifestHash }) => manifestHash)).toEqual(groups.map(() => object?.status?.manifestHash));
    expect(readers).toEqual(['account acme']);
  });

  it('is that of the newest SDL, whose hash the lists of the provider have, and no other list', async () => {
    const { deployment, order, id } = await leased('m3');
    const hashes = async () => [
      (await as('m3').listLeases({})).leases.find((lease) => lease.id === id)?.status?.manifestHash,
      (await as('m3').lookUp({ orders: [order] })).known[0]?.lease?.status?.manifestHash,
      (await as('m3').getManifest({ order })).manifestHash,
    ];
    const before = deployment.status?.manifestHash;
    expect(await hashes()).toEqual([before, before, before]);
    const { object } = await update(deployment.id, sampleSdl({ image: 'caddy' }));
    const after = object?.status?.manifestHash;
    expect(after).not.toBe(before);
    expect(await hashes()).toEqual([after, after, after]);
    expect((await service.tenant('acme').client(Leases).get({ id })).object?.status?.manifestHash).toBe('');
  });
});

describe('a report of a provider', () => {
  it('is what the tenant sees, with the time by the clock of the market', async () => {
    const { order, id } = await leased('r1');
    const said = delivery({ message: 'fine', reportedAt: { seconds: 1n, nanos: 0 }, manifestAt: { seconds: 5n, nanos: 0 } });
    const from = Date.now();
    const { lease } = await as('r1').reportDelivery({ order, delivery: said });
    const seen = (await service.tenant('acme').client(Leases).get({ id })).object;
    expect(seen?.status?.delivery).toEqual(lease?.status?.delivery);
    expect(seen?.status?.delivery).toMatchObject({
      ...{ state: 'Active', health: 'healthy', message: 'fine', manifestAt: { seconds: 5n } },
      services: [{ name: 'web-1', count: 1, available: 1, uris: ['a.example'] }],
    });
    const at = seen?.status?.delivery?.reportedAt;
    expect(at && timestampMs(at)).toBeGreaterThanOrEqual(from - 1_000);
  });

  it('writes nothing where it says the same again, and to the audit log only what is a turn', async () => {
    const { order, id } = await leased('r2');
    const versions: unknown[] = [];
    const say = async (more: Delivery = {}) =>
      versions.push((await as('r2').reportDelivery({ order, delivery: delivery(more) })).lease?.metadata?.version);
    await say();
    await say({ reportedAt: { seconds: 9n, nanos: 0 } });
    await say({ health: 'unhealthy' });
    await say({ health: 'unhealthy', message: 'one of two is away' });
    await say({ state: 'Error', reason: 'Unhealthy', health: 'unhealthy' });
    await say({ manifestHash: 'a'.repeat(64) });
    expect(versions).toEqual([1n, 1n, 2n, 3n, 4n, 5n]);
    const { entries } = await service.admin.client(Audit).list({ kind: 'leases', objectId: id });
    const changed = entries.filter(({ actor }) => actor === 'agent of r2').map(({ changes }) => changes.map(({ path }) => path));
    expect(
      changed.toReversed().map((paths) => paths.includes('status.delivery.state') || paths.includes('status.delivery.manifest_hash')),
    ).toEqual([true, true, true]);
  });

  it('is of its own lease, and of a closed one that it is complete alone', async () => {
    const { order, id } = await leased('r3');
    const say = (account: string, more: Delivery = {}, asked: object = {}) =>
      as(account).reportDelivery({ order: { ...order, ...asked }, delivery: delivery(more) });
    await expect(say('r4')).rejects.toMatchObject({ code: 'not_found' });
    await expect(say('r3', {}, { owner: 'other' })).rejects.toMatchObject({ code: 'not_found' });
    await expect(say('r3', { state: 'Complete' })).rejects.toThrow('is active: it can be Complete once it is closed');
    await service.tenant('acme').client(Leases).close({ id });
    await expect(say('r3')).rejects.toThrow('is closed: nothing can be said of it but Complete');
    expect((await say('r3', { state: 'Complete', health: 'none', services: [] })).lease?.status?.delivery?.state).toBe('Complete');
    await say('r3', { state: 'Complete', health: 'none', services: [] });
  });

  it('is bounded: too many entries are refused, and texts for people are cut', async () => {
    const { order } = await leased('r5');
    const say = (more: Delivery) => as('r5').reportDelivery({ order, delivery: delivery(more) });
    const many = (count: number) => Array.from({ length: count }, (_, index) => `n${index}`);
    await expect(as('r5').reportDelivery({ order })).rejects.toThrow('field "delivery": must be given');
    await expect(say({ state: 'Lost' })).rejects.toThrow('must be one of Pending, Active, Error, Complete');
    await expect(say({ health: 'so-so' })).rejects.toThrow('field "delivery.health"');
    await expect(say({ reason: 'two words' })).rejects.toThrow('field "delivery.reason"');
    await expect(say({ manifestHash: 'x' })).rejects.toThrow('must be a SHA-256');
    expect((await say({ message: 'a\0b' })).lease?.status?.delivery?.message).toBe('a b');
    await expect(say({ services: many(65).map((name) => ({ name })) })).rejects.toThrow('must not have more than 64 entries, and has 65');
    await expect(say({ services: [{ name: 'a' }, { name: 'a' }] })).rejects.toThrow('each service once');
    await expect(say({ services: [{ name: 'a', uris: many(101) }] })).rejects.toThrow('field "delivery.services.0.uris"');
    await expect(say({ services: [{ name: 'a', problems: many(21) }] })).rejects.toThrow('field "delivery.services.0.problems"');
    const long = 'x'.repeat(100_000);
    const { lease } = await say({ message: long, refusal: long, services: [{ name: 'a', problems: [long] }] });
    const { message, refusal, services } = lease?.status?.delivery ?? create(LeaseDeliverySchema);
    for (const text of [message, refusal, services[0]?.problems[0]]) expect(text).toBe(`${'x'.repeat(999)}…`);
  });

  it('wakes nobody of providers, while a new SDL wakes the one that runs it, and tenants hear of both', async () => {
    const own = await markets.start();
    const client = own.provider('p1').client(ProviderMarket);
    const other = own.provider('p2').client(ProviderMarket);
    const { deployment, order } = await deploy(own, 'acme');
    await client.createBid({ order, price: uakt('5') });
    await own
      .tenant('acme')
      .client(Bids)
      .accept({ id: `${deployment.id}-1-1-p1` });
    const ending = new AbortController();
    const wakes: Record<'p1' | 'p2', bigint[]> = { p1: [], p2: [] };
    const follow = async (name: 'p1' | 'p2', from: typeof client) => {
      for await (const { position } of from.watch({}, { signal: ending.signal })) wakes[name].push(position);
    };
    const events: string[] = [];
    let isOpen = false;
    const listen = async () => {
      for await (const { event, bookmark } of own.tenant('acme').client(Events).watch({ bookmarks: true }, { signal: ending.signal })) {
        isOpen ||= bookmark;
        if (event !== undefined) events.push(`${event.payload.case} ${event.type}`);
      }
    };
    const watching = Promise.all([follow('p1', client), follow('p2', other), listen()].map((each) => each.catch(() => {})));
    await expect.poll(() => [wakes.p1.length, wakes.p2.length, isOpen]).toEqual([1, 1, true]);
    await client.reportDelivery({ order, delivery: delivery() });
    await expect.poll(() => events).toEqual(['lease 2']);
    const sdl = sampleSdl({ image: 'caddy' });
    await own
      .tenant('acme')
      .client(Deployments)
      .update({ object: { id: deployment.id, spec: { sdl } }, updateMask: { paths: ['spec.sdl'] } });
    await expect.poll(() => [wakes.p1.length, events]).toEqual([2, ['lease 2', 'deployment 2']]);
    await own.tenant('acme').client(Deployments).close({ id: deployment.id });
    await expect.poll(() => wakes.p2.length).toBe(2);
    // One that the report or the SDL had woken would have been woken of something before.
    expect(wakes.p2[1]).toBeGreaterThan(wakes.p1[1] ?? 0n);
    ending.abort();
    await watching;
  });
});

describe('an update of a deployment', () => {
  it('is shown before it is made, and nothing is stored of that', async () => {
    const { deployment } = await leased('u1', volumeSdl());
    const preview = (sdl: string) => tenant().preview({ id: deployment.id, sdl });
    const same = await preview(volumeSdl());
    expect([same.changes, same.restarted, same.lostVolumes, same.faults]).toEqual([[], [], [], []]);
    const image = await preview(volumeSdl({ image: 'postgres:19' }));
    expect(image).toMatchObject({ changes: [{ service: 'db', code: 'Image' }], restarted: ['db'], lostVolumes: [], faults: [] });
    const renamed = await preview(volumeSdl({ service: 'store' }));
    expect(renamed.changes.map(({ service: name, code }) => `${name} ${code}`)).toEqual(
      expect.arrayContaining(['db ServiceRemoved', 'store ServiceAdded']),
    );
    expect(renamed).toMatchObject({ lostVolumes: ['db/data'], faults: [] });
    expect((await tenant().get({ id: deployment.id })).object?.status?.manifestHash).toBe(deployment.status?.manifestHash);
  });

  it('has its refusals told before, as faults', async () => {
    const { deployment } = await leased('u2', volumeSdl());
    const codes = async (sdl: string) => (await tenant().preview({ id: deployment.id, sdl })).faults.map(({ code }) => code);
    expect(await codes(volumeSdl().replace('units: 1', 'units: 2'))).toEqual(['OrderChanged']);
    expect(await codes(volumeSdl().replace('port: 80', 'port: 99999'))).toEqual(['OutOfRange']);
    expect(await codes('')).toHaveLength(1);
    await tenant().close({ id: deployment.id });
    expect(await codes(volumeSdl())).toEqual(['DeploymentClosed']);
    await expect(tenant('other').preview({ id: deployment.id, sdl: volumeSdl() })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('that loses data is refused until the loss of each volume is confirmed, and nothing else can be confirmed', async () => {
    const { deployment, order } = await leased('u3', volumeSdl());
    const { id } = deployment;
    const renamed = volumeSdl({ service: 'store' });
    await expect(update(id, renamed)).rejects.toMatchObject({
      code: 'failed_precondition',
      message: expect.stringContaining('must name db/data: the new SDL has no such volume'),
    });
    await expect(update(id, renamed, ['db/data', 'db/other'])).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('must not name db/other, which is not lost: lost is db/data'),
    });
    await expect(update(id, volumeSdl({ image: 'postgres:19' }), ['db/data'])).rejects.toThrow('none is lost');
    await expect(tenant().update({ object: { id, metadata: { name: 'x' } }, confirm: ['db/data'] })).rejects.toThrow('field "confirm"');
    expect((await as('u3').getManifest({ order })).manifestHash).toBe(deployment.status?.manifestHash);
    const { object } = await update(id, renamed, ['db/data']);
    expect(object?.status?.confirmed).toEqual(['db/data']);
    expect(await as('u3').getManifest({ order })).toMatchObject({ confirmed: ['db/data'], manifestHash: object?.status?.manifestHash });
    // Again, as after an answer that was lost.
    expect((await update(id, renamed, ['db/data'])).object).toEqual(object);
  });

  it('keeps what was confirmed until the volume is there again', async () => {
    const { deployment } = await leased('u4', volumeSdl());
    const confirmed = async (sdl: string, confirm: readonly string[] = []) =>
      (await update(deployment.id, sdl, confirm)).object?.status?.confirmed;
    expect(await confirmed(volumeSdl({ service: 'store' }), ['db/data'])).toEqual(['db/data']);
    expect(await confirmed(volumeSdl({ service: 'store', image: 'postgres:19' }))).toEqual(['db/data']);
    expect(await confirmed(volumeSdl(), ['store/data'])).toEqual(['store/data']);
  });

  it('keeps what was confirmed of replicas that go while the volume of others stays, also with the next manifest', async () => {
    const replicas = (a: number, b: number, image = 'postgres:18'): string => {
      const [head = '', written = '', tail = ''] = volumeSdl({ service: 'a', image }).split(/(?<=services:\n)|(?=profiles:\n)/);
      const placed = (name: string, count: number): string => `  ${name}:\n    eu:\n      profile: db\n      count: ${count}\n`;
      const profiles = tail.split('deployment:\n')[0] ?? '';
      return `${head}${written}${written.replace('  a:', '  b:')}${profiles}deployment:\n${placed('a', a)}${placed('b', b)}`;
    };
    const { deployment, order } = await leased('u6', replicas(2, 1));
    await update(deployment.id, replicas(1, 2), ['a/data']);
    expect((await as('u6').getManifest({ order })).confirmed).toEqual(['a/data']);
    // The provider may not have deployed the one before.
    await update(deployment.id, replicas(1, 2, 'postgres:19'));
    expect((await as('u6').getManifest({ order })).confirmed).toEqual(['a/data']);
  });

  it('is compared with what is stored when it is made, however many come at once', async () => {
    const { deployment } = await leased('u5', volumeSdl());
    const names = ['a', 'b', 'c', 'd'];
    const outcomes = await Promise.allSettled(names.map((name) => update(deployment.id, volumeSdl({ service: name }), ['db/data'])));
    const made = outcomes.filter(({ status }) => status === 'fulfilled');
    expect(made).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(['aborted', 'failed_precondition', 'invalid_argument']).toContain(codeOf(outcome.reason));
    }
    expect((await tenant().get({ id: deployment.id })).object?.status?.confirmed).toEqual(['db/data']);
  });
});
