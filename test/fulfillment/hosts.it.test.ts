import { Hosts as PublicHosts } from '@quartermaster/api/fulfillment';
import { ApplyOutcome, HostAssignments, HostSources } from '@quartermaster/api/fulfillment-extras';
import { Clusters, ClusterTemplates, Events, HostClasses, Hosts } from '@quartermaster/api/private';
import { provisionable, startTestFulfillment, type TestFulfillment } from '@quartermaster/fulfillment/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { watching } from './watching.ts';

let service: TestFulfillment;

beforeAll(async () => {
  service = await startTestFulfillment();
});

afterAll(async () => {
  await service.stop();
});

describe('hosts', () => {
  it('are created, read, updated and deleted', async () => {
    const classes = service.admin.client(HostClasses);
    const hosts = service.admin.client(Hosts);
    const { object: made } = await classes.create({ object: { metadata: { name: 'gpu-large' }, title: 'GPU, large' } });
    const { object: host } = await hosts.create({
      object: {
        metadata: { name: 'h1' },
        spec: {
          class: 'gpu-large',
          rack: 'r1',
          bmc: { url: 'redfish+https://10.0.0.1/redfish/v1/Systems/1', user: 'root', password: 'canary-1' },
        },
      },
    });
    expect(host?.spec?.class).toBe(made?.id);
    expect(host?.spec?.bmc?.password).toBe('<redacted>');
    expect(host?.metadata).toMatchObject({ version: 0n, creators: ['admin'], tenants: ['shared'] });
    const id = host?.id ?? '';
    expect((await hosts.get({ id, reveal: true })).object?.spec?.bmc?.password).toBe('canary-1');
    const { object: updated } = await hosts.update({ object: { id, spec: { rack: 'r2' } }, updateMask: { paths: ['spec.rack'] } });
    expect(updated?.spec).toMatchObject({ rack: 'r2', class: made?.id });
    expect(updated?.metadata?.version).toBe(1n);
    const list = await hosts.list({ filter: `this.spec.class == "${made?.id}" && this.status.cluster == ""` });
    expect(list).toMatchObject({ size: 1, total: 1, nextCursor: '' });
    await expect(classes.delete({ id: made?.id ?? '' })).rejects.toMatchObject({ code: 'failed_precondition' });
    expect((await service.tenant('acme').client(PublicHosts).list({})).items).toEqual([]);
    await hosts.delete({ id });
    await expect(hosts.get({ id })).rejects.toMatchObject({ code: 'not_found' });
    await classes.delete({ id: made?.id ?? '' });
  });

  it('keep what the public API does not show when a mask there names what lies around it', async () => {
    const hosts = service.admin.client(Hosts);
    const spec = { rack: 'r1', serial: 's1', bmc: { user: 'root', password: 'canary-2' } };
    const { object: host } = await hosts.create({ object: { metadata: { name: 'h2', finalizers: ['f'] }, spec } });
    const id = host?.id ?? '';
    const object = { id, metadata: { name: 'h3' }, spec: { title: 'A host' } };
    await service.admin.client(PublicHosts).update({ object, updateMask: { paths: ['spec', 'metadata'] } });
    expect((await hosts.get({ id, reveal: true })).object).toMatchObject({
      metadata: { name: 'h3', finalizers: ['f'] },
      spec: { ...spec, title: 'A host' },
    });
  });

  it('that two synchronizers claim say so to the provider, and to a tenant only that it is so', async () => {
    const [bcm, netbox] = ['bcm', 'netbox'].map((source) =>
      service.as({ name: `sync-${source}`, role: 'sync', source }).client(HostSources),
    );
    const hosts = service.admin.client(Hosts);
    await service.admin.client(HostClasses).create({ object: { id: 'gold' } });
    await service.admin.client(ClusterTemplates).create({ object: { id: 't', nodeSets: { w: { hostClass: 'gold', size: 1 } } } });
    await bcm?.applyHosts({
      source: 'bcm',
      hosts: [{ sourceId: 'device-1', id: 'claimed', class: 'gold', serial: 'SN-CLAIMED', ...provisionable() }],
    });
    await service.admin.client(Clusters).create({ object: { id: 'c', metadata: { tenants: ['acme'] }, spec: { template: 't' } } });
    await service.admin.client(HostAssignments).claimHosts({ cluster: 'c', nodeSet: 'w', count: 1 });
    const events = await watching((signal) =>
      service.admin.client(Events).watch({ bookmarks: true, filter: 'has(event.host) && event.host.id == "claimed"' }, { signal }),
    );

    const done = await netbox?.applyHosts({ source: 'netbox', hosts: [{ sourceId: '17', serial: 'SN-CLAIMED' }] });
    expect(done?.hosts).toMatchObject([{ id: 'claimed', outcome: ApplyOutcome.CONFLICT }]);
    const message = expect.stringContaining('"bcm" has it as "device-1", "netbox" has it as "17" (same serial SN-CLAIMED)');
    const condition = { type: 101, status: 1, reason: 'SourceConflict' };
    const { event } = await events.next();
    expect(event.payload.value).toMatchObject({ status: { conditions: [{ ...condition, message }] } });
    expect((await hosts.list({ filter: 'this.status.conditions.exists(c, c.message.contains("netbox"))' })).items).toHaveLength(1);

    const own = service.tenant('acme').client(PublicHosts);
    const seen = (await own.get({ id: 'claimed' })).object?.status?.conditions;
    expect(seen).toMatchObject([condition]);
    expect(seen?.[0]?.message).toBeUndefined();
    expect((await own.list({ filter: 'this.status.conditions.exists(c, c.reason == "SourceConflict")' })).items).toHaveLength(1);
    const asked = own.list({ filter: 'this.status.conditions.exists(c, c.message.contains("netbox"))' });
    await expect(asked).rejects.toMatchObject({ code: 'invalid_argument' });

    const token = await service.token({ name: 'root', role: 'admin' });
    const answer = await fetch(`${service.restUrl}/api/quartermaster/v1/sources/netbox/hosts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ withdrawn: ['17'] }),
    });
    expect(answer.status).toBe(200);
    expect((await events.next()).event.payload.value).toMatchObject({ id: 'claimed', status: { conditions: [] } });
  });
});
