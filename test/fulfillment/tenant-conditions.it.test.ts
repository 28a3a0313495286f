import * as pub from '@quartermaster/api/fulfillment';
import { HostAssignments } from '@quartermaster/api/fulfillment-extras';
import * as priv from '@quartermaster/api/private';
import { provisionable, startTestFulfillment, type TestFulfillment } from '@quartermaster/fulfillment/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { watching } from './watching.ts';

let service: TestFulfillment;
const message = 'BMC 10.1.2.3 said: canary-message';
const condition = { type: priv.HostConditionType.FAILED, status: pub.ConditionStatus.TRUE, reason: 'DiskFailed' };
const conditions = [{ ...condition, message }];
const statusMask = { paths: ['status.conditions'] };

beforeAll(async () => {
  service = await startTestFulfillment();
  const { admin } = service;
  await admin.client(priv.HostClasses).create({ object: { id: 'k' } });
  await admin.client(priv.ClusterTemplates).create({ object: { id: 't', nodeSets: { w: { hostClass: 'k', size: 1 } } } });
  await admin.client(priv.Hosts).create({ object: { id: 'h', spec: { class: 'k', ...provisionable() } } });
  await admin.client(priv.Clusters).create({ object: { id: 'c', metadata: { tenants: ['acme'] }, spec: { template: 't' } } });
  await admin
    .client(priv.HostPools)
    .create({ object: { id: 'p', metadata: { tenants: ['acme'] }, spec: { hostSets: { w: { hostClass: 'k', size: 1 } } } } });
  await admin.client(HostAssignments).claimHosts({ cluster: 'c', nodeSet: 'w', count: 1 });
});

afterAll(async () => {
  await service.stop();
});

describe('the message of a condition', () => {
  const kinds = [
    ['host', 'h', priv.Hosts, pub.Hosts],
    ['cluster', 'c', priv.Clusters, pub.Clusters],
    ['host_pool', 'p', priv.HostPools, pub.HostPools],
  ] as const;

  it.each(kinds)('of a %s is not for tenants, in Get, List, events, filters and orders', async (field, id, own, open) => {
    const provider = service.admin.client(own as typeof priv.Hosts);
    const tenant = service.tenant('acme').client(open as typeof pub.Hosts);
    const events = await watching((signal) =>
      service
        .tenant('acme')
        .client(pub.Events)
        .watch({ bookmarks: true, filter: `has(event.${field})` }, { signal }),
    );
    await provider.update({ object: { id, status: { conditions } }, updateMask: statusMask });
    expect((await provider.get({ id })).object?.status?.conditions).toMatchObject(conditions);

    const seen = [
      (await tenant.get({ id })).object,
      (await tenant.list({ filter: `this.id == "${id}"` })).items[0],
      (await events.next()).event.payload.value as pub.Host,
    ];
    for (const object of seen) {
      expect(object?.status?.conditions).toMatchObject([condition]);
      expect(object?.status?.conditions[0]?.message).toBeUndefined();
    }
    const token = await service.token({ name: 'user of acme', role: 'tenant', groups: ['acme'] });
    const answer = await fetch(`${service.restUrl}/api/fulfillment/v1/${field}s/${id}`, { headers: { authorization: `Bearer ${token}` } });
    expect(answer.status).toBe(200);
    expect(await answer.text()).not.toContain('canary-message');

    expect((await tenant.list({ filter: 'this.status.conditions.exists(c, c.reason == "DiskFailed")' })).items).toHaveLength(1);
    for (const filter of [
      'this.status.conditions.exists(c, c.message.contains("canary"))',
      'this.status.conditions.exists(c, has(c.message))',
      'this.status.conditions[0].message.startsWith("BMC")',
      'this.status.conditions[0] == this.status.conditions[0]',
    ]) {
      await expect(tenant.list({ filter })).rejects.toMatchObject({ code: 'invalid_argument' });
    }
    await expect(tenant.list({ order: 'status.conditions.message' })).rejects.toMatchObject({ code: 'invalid_argument' });
    const filter = `has(event.${field}) && event.${field}.status.conditions.exists(c, c.message != "")`;
    const refused = service.tenant('acme').client(pub.Events).watch({ filter })[Symbol.asyncIterator]().next();
    await expect(refused).rejects.toMatchObject({ code: 'invalid_argument' });
    await expect(
      tenant.update({ object: { id, status: { conditions: [{ message }] } }, updateMask: { paths: ['status.conditions'] } }),
    ).rejects.toMatchObject({ code: expect.stringMatching(/^(permission_denied|invalid_argument)$/) as string });
    expect((await provider.get({ id })).object?.status?.conditions).toMatchObject(conditions);
  });
});
