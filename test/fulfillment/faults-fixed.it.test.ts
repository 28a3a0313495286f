/** Each test names a fault of the service that this API comes from, and shows that it is not here. */
import * as pub from '@quartermaster/api/fulfillment';
import { HostAssignments } from '@quartermaster/api/fulfillment-extras';
import * as priv from '@quartermaster/api/private';
import { provisionable, startTestFulfillment, type TestFulfillment } from '@quartermaster/fulfillment/testing';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { kubeconfigOf } from './sample-secrets.ts';
import { createCluster, startWithTemplate } from './start-with-template.ts';
import { watching } from './watching.ts';

let service: TestFulfillment;

beforeAll(async () => {
  service = await startWithTemplate();
});
afterAll(() => service.stop());

const hosts = () => service.admin.client(priv.Hosts);
const classes = () => service.admin.client(priv.HostClasses);
const newCluster = (tenant: string): Promise<string> => createCluster(service, tenant);
const count = async (table: string, where = 'true'): Promise<number> => {
  const [row] = await service.database.query<{ n: bigint }>({ text: `select count(*) as n from ${table} where ${where}` });
  return Number(row?.n);
};

describe('secrets', () => {
  it('37: passwords, kubeconfigs and pull secrets are in no event, row or archive, and not for everybody to read', async () => {
    const events = await watching((signal) => service.admin.client(priv.Events).watch({ bookmarks: true }, { signal }));
    await hosts().create({ object: { id: 'f37', spec: { bmc: { user: 'u', password: 'canary-37' } } } });
    const kubeconfig = new TextEncoder().encode(kubeconfigOf('canary-37'));
    await service.admin.client(priv.Hubs).create({ object: { id: 'f37', kubeconfig, pullSecret: '{"auths":{"canary-37":{}}}' } });
    await hosts().delete({ id: 'f37' });
    const seen = [(await events.next()).event.payload, (await events.next()).event.payload, (await events.next()).event.payload];
    expect(seen.map((payload) => payload.case)).toEqual(['host', 'hub', 'host']);
    expect(seen[0]).toMatchObject({ value: { spec: { bmc: { password: '<redacted>' } } } });
    expect(seen[1]).toMatchObject({ value: { pullSecret: '<redacted>', kubeconfig: Buffer.from('<redacted>') } });
    const { object } = await service.provider.client(priv.Hubs).get({ id: 'f37' });
    expect(object).toMatchObject({ pullSecret: '<redacted>' });
    for (const [table, text] of [
      ['hubs', "encode(body, 'escape') || data::text"],
      ['archive', "encode(body, 'escape')"],
      ['changes', "encode(body, 'escape')"],
      ['secrets', "encode(sealed, 'escape')"],
    ] as const) {
      expect(await count(table), `of ${table}`).toBeGreaterThan(0);
      expect(await count(table, `${text} like '%canary-37%'`), `of ${table}`).toBe(0);
    }
  });
});

describe('events', () => {
  it('46: what one watcher may not see is told to those who may', async () => {
    const open = (tenants: readonly string[]) =>
      watching((signal) =>
        service
          .tenant(...tenants)
          .client(pub.Events)
          .watch({ bookmarks: true, filter: 'has(event.cluster)' }, { signal }),
      );
    const watchers = await Promise.all(['a', 'b', 'a', 'b', 'a'].map((tenant) => open([tenant])));
    for (let i = 0; i < 10; i += 1) {
      const [forA, forB] = [await newCluster('a'), await newCluster('b')];
      for (const [index, watcher] of watchers.entries()) {
        expect((await watcher.next()).event.payload.value?.id).toBe(index % 2 === 0 ? forA : forB);
      }
    }
  });

  it('47: watchers that stop reading or leave in the middle of an answer keep nobody waiting', async () => {
    const listening = await watching((signal) =>
      service.admin.client(priv.Events).watch({ bookmarks: true, filter: 'has(event.host_class)' }, { signal }),
    );
    const description = 'x'.repeat(20_000);
    for (let i = 0; i < 30; i += 1) {
      const leaving = new AbortController();
      onTestFinished(() => leaving.abort());
      await service.admin.client(priv.Events).watch({ bookmarks: true }, { signal: leaving.signal }).next();
      const written = classes().create({ object: { id: `f47-${i}`, description } });
      if (i % 2 === 0) leaving.abort();
      await written;
      expect((await listening.next()).event.payload.value?.id).toBe(`f47-${i}`);
    }
  });

  it('48: a watcher that was away reads everything from its token on, however long ago that is within the retention', async () => {
    const { firstToken, end } = await watching((signal) => service.admin.client(priv.Events).watch({ bookmarks: true }, { signal }));
    end();
    await Promise.all(Array.from({ length: 50 }, (_, i) => classes().create({ object: { id: `f48-${i}` } })));
    await service.database.query({ text: `update changes set at = at - interval '3 days' where object_id like 'f48-%'` });
    await service.fulfillment.feed.prune();
    const late = await watching((signal) => service.admin.client(priv.Events).watch({ bookmarks: true, token: firstToken }, { signal }));
    const seen = new Set<string>();
    while (seen.size < 50) seen.add((await late.next()).event.payload.value?.id ?? '');
    expect([...seen].every((id) => id.startsWith('f48-'))).toBe(true);
  });

  it('49: writes do not notify one by one in their transactions, where commits would wait for each other', async () => {
    const listener = new pg.Client({ connectionString: service.databaseUrl });
    await listener.connect();
    onTestFinished(() => listener.end());
    let heard = 0;
    const last = Promise.withResolvers<void>();
    listener.on('notification', ({ channel }) => {
      if (channel === 'f49_done') last.resolve();
      else heard += 1;
    });
    await listener.query('listen quartermaster_feed; listen f49_done');
    const before = await count('changes');
    const writes = 100;
    await Promise.all(Array.from({ length: writes }, (_, i) => classes().create({ object: { id: `f49-${i}` } })));
    await service.database.query({ text: `select pg_notify('f49_done', '')` });
    await last.promise;
    expect(heard).toBeLessThan(writes);
    // And no write clears away what is old.
    expect(await count('changes')).toBe(before + writes);
  });

  it('50: events of hosts, classes and pools have their objects in them', async () => {
    const events = await watching((signal) => service.admin.client(pub.Events).watch({ bookmarks: true }, { signal }));
    await classes().create({ object: { id: 'f50' } });
    await hosts().create({ object: { id: 'f50', spec: { class: 'f50' } } });
    await service.admin.client(priv.HostPools).create({ object: { id: 'f50', spec: { hostSets: { a: { hostClass: 'f50', size: 1 } } } } });
    const seen = [await events.next(), await events.next(), await events.next()];
    expect(seen.map(({ event }) => [event.payload.case, event.payload.value?.id])).toEqual([
      ['hostClass', 'f50'],
      ['host', 'f50'],
      ['hostPool', 'f50'],
    ]);
  });
});

describe('updates', () => {
  it('51: masked updates of different fields at once all survive', async () => {
    await hosts().create({ object: { id: 'f51' } });
    const masked = (paths: string[], spec: object) => hosts().update({ object: { id: 'f51', spec }, updateMask: { paths } });
    for (let i = 0; i < 20; i += 1) {
      const spec = { rack: `r${i}`, title: `t${i}`, description: `d${i}` };
      await Promise.all([masked(['spec.rack'], spec), masked(['spec.title'], spec), masked(['spec.description'], spec)]);
      expect((await hosts().get({ id: 'f51' })).object?.spec).toMatchObject(spec);
    }
  });

  it('52: a mask through a key of a map keeps the rest of the entry, and an index beyond a list is refused', async () => {
    const id = await newCluster('a');
    const clusters = service.tenant('a').client(pub.Clusters);
    const paths = ['spec.node_sets.w.size'];
    const { object } = await clusters.update({ object: { id, spec: { nodeSets: { w: { size: 9 } } } }, updateMask: { paths } });
    expect(object?.spec?.nodeSets).toMatchObject({ w: { hostClass: 'c', size: 9 }, v: { hostClass: 'c', size: 1 } });
    await hosts().create({ object: { id: 'f52', spec: { nics: [{ mac: '00:00:5e:00:53:01' }] } } });
    for (const index of [2, 3, 999_999_999]) {
      const update = { object: { id: 'f52', spec: { nics: [] } }, updateMask: { paths: [`spec.nics.${index}`] } };
      await expect(hosts().update(update)).rejects.toMatchObject({ code: 'invalid_argument' });
    }
  });

  it('53: a public mask cannot name what the public API does not have', async () => {
    const id = await newCluster('a');
    await service.admin.client(priv.Clusters).update({
      object: { id, metadata: { finalizers: ['keep'] }, status: { alias: 'f53' } },
      updateMask: { paths: ['metadata.finalizers', 'status.alias'] },
    });
    for (const path of ['metadata.finalizers', 'status.hub', 'status.alias', 'status.password', 'spec.bmc']) {
      const update = service
        .tenant('a')
        .client(pub.Clusters)
        .update({ object: { id }, updateMask: { paths: [path] } });
      await expect(update, `of ${path}`).rejects.toMatchObject({ code: 'invalid_argument', message: expect.stringContaining(path) });
    }
    for (const path of ['spec', 'status', 'metadata']) {
      await service
        .tenant('a')
        .client(pub.Clusters)
        .update({ object: { id }, updateMask: { paths: [path] } })
        .catch(() => {});
    }
    expect((await service.admin.client(priv.Clusters).get({ id })).object).toMatchObject({
      metadata: { finalizers: ['keep'], tenants: ['a'] },
      spec: { template: 't' },
      status: { alias: 'f53' },
    });
  });

  it('53: a public mask of host classes is not ignored', async () => {
    await classes().create({ object: { id: 'f53', title: 'T', description: 'D' } });
    const { object } = await service.admin
      .client(pub.HostClasses)
      .update({ object: { id: 'f53', title: 'U', description: 'E' }, updateMask: { paths: ['title'] } });
    expect(object).toMatchObject({ title: 'U', description: 'D' });
  });

  it('54: a public update without a mask keeps what is private', async () => {
    const spec = { rack: 'r', bmc: { user: 'u', password: 'p' }, class: 'c' };
    await hosts().create({ object: { id: 'f54', metadata: { finalizers: ['f'] }, spec } });
    await service.admin.client(pub.Hosts).update({ object: { id: 'f54', metadata: { name: 'renamed' }, spec: { title: 'T' } } });
    expect((await hosts().get({ id: 'f54', reveal: true })).object).toMatchObject({
      metadata: { name: 'renamed', finalizers: ['f'] },
      spec: { ...spec, title: 'T' },
    });
    const pools = service.admin.client(priv.HostPools);
    await service.admin.client(priv.Hubs).create({ object: { id: 'f54', namespace: 'n' } });
    await pools.create({ object: { id: 'f54', spec: { hostSets: { a: { hostClass: 'c', size: 1 } } }, status: { hub: 'f54' } } });
    await service.admin.client(pub.HostPools).update({ object: { id: 'f54', spec: { hostSets: { a: { hostClass: 'c', size: 2 } } } } });
    expect((await pools.get({ id: 'f54' })).object).toMatchObject({ spec: { hostSets: { a: { size: 2 } } }, status: { hub: 'f54' } });
  });
});

describe('deletions and references', () => {
  it('61: a second Delete changes nothing and tells nobody', async () => {
    await classes().create({ object: { id: 'f61', metadata: { finalizers: ['a'] } } });
    await classes().delete({ id: 'f61' });
    const { object: first } = await classes().get({ id: 'f61' });
    const before = await count('changes', `object_id = 'f61'`);
    await classes().delete({ id: 'f61' });
    expect((await classes().get({ id: 'f61' })).object).toEqual(first);
    expect(await count('changes', `object_id = 'f61'`)).toBe(before);
  });

  it('62: a name that several objects have is refused, with all of them', async () => {
    for (const id of ['f62-a', 'f62-b', 'f62-c']) await classes().create({ object: { id, metadata: { name: 'f62' } } });
    await expect(hosts().create({ object: { spec: { class: 'f62' } } })).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringMatching(/f62-a.*f62-b/),
    });
  });

  it('63: the archive has a key, keeps no secrets, and ends after its retention', async () => {
    await hosts().create({ object: { id: 'f63', spec: { bmc: { user: 'u', password: 'p' } } } });
    await hosts().delete({ id: 'f63' });
    expect(await count('archive', `id = 'f63'`)).toBe(1);
    expect(await count('secrets', `object_id = 'f63'`)).toBe(0);
    await service.database.query({ text: `update archive set archived_at = archived_at - interval '91 days' where id = 'f63'` });
    const { databaseUrl, keys, directory } = service;
    const replica = await startTestFulfillment({ databaseUrl, keys, directory });
    onTestFinished(() => replica.stop());
    await expect.poll(() => count('archive', `id = 'f63'`), { timeout: 20_000 }).toBe(0);
  });

  it('a host class in use by hosts is not deleted', async () => {
    await classes().create({ object: { id: 'used' } });
    await hosts().create({ object: { id: 'user', spec: { class: 'used' } } });
    await expect(classes().delete({ id: 'used' })).rejects.toMatchObject({
      code: 'failed_precondition',
      message: expect.stringContaining('user'),
    });
  });

  it('a host that a cluster has is not deleted under it', async () => {
    const cluster = await newCluster('a');
    await classes().create({ object: { id: 'held' } });
    await hosts().create({ object: { id: 'held', spec: { class: 'c', ...provisionable() } } });
    const { claimed } = await service.admin.client(HostAssignments).claimHosts({ cluster, nodeSet: 'w', count: 100 });
    expect(claimed).toContain('held');
    await expect(hosts().delete({ id: 'held' })).rejects.toMatchObject({ code: 'failed_precondition' });
  });
});
