import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import * as pub from '@quartermaster/api/fulfillment';
import { HostAssignments } from '@quartermaster/api/fulfillment-extras';
import * as priv from '@quartermaster/api/private';
import { provisionable, startTestFulfillment, type TestFulfillment } from '@quartermaster/fulfillment/testing';
import { WriteBatch } from '@quartermaster/store';
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

describe('what an earlier release stored', () => {
  const text = 'BMC 10.1.2.3 said: canary-reason';
  const metadata = { creationTimestamp: timestampFromMs(1), tenants: ['acme'] };

  it('as the reason of a condition is shown to no tenant, and lets the rest of the object be changed', async () => {
    const { clusters, host_pools: hostPools } = service.fulfillment.kinds;
    const said = { status: condition.status, reason: text, message };
    const nodeSets = { w: { hostClass: 'k', size: 1 } };
    const cluster: MessageInitShape<typeof priv.ClusterSchema> = {
      ...{ id: 'early', metadata, spec: { template: 't', nodeSets } },
      status: { conditions: [{ ...said, type: priv.ClusterConditionType.PROGRESSING }] },
    };
    const pool: MessageInitShape<typeof priv.HostPoolSchema> = {
      ...{ id: 'early', metadata, spec: { hostSets: nodeSets } },
      status: { conditions: [{ ...said, type: priv.HostPoolConditionType.PROGRESSING }] },
    };
    await service.database.transaction([], async (tx) => {
      const batch = new WriteBatch();
      clusters.store.create(batch, create(priv.ClusterSchema, cluster));
      hostPools.store.create(batch, create(priv.HostPoolSchema, pool));
      await batch.flush(tx);
    });
    const tenant = service.tenant('acme').client(pub.Clusters);
    const { object } = await tenant.get({ id: 'early' });
    expect(object?.status?.conditions).toMatchObject([{ status: condition.status }]);
    expect(object?.status?.conditions[0]?.reason).toBeUndefined();
    const pools = service.tenant('acme').client(pub.HostPools);
    expect((await pools.get({ id: 'early' })).object?.status?.conditions[0]?.reason).toBeUndefined();

    const larger = { id: 'early', spec: { nodeSets: { w: { size: 2 } } } };
    await tenant.update({ object: larger, updateMask: { paths: ['spec.node_sets.w.size'] } });
    await pools.update({
      object: { id: 'early', spec: { hostSets: { w: { size: 2 } } } },
      updateMask: { paths: ['spec.host_sets.w.size'] },
    });
    const provider = service.admin.client(priv.Clusters);
    const { conditions: kept = [] } = (await provider.get({ id: 'early' })).object?.status ?? {};
    expect(kept).toMatchObject([{ reason: text, message }]);
    const other = { object: { id: 'early', status: { conditions: [{ ...kept[0], reason: `${text}!` }] } }, updateMask: statusMask };
    await expect(provider.update(other as never)).rejects.toThrow('field "status.conditions.0.reason": must be one word');
  });

  it('as the address of a BMC and the reason of a condition does not keep its host from being changed', async () => {
    const { hosts } = service.fulfillment.kinds;
    const url = 'redfish+https://192.0.2.5//redfish/v1';
    await service.database.transaction([], async (tx) => {
      const batch = new WriteBatch();
      const status = { conditions: [{ ...condition, reason: text }] };
      hosts.store.create(batch, create(priv.HostSchema, { id: 'early', metadata, spec: { class: 'k', bmc: { url } }, status }));
      await batch.flush(tx);
    });
    const client = service.admin.client(priv.Hosts);
    const state = priv.HostState.READY;
    await client.update({ object: { id: 'early', status: { state } }, updateMask: { paths: ['status.state'] } });
    expect((await client.get({ id: 'early' })).object).toMatchObject({ spec: { bmc: { url } }, status: { state } });
    const moved = { object: { id: 'early', spec: { bmc: { url: `${url}//x` } } }, updateMask: { paths: ['spec.bmc.url'] } };
    await expect(client.update(moved)).rejects.toThrow('field "spec.bmc.url": must not have "//"');
  });
});
