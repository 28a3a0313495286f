/** What belongs to the tenant "shared" is there for everybody to see. Whatever an administrator creates without naming a tenant is. */
import * as pub from '@quartermaster/api/fulfillment';
import { HostAssignments } from '@quartermaster/api/fulfillment-extras';
import * as priv from '@quartermaster/api/private';
import { provisionable, startTestFulfillment, type TestFulfillment } from '@quartermaster/fulfillment/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { watching } from './watching.ts';

let service: TestFulfillment;

beforeAll(async () => {
  service = await startTestFulfillment({ access: { 'fulfillment-tenants-write-hosts': true } });
  const { admin } = service;
  await admin.client(priv.HostClasses).create({ object: { id: 'c' } });
  await admin.client(priv.ClusterTemplates).create({ object: { id: 't', nodeSets: { w: { hostClass: 'c', size: 1 } } } });
  await admin.client(priv.Hosts).create({ object: { id: 'h', spec: { class: 'c', ...provisionable() } } });
  await admin.client(priv.Clusters).create({ object: { id: 'everybodys', metadata: { name: 'common' }, spec: { template: 't' } } });
  await admin.client(priv.HostPools).create({ object: { id: 'pool', spec: { hostSets: { a: { hostClass: 'c', size: 1 } } } } });
  await admin.client(HostAssignments).claimHosts({ cluster: 'everybodys', nodeSet: 'w' });
  const object = { id: 'everybodys', status: { password: 'canary' } };
  await admin.client(priv.Clusters).update({ object, updateMask: { paths: ['status.password'] } });
});

afterAll(async () => {
  await service.stop();
});

describe('what is shared', () => {
  it('is seen by a tenant, which cannot change it, take it over or delete it', async () => {
    const clusters = service.tenant('acme').client(pub.Clusters);
    const pools = service.tenant('acme').client(pub.HostPools);
    expect((await clusters.list({})).items.map(({ id }) => id)).toEqual(['everybodys']);
    const rename = { id: 'everybodys', metadata: { name: 'mine' } };
    const take = { id: 'everybodys', metadata: { tenants: ['acme'] } };
    const refused = { code: 'permission_denied', message: expect.stringContaining('is shared with everybody: only its own tenants') };
    await expect(clusters.update({ object: rename })).rejects.toMatchObject(refused);
    await expect(clusters.update({ object: rename, dryRun: true })).rejects.toMatchObject(refused);
    await expect(clusters.update({ object: take, updateMask: { paths: ['metadata.tenants'] } })).rejects.toMatchObject(refused);
    await expect(clusters.delete({ id: 'everybodys' })).rejects.toMatchObject(refused);
    await expect(pools.update({ object: { id: 'pool', metadata: { name: 'mine' } } })).rejects.toMatchObject(refused);
    await expect(pools.delete({ id: 'pool' })).rejects.toMatchObject(refused);
    const { object: stored } = await service.admin.client(priv.Clusters).get({ id: 'everybodys' });
    expect(stored?.metadata).toMatchObject({ name: 'common', tenants: ['shared'] });
  });

  it('does not open itself to a tenant', async () => {
    const clusters = service.tenant('acme').client(pub.Clusters);
    const refused = { code: 'permission_denied', message: expect.stringContaining('is only for the tenants that own it') };
    await expect(clusters.getPassword({ id: 'everybodys' })).rejects.toMatchObject(refused);
    await expect(clusters.getKubeconfig({ id: 'everybodys' })).rejects.toMatchObject(refused);
    expect((await service.admin.client(pub.Clusters).getPassword({ id: 'everybodys' })).password).toBe('canary');
  });

  it('shows its hosts to nobody but its own tenants', async () => {
    const acme = service.tenant('acme');
    const hosts = acme.client(pub.Hosts);
    const watch = await watching((signal) => acme.client(pub.Events).watch({ filter: 'has(event.host)', bookmarks: true }, { signal }));
    const rename = { object: { id: 'h', metadata: { name: 'n' } }, updateMask: { paths: ['metadata.name'] } };
    await service.admin.client(priv.Hosts).update(rename);
    expect((await hosts.list({})).items).toEqual([]);
    await expect(hosts.get({ id: 'h' })).rejects.toMatchObject({ code: 'not_found' });
    await expect(hosts.update(rename)).rejects.toMatchObject({ code: 'not_found' });
    const give = { object: { id: 'everybodys', metadata: { tenants: ['acme', 'shared'] } }, updateMask: { paths: ['metadata.tenants'] } };
    await service.admin.client(priv.Clusters).update(give);
    expect((await watch.next()).event).toMatchObject({ type: pub.EventType.OBJECT_CREATED, payload: { case: 'host', value: { id: 'h' } } });
    expect((await hosts.list({})).items.map(({ id }) => id)).toEqual(['h']);
    expect((await acme.client(pub.Clusters).getPassword({ id: 'everybodys' })).password).toBe('canary');
    expect((await service.tenant('globex').client(pub.Hosts).list({})).items).toEqual([]);
  });
});
