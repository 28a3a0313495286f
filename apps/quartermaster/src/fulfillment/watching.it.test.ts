import { HostClasses, HostState, Hosts } from '@quartermaster/api/private';
import { startFulfillment, type TestFulfillment } from '@quartermaster/fulfillment/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiConnection } from './objects/api-connection.ts';
import { getObjects } from './read/get-objects.ts';
import { ObjectFollower } from './read/object-follower.ts';
import { watchEvents } from './read/run-watch.ts';
import { LoginFolder } from './test/login-folder.ts';
import { run, written } from './test/run-program.ts';

let service: TestFulfillment;
let logins: LoginFolder;

beforeAll(async () => {
  service = await startFulfillment();
  logins = LoginFolder.make();
});

afterAll(async () => {
  await service.stop();
  logins.remove();
});

beforeEach(() => logins.use());
afterEach(() => vi.unstubAllEnvs());

const asAdmin = () => logins.add(service, 'admin', { name: 'root', role: 'admin' });

describe('the command line that watches the fulfillment service', () => {
  it('watches a list: what begins to match comes, what changes is shown, what no longer matches goes', async () => {
    await asAdmin();
    const ended = new AbortController();
    const { texts, output } = written();
    const flags = { output: 'json', selector: ['watched'], all: false, includeDeleted: false, watch: true } as const;
    const watching = getObjects('hosts')([], flags, output, ended.signal);
    const events = () =>
      texts.out
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as { event: string; key: string });
    const hosts = service.admin.client(Hosts);
    await hosts.create({ object: { id: 'w1', metadata: { labels: { watched: 'yes' } } } });
    await vi.waitFor(() => expect(events()).toMatchObject([{ event: 'added', key: 'w1' }]), { timeout: 20_000 });
    await hosts.update({ object: { id: 'w1', status: { state: HostState.READY } }, updateMask: { paths: ['status.state'] } });
    await vi.waitFor(() => expect(events()[1]).toMatchObject({ event: 'changed', object: { status: { state: 'HOST_STATE_READY' } } }), {
      timeout: 20_000,
    });
    await hosts.update({ object: { id: 'w1' }, updateMask: { paths: ['metadata.labels'] } });
    await vi.waitFor(() => expect(events()[2]).toMatchObject({ event: 'removed', key: 'w1' }), { timeout: 20_000 });
    ended.abort();
    await watching;
  });

  it('goes on where it was when the service it watched is gone and another takes over', async () => {
    const { databaseUrl, keys, directory } = service;
    const replica = await startFulfillment({ databaseUrl, keys, directory });
    const token = await service.token({ name: 'root', role: 'admin' });
    let address = replica.grpcAddress;
    const connect = () => new ApiConnection({ address, origin: 'test', allowInsecure: true, token: () => token }, {});
    const follower = new ObjectFollower({
      kind: 'host-classes',
      filter: 'this.id.startsWith("moved-")',
      order: undefined,
      connect,
      changed: () => {},
    });
    const ended = new AbortController();
    const running = follower.run(ended.signal);
    const ids = () => follower.state?.items.map(({ id }) => id);
    await vi.waitFor(() => expect(ids()).toEqual([]), { timeout: 20_000 });
    await replica.stop();
    await vi.waitFor(() => expect(follower.link.isLive).toBe(false), { timeout: 20_000 });
    await service.admin.client(HostClasses).create({ object: { id: 'moved-1' } });
    address = service.grpcAddress;
    await vi.waitFor(() => expect({ ids: ids(), isLive: follower.link.isLive }).toEqual({ ids: ['moved-1'], isLive: true }), {
      timeout: 20_000,
    });
    ended.abort();
    await running;
  });

  it('lists anew when the rights of its caller have changed', async () => {
    const { id } = (await service.admin.client(HostClasses).create({ object: { metadata: { tenants: ['blue'] } } })).object ?? { id: '' };
    const both = { name: 'ann', role: 'tenant', groups: ['acme', 'blue'], id: 'of-both' } as const;
    const tokens = [await service.token(both), await service.token({ ...both, groups: ['acme'], id: 'of-one' })];
    let turn = 0;
    const token = () => tokens[turn] ?? '';
    const connect = () => new ApiConnection({ address: service.grpcAddress, origin: 'test', allowInsecure: true, token }, {});
    const follower = new ObjectFollower({
      kind: 'host-classes',
      filter: `this.id == "${id}"`,
      order: undefined,
      connect,
      changed: () => {},
    });
    const ended = new AbortController();
    const running = follower.run(ended.signal);
    const seen = () => follower.state?.items.map((item) => item.id);
    await vi.waitFor(() => expect(seen()).toEqual([id]), { timeout: 20_000 });
    turn = 1;
    service.updateAccess({ 'fulfillment-revoked-tokens': ['of-both'] });
    await vi.waitFor(() => expect({ seen: seen(), isLive: follower.link.isLive }).toEqual({ seen: [], isLive: true }), { timeout: 20_000 });
    ended.abort();
    await running;
    service.updateAccess({});
  });

  it('prints events as they come, and goes on after a token', async () => {
    await asAdmin();
    const classes = ['ev-1', 'ev-2'];
    const seen = async (from?: string) => {
      const ended = new AbortController();
      const { texts, output } = written();
      const watching = watchEvents(['host-classes'], { output: 'json', from }, output, ended.signal);
      if (from === undefined) {
        // Whether the watch has begun shows in what it prints: until it does, there is more to print.
        for (let n = 0; texts.out === ''; n += 1) await run('create', 'host-class', `begun-${n}`);
        for (const name of classes) await run('create', 'host-class', name);
      }
      await vi.waitFor(() => expect(texts.out).toContain('"name":"ev-2"'), { timeout: 20_000 });
      ended.abort();
      await watching;
      return texts.out
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as { type: string; token: string; object: { metadata: { name: string } } });
    };
    const all = await seen();
    expect(all.slice(-2)).toMatchObject([{ type: 'created', object: { kind: 'HostClass' } }, { object: { metadata: { name: 'ev-2' } } }]);
    const later = await seen(all.at(-2)?.token);
    expect(later.map(({ object }) => object.metadata.name)).toEqual(['ev-2']);
  });
});
