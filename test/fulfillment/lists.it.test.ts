import * as pub from '@quartermaster/api/fulfillment';
import { HostAssignments } from '@quartermaster/api/fulfillment-extras';
import * as priv from '@quartermaster/api/private';
import { provisionable, startTestFulfillment, type TestFulfillment } from '@quartermaster/fulfillment/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let service: TestFulfillment;

beforeAll(async () => {
  service = await startTestFulfillment();
  const { admin } = service;
  await admin.client(priv.HostClasses).create({ object: { id: 'small' } });
  await admin.client(priv.HostClasses).create({ object: { id: 'large' } });
  await admin.client(priv.ClusterTemplates).create({ object: { id: 't', nodeSets: { workers: { hostClass: 'small', size: 1 } } } });
  const hosts = admin.client(priv.Hosts);
  for (let i = 0; i < 60; i += 1) {
    const spec = { class: i % 3 === 0 ? 'large' : 'small', rack: `r${i % 4}`, ...provisionable(i) };
    const withSecret = { ...spec, bmc: { ...spec.bmc, password: `secret-${i}` } };
    await hosts.create({ object: { id: `h${String(i).padStart(2, '0')}`, metadata: { name: `n${59 - i}` }, spec: withSecret } });
  }
});

afterAll(async () => {
  await service.stop();
});

const ids = (items: readonly { readonly id: string }[]): string[] => items.map(({ id }) => id);

describe('a list', () => {
  it('is filtered, ordered, counted and cut', async () => {
    const hosts = service.admin.client(priv.Hosts);
    const first = await hosts.list({ filter: 'this.spec.class == "large" && this.status.cluster == ""', order: 'id desc', limit: 3 });
    expect(ids(first.items)).toEqual(['h57', 'h54', 'h51']);
    expect(first).toMatchObject({ size: 3, total: 20 });
    const second = await hosts.list({ filter: 'this.spec.class == "large"', order: 'spec.rack, metadata.name desc', limit: 2, offset: 1 });
    expect(second.items.map(({ spec }) => spec?.rack)).toEqual(['r0', 'r0']);
    const third = await hosts.list({
      filter: '!has(this.metadata.deletion_timestamp) && (this.id in ["h01"] || this.metadata.name in ["n0"])',
    });
    expect(ids(third.items)).toEqual(['h01', 'h59']);
    expect((await hosts.list({ skipTotal: true })).total).toBeUndefined();
  });

  it.each(['', 'spec.rack desc, metadata.name', 'metadata.name', 'metadata.creation_timestamp desc'])(
    'is read in pages that neither skip nor repeat while others write, ordered by %j',
    async (order) => {
      const hosts = service.admin.client(priv.Hosts);
      const seen: string[] = [];
      for (let cursor = '', page = 0; page === 0 || cursor !== ''; page += 1) {
        const answer = await hosts.list({ order, limit: 7, cursor, filter: 'this.id.startsWith("h")' });
        seen.push(...ids(answer.items));
        cursor = answer.nextCursor;
        // Another host comes and goes between the pages, before and behind the cursor.
        const { object } = await hosts.create({
          object: { id: `h${page}-between`, metadata: { name: `n${page}` }, spec: { rack: `r${page % 4}` } },
        });
        await hosts.delete({ id: object?.id ?? '' });
      }
      expect(seen.filter((id) => !id.endsWith('between')).toSorted()).toEqual(
        Array.from({ length: 60 }, (_, i) => `h${String(i).padStart(2, '0')}`),
      );
      expect(new Set(seen).size).toBe(seen.length);
    },
  );

  it('refuses a cursor of another list, and what is none', async () => {
    const hosts = service.admin.client(priv.Hosts);
    const { nextCursor } = await hosts.list({ limit: 1 });
    await expect(hosts.list({ cursor: nextCursor, filter: 'this.id != ""' })).rejects.toMatchObject({ code: 'invalid_argument' });
    await expect(hosts.list({ cursor: nextCursor, order: 'id desc' })).rejects.toMatchObject({ code: 'invalid_argument' });
    await expect(service.admin.client(priv.HostClasses).list({ cursor: nextCursor })).rejects.toMatchObject({ code: 'invalid_argument' });
    for (const cursor of ['x', 'W10', '!!', 'eyJhIjoxfQ', Buffer.from('["a","b"]').toString('base64url')]) {
      await expect(hosts.list({ cursor })).rejects.toMatchObject({ code: 'invalid_argument' });
    }
  });

  it('knows no filter or order over secrets', async () => {
    const hosts = service.admin.client(priv.Hosts);
    for (const filter of ['this.spec.bmc.password == "x"', 'this.spec.bmc.password.startsWith("s")', 'has(this.spec.bmc.password)']) {
      await expect(hosts.list({ filter })).rejects.toMatchObject({ code: 'invalid_argument' });
    }
    await expect(hosts.list({ order: 'spec.bmc.password' })).rejects.toMatchObject({ code: 'invalid_argument' });
  });
});

describe('a tenant', () => {
  it('sees the hosts of its own clusters and no others, whatever its filter says', async () => {
    const acme = service.tenant('acme');
    const globex = service.tenant('globex');
    const { object: cluster } = await acme.client(pub.Clusters).create({ object: { spec: { template: 't' } } });
    const assignments = service.admin.client(HostAssignments);
    const { hosts: claimed } = await assignments.claimHosts({ cluster: cluster?.id ?? '', nodeSet: 'workers', count: 2 });
    expect(claimed).toHaveLength(2);
    for (const filter of ['', 'true', 'this.id != "" || true', 'this.id == "h00" || this.id != "h00"', 'true) || (true']) {
      const list = (client: typeof acme) => client.client(pub.Hosts).list({ filter });
      if (filter.includes(') ||')) {
        await expect(list(acme)).rejects.toMatchObject({ code: 'invalid_argument' });
        continue;
      }
      expect(ids((await list(acme)).items)).toEqual(claimed);
      expect(await list(globex)).toMatchObject({ items: [], total: 0 });
    }
    const [id = ''] = claimed;
    expect((await acme.client(pub.Hosts).get({ id })).object).toMatchObject({
      id,
      spec: { class: 'small' },
      status: { cluster: cluster?.id },
    });
    await expect(globex.client(pub.Hosts).get({ id })).rejects.toMatchObject({ code: 'not_found' });
    await expect(globex.client(pub.Clusters).get({ id: cluster?.id ?? '' })).rejects.toMatchObject({ code: 'not_found' });
    await expect(globex.client(pub.Clusters).delete({ id: cluster?.id ?? '' })).rejects.toMatchObject({ code: 'not_found' });
    await expect(globex.client(pub.Clusters).update({ object: { id: cluster?.id ?? '' } })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('cannot name private fields in filters, orders or masks', async () => {
    const acme = service.tenant('acme');
    for (const filter of [
      'this.spec.bmc.user == "root"',
      'this.spec.rack == "r1"',
      'this.status.hub == ""',
      'size(this.metadata.finalizers) == 0',
    ]) {
      await expect(acme.client(pub.Hosts).list({ filter })).rejects.toMatchObject({ code: 'invalid_argument' });
    }
    await expect(acme.client(pub.Hosts).list({ order: 'spec.rack' })).rejects.toMatchObject({ code: 'invalid_argument' });
    const { object: cluster } = await acme.client(pub.Clusters).create({ object: { spec: { template: 't' } } });
    for (const path of ['status.hub', 'metadata.finalizers', 'status.kubeconfig', 'status.alias']) {
      const update = { object: { id: cluster?.id ?? '' }, updateMask: { paths: [path] } };
      await expect(acme.client(pub.Clusters).update(update)).rejects.toMatchObject({ code: 'invalid_argument' });
    }
  });

  it('finds out nothing of the other tenants of an object that it shares', async () => {
    const clusters = service.admin.client(priv.Clusters);
    const { object: cluster } = await clusters.create({ object: { spec: { template: 't' }, metadata: { tenants: ['acme', 'globex'] } } });
    const id = cluster?.id ?? '';
    const mine = service.tenant('acme').client(pub.Clusters);
    expect((await mine.get({ id })).object?.metadata?.tenants).toEqual(['acme']);
    const probe = (filter: string) => mine.list({ filter: `this.id == "${id}" && ${filter}` });
    expect((await probe('"acme" in this.metadata.tenants')).size).toBe(1);
    expect((await probe('"globex" in this.metadata.tenants')).size).toBe(0);
    expect((await probe('size(this.metadata.tenants) == 1')).size).toBe(1);
    await mine.update({
      object: { id, metadata: { name: 'renamed', tenants: ['acme'] }, spec: { template: 't', nodeSets: { workers: { size: 1 } } } },
    });
    expect((await clusters.get({ id })).object?.metadata).toMatchObject({ name: 'renamed', tenants: ['acme', 'globex'] });
  });

  it('keeps private fields of an object that it replaces', async () => {
    const clusters = service.admin.client(priv.Clusters);
    const { object: made } = await service
      .tenant('acme')
      .client(pub.Clusters)
      .create({ object: { spec: { template: 't' } } });
    const id = made?.id ?? '';
    await clusters.update({
      object: {
        id,
        metadata: { finalizers: ['keep'] },
        status: { alias: 'kept', apiUrl: 'https://api.example.com', password: 'kept too' },
      },
      updateMask: { paths: ['metadata.finalizers', 'status.alias', 'status.api_url', 'status.password'] },
    });
    const { object: seen } = await service.tenant('acme').client(pub.Clusters).get({ id });
    const { object: after } = await service
      .tenant('acme')
      .client(pub.Clusters)
      .update({ object: { id, spec: seen?.spec ?? {}, metadata: { name: 'replaced' } } });
    expect(after).toMatchObject({ metadata: { name: 'replaced' }, status: { apiUrl: 'https://api.example.com' } });
    expect((await clusters.get({ id, reveal: true })).object).toMatchObject({
      metadata: { finalizers: ['keep'], name: 'replaced' },
      status: { alias: 'kept', password: 'kept too' },
    });
  });
});

describe('concurrent updates', () => {
  it('to different fields of one object all survive', async () => {
    const hosts = service.admin.client(priv.Hosts);
    await hosts.create({ object: { id: 'busy' } });
    const update = (path: string, spec: object) => hosts.update({ object: { id: 'busy', spec }, updateMask: { paths: [path] } });
    await Promise.all(
      Array.from({ length: 25 }, (_, i) => [
        update('spec.rack', { rack: `rack-${i}` }),
        update('spec.title', { title: `title ${i}` }),
        hosts.update({
          object: { id: 'busy', metadata: { labels: { [`k${i}`]: `v${i}` } } },
          updateMask: { paths: [`metadata.labels.k${i}`] },
        }),
      ]).flat(),
    );
    const { object } = await hosts.get({ id: 'busy' });
    expect(object?.spec?.rack).toMatch(/^rack-/);
    expect(object?.spec?.title).toMatch(/^title /);
    expect(Object.keys(object?.metadata?.labels ?? {})).toHaveLength(25);
    expect(object?.metadata?.version).toBe(75n);
  });
});
