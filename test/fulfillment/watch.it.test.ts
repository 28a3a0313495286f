import * as pub from '@quartermaster/api/fulfillment';
import { HostAssignments } from '@quartermaster/api/fulfillment-extras';
import * as priv from '@quartermaster/api/private';
import { provisionable, startFulfillmentPostgres, startTestFulfillment, type TestFulfillment } from '@quartermaster/fulfillment/testing';
import { silentLog } from '@quartermaster/kernel';
import { type Database, openDatabase, type Transaction, WriteBatch } from '@quartermaster/store';
import type { TestPostgres } from '@quartermaster/store/testing';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { watching } from './watching.ts';

let postgres: TestPostgres;
let service: TestFulfillment;
let replica: TestFulfillment;

beforeAll(async () => {
  postgres = await startFulfillmentPostgres();
  service = await startTestFulfillment({ postgres });
  const { databaseUrl, keys, directory } = service;
  replica = await startTestFulfillment({ databaseUrl, keys, directory });
  await service.admin.client(priv.HostClasses).create({ object: { id: 'c' } });
  await service.admin.client(priv.ClusterTemplates).create({ object: { id: 't', nodeSets: { workers: { hostClass: 'c', size: 1 } } } });
});

afterAll(async () => {
  await replica.stop();
  await service.stop();
  await postgres.stop();
});

const watchPrivate = (from: TestFulfillment, request: { filter?: string; token?: string }) =>
  watching((signal) => from.admin.client(priv.Events).watch({ bookmarks: true, ...request }, { signal }));
const watchPublic = (from: TestFulfillment, tenant: string, request: { filter?: string; token?: string } = {}) =>
  watching((signal) =>
    from
      .tenant(tenant)
      .client(pub.Events)
      .watch({ bookmarks: true, ...request }, { signal }),
  );

describe('a watch of the private API', () => {
  it('tells creations, updates, signals and deletions, in this order and without secrets', async () => {
    const events = await watchPrivate(service, { filter: 'has(event.host) && event.host.id == "told"' });
    const hosts = service.admin.client(priv.Hosts);
    await hosts.create({ object: { id: 'told', metadata: { finalizers: ['f'] }, spec: { bmc: { user: 'u', password: 'canary' } } } });
    await hosts.update({ object: { id: 'told', spec: { rack: 'r' } }, updateMask: { paths: ['spec.rack'] } });
    await hosts.update({ object: { id: 'told', spec: { rack: 'r' } }, updateMask: { paths: ['spec.rack'] } });
    await hosts.signal({ id: 'told' });
    await hosts.delete({ id: 'told' });
    await hosts.update({ object: { id: 'told' }, updateMask: { paths: ['metadata.finalizers'] } });
    const seen = [];
    for (let i = 0; i < 6; i += 1) {
      const { event } = await events.next();
      seen.push([event.type, event.payload.case, event.payload.value?.metadata?.version]);
      if (event.payload.case === 'host') expect(event.payload.value.spec?.bmc?.password).toBe('<redacted>');
    }
    const { EventType } = priv;
    expect(seen).toEqual([
      [EventType.OBJECT_CREATED, 'host', 0n],
      [EventType.OBJECT_UPDATED, 'host', 1n],
      [EventType.OBJECT_SIGNALED, 'host', 1n],
      [EventType.OBJECT_UPDATED, 'host', 2n],
      [EventType.OBJECT_UPDATED, 'host', 3n],
      [EventType.OBJECT_DELETED, 'host', 3n],
    ]);
  });

  it('goes on from a token, at any replica', async () => {
    const { firstToken } = await watchPrivate(service, {});
    const classes = service.admin.client(priv.HostClasses);
    for (const id of ['resume-1', 'resume-2', 'resume-3']) await classes.create({ object: { id } });
    const resumed = await watchPrivate(replica, { token: firstToken, filter: 'has(event.host_class)' });
    const first = await resumed.next();
    expect(first.event.payload.value?.id).toBe('resume-1');
    const again = await watchPrivate(service, { token: first.token });
    expect((await again.next()).event.payload.value?.id).toBe('resume-2');
    expect((await again.next()).event.payload.value?.id).toBe('resume-3');
  });

  it('is told of what another replica writes', async () => {
    const events = await watchPrivate(replica, { filter: 'has(event.hub) && event.type == EVENT_TYPE_OBJECT_CREATED' });
    await service.admin.client(priv.Hubs).create({ object: { id: 'elsewhere', namespace: 'n', pullSecret: '{"auths":{}}' } });
    const { event } = await events.next();
    expect(event.payload).toMatchObject({ case: 'hub', value: { id: 'elsewhere', pullSecret: '<redacted>' } });
  });

  it('misses nothing of a transaction that began early and is committed late', async () => {
    const events = await watchPrivate(service, { filter: 'has(event.host_class) && event.host_class.id.startsWith("late-")' });
    const { store } = service.fulfillment.kinds.host_classes;
    const other = openDatabase({ url: service.databaseUrl, poolSize: 1, log: silentLog });
    onTestFinished(() => other.close());
    const { transaction, commit } = await openTransaction(other);
    const batch = new WriteBatch();
    const { object } = await service.admin.client(priv.HostClasses).get({ id: 'c' });
    if (object === undefined) throw new Error('the class is gone');
    store.create(batch, { ...object, id: 'late-1' });
    await batch.flush(transaction);
    await service.admin.client(priv.HostClasses).create({ object: { id: 'late-2' } });
    await commit();
    expect([(await events.next()).event.payload.value?.id, (await events.next()).event.payload.value?.id]).toEqual(['late-1', 'late-2']);
  });

  it('refuses what is no filter and what is no token', async () => {
    for (const request of [{ filter: 'event.nothing == 1' }, { filter: 'event.host.spec.bmc.password == "x"' }, { token: 'x' }]) {
      await expect(watchPrivate(service, request)).rejects.toMatchObject({ code: 'invalid_argument' });
    }
  });
});

describe('a token that is older than what the feed keeps', () => {
  it('is refused with a reason that programs know, in both APIs and over REST', async () => {
    const { databaseUrl, keys, directory } = service;
    const { firstToken: token } = await watchPrivate(service, {});
    await service.admin.client(priv.HostClasses).create({ object: { id: 'missed' } });
    const forgetful = await startTestFulfillment({ databaseUrl, keys, directory, retention: { changesMs: 0 } });
    onTestFinished(() => forgetful.stop());
    // Transactions of other tests on the same server hold pruning back, for as long as those take.
    const kept = async () => {
      await forgetful.fulfillment.feed.prune();
      return await service.database.query({ text: 'select type from changes' });
    };
    await expect.poll(kept, { timeout: 50_000 }).toEqual([{ type: 'pruned' }]);
    const tooOld = { code: 'failed_precondition', details: { reason: 'FEED_TOKEN_EXPIRED' } };
    await expect(watchPrivate(service, { token })).rejects.toMatchObject(tooOld);
    await expect(watchPublic(service, 'acme', { token })).rejects.toMatchObject(tooOld);
    const headers = { authorization: `Bearer ${await service.token({ name: 'root', role: 'admin' })}` };
    const answer = await fetch(`${service.restUrl}/api/private/v1/events/watch?token=${encodeURIComponent(token)}`, { headers });
    expect([answer.status, await answer.json()]).toEqual([412, { ...tooOld, message: expect.stringContaining('list') }]);
  });
});

describe('a watch of the public API', () => {
  it('tells of the hosts of a cluster that is given to another tenant', async () => {
    await service.admin.client(priv.Hosts).create({ object: { id: 'moved', spec: { class: 'c', ...provisionable(1) } } });
    await service.admin
      .client(priv.Clusters)
      .create({ object: { id: 'moving', metadata: { tenants: ['from'] }, spec: { template: 't' } } });
    await service.admin.client(HostAssignments).claimHosts({ cluster: 'moving', nodeSet: 'workers' });
    const filter = 'has(event.host)';
    const [from, to] = [await watchPublic(service, 'from', { filter }), await watchPublic(service, 'to', { filter })];
    const object = { id: 'moving', metadata: { tenants: ['to'] } };
    await service.admin.client(priv.Clusters).update({ object, updateMask: { paths: ['metadata.tenants'] } });
    const [left, came] = [await from.next(), await to.next()];
    expect(left.event).toMatchObject({ type: pub.EventType.OBJECT_DELETED, payload: { case: 'host' } });
    expect(came.event).toMatchObject({ type: pub.EventType.OBJECT_CREATED, payload: { case: 'host' } });
    expect(left.event.payload.value?.id).toBe(came.event.payload.value?.id);
    await service.admin.client(HostAssignments).releaseHosts({ cluster: 'moving' });
    await service.admin.client(priv.Hosts).delete({ id: 'moved' });
  });

  it('tells a tenant of its own clusters and of hosts that come to them and leave them', async () => {
    const acme = await watchPublic(service, 'acme', { filter: 'has(event.host) || has(event.cluster)' });
    const globex = await watchPublic(service, 'globex');
    const { EventType } = pub;
    await service.admin.client(priv.Hosts).create({ object: { id: 'assigned', spec: { class: 'c', rack: 'r', ...provisionable(2) } } });
    const { object: cluster } = await service
      .tenant('acme')
      .client(pub.Clusters)
      .create({ object: { spec: { template: 't' } } });
    const id = cluster?.id ?? '';
    const assignments = service.admin.client(HostAssignments);
    await assignments.claimHosts({ cluster: id, nodeSet: 'workers', count: 1 });
    await assignments.releaseHosts({ cluster: id });
    const seen = [];
    for (let i = 0; i < 5; i += 1) {
      const { event } = await acme.next();
      seen.push([event.type, event.payload.case, event.payload.value?.id]);
    }
    expect(seen[0]).toEqual([EventType.OBJECT_CREATED, 'cluster', id]);
    expect(seen.filter(([, what]) => what === 'host')).toEqual([
      [EventType.OBJECT_CREATED, 'host', 'assigned'],
      [EventType.OBJECT_DELETED, 'host', 'assigned'],
    ]);
    // What everybody sees is the first that the other tenant is told of.
    await service.admin.client(priv.HostClasses).create({ object: { id: 'for-all' } });
    expect((await globex.next()).event.payload).toMatchObject({ case: 'hostClass', value: { id: 'for-all' } });
  });

  it('tells a tenant that lost an object what the object was, and the tenant that got it what it is', async () => {
    const clusters = service.admin.client(priv.Clusters);
    const { object: made } = await clusters.create({
      object: { metadata: { name: 'before', tenants: ['acme'] }, spec: { template: 't' } },
    });
    const id = made?.id ?? '';
    const acme = await watchPublic(service, 'acme');
    const globex = await watchPublic(service, 'globex');
    await clusters.update({
      object: { id, metadata: { name: 'after', tenants: ['globex'] } },
      updateMask: { paths: ['metadata.name', 'metadata.tenants'] },
    });
    const { EventType } = pub;
    expect((await acme.next()).event).toMatchObject({
      type: EventType.OBJECT_DELETED,
      payload: { value: { id, metadata: { name: 'before', tenants: ['acme'] } } },
    });
    expect((await globex.next()).event).toMatchObject({
      type: EventType.OBJECT_CREATED,
      payload: { value: { id, metadata: { name: 'after', tenants: ['globex'] } } },
    });
  });

  it('sends neither signals nor hubs', async () => {
    const events = await watching((signal) => service.admin.client(pub.Events).watch({ bookmarks: true }, { signal }));
    await service.admin.client(priv.Hubs).create({ object: { id: 'hidden', namespace: 'n' } });
    await service.admin.client(priv.HostClasses).signal({ id: 'c' });
    await service.admin.client(priv.HostClasses).create({ object: { id: 'shown' } });
    expect((await events.next()).event.payload).toMatchObject({ case: 'hostClass', value: { id: 'shown' } });
  });

  it('knows no private field in its filter', async () => {
    for (const filter of [
      'event.host.spec.rack == "r"',
      'has(event.hub)',
      'event.cluster.status.hub == ""',
      'event.type == EVENT_TYPE_OBJECT_SIGNALED',
    ]) {
      await expect(watchPublic(service, 'acme', { filter })).rejects.toMatchObject({ code: 'invalid_argument' });
    }
  });
});

describe('a slow or dead watcher', () => {
  it('keeps nobody else from being told', async () => {
    const stuck = new AbortController();
    onTestFinished(() => stuck.abort());
    // Begun and then not read: its answers pile up in the transport until that takes no more.
    await service.admin.client(priv.Events).watch({ bookmarks: true }, { signal: stuck.signal }).next();
    const events = await watchPrivate(service, { filter: 'has(event.host_class) && event.host_class.title == "loud"' });
    const classes = service.admin.client(priv.HostClasses);
    const description = 'x'.repeat(30_000);
    for (let i = 0; i < 40; i += 1) {
      await classes.create({ object: { id: `loud-${i}`, title: 'loud', description } });
      expect((await events.next()).event.payload.value?.id).toBe(`loud-${i}`);
    }
  });
});

/** A transaction that stays open until `commit` is called. */
async function openTransaction(database: Database): Promise<{ readonly transaction: Transaction; readonly commit: () => Promise<void> }> {
  const opened = Promise.withResolvers<Transaction>();
  const end = Promise.withResolvers<void>();
  const running = database.transaction([], async (tx) => {
    opened.resolve(tx);
    await end.promise;
  });
  return {
    transaction: await opened.promise,
    commit: async () => {
      end.resolve();
      await running;
    },
  };
}
