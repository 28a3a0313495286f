import type { DescMethod } from '@bufbuild/protobuf';
import * as fulfillment from '@quartermaster/api/fulfillment';
import * as extras from '@quartermaster/api/fulfillment-extras';
import * as privateApi from '@quartermaster/api/private';
import { provisionable, startFulfillmentPostgres, startTestFulfillment, type TestFulfillment } from '@quartermaster/fulfillment/testing';
import type { RpcChannel } from '@quartermaster/rpc';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectedCallers } from './access-matrix.ts';
import { outcomeOf, requestOf } from './outcome-of.ts';
import { methods, services } from './secret-contract.ts';

interface Stopping {
  stop(): Promise<void>;
}

let postgres: Awaited<ReturnType<typeof startFulfillmentPostgres>>;
let service: TestFulfillment;
/** The same data, where tenants may write hosts. */
let generous: TestFulfillment;
const ends: Stopping[] = [];

beforeAll(async () => {
  postgres = await startFulfillmentPostgres();
  ends.push(postgres);
  service = await startTestFulfillment({ postgres });
  ends.push(service);
  const { databaseUrl, keys, directory } = service;
  generous = await startTestFulfillment({ databaseUrl, keys, directory, access: { 'fulfillment-tenants-write-hosts': true } });
  ends.push(generous);
  await seed();
});

afterAll(async () => {
  for (const each of ends.toReversed()) await each.stop();
});

const kubeconfig = new TextEncoder().encode(
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server: 'https://192.0.2.1:6443' } }],
    users: [{ name: 'u', user: { token: 'canary-kubeconfig' } }],
  }),
);

/** Blue has a cluster with a host, and a host pool. What is shared is there for all. */
async function seed(): Promise<void> {
  const { admin } = service;
  await admin.client(privateApi.HostClasses).create({ object: { id: 'class-1' } });
  await admin
    .client(privateApi.ClusterTemplates)
    .create({ object: { id: 'template-1', nodeSets: { w: { hostClass: 'class-1', size: 1 } } } });
  await admin.client(privateApi.Hosts).create({ object: { id: 'host-1', spec: { class: 'class-1', rack: 'r1', ...provisionable() } } });
  const blue = service.tenant('blue');
  await blue.client(fulfillment.Clusters).create({ object: { id: 'cluster-1', spec: { template: 'template-1' } } });
  await blue
    .client(fulfillment.HostPools)
    .create({ object: { id: 'pool-1', spec: { hostSets: { w: { hostClass: 'class-1', size: 1 } } } } });
  const { missing } = await admin.client(extras.HostAssignments).claimHosts({ cluster: 'cluster-1', nodeSet: 'w' });
  expect(missing).toBe(0);
  await admin.client(privateApi.Clusters).update({
    object: { id: 'cluster-1', status: { kubeconfig, password: 'canary-password' } },
    updateMask: { paths: ['status.kubeconfig', 'status.password'] },
  });
}

const cases = methods.map((method) => [`/${method.parent.typeName}/${method.name}`, method] as const);

describe('every method', () => {
  it('is in the matrix, and no other', () => {
    const written = Object.entries(expectedCallers).flatMap(([name, rows]) => Object.keys(rows).map((method) => `/${name}/${method}`));
    expect(written.toSorted()).toEqual(cases.map(([path]) => path).toSorted());
  });

  it('is served', () => {
    const served = service.fulfillment.services.map(({ descriptor }) => descriptor.typeName).toSorted();
    expect(served).toEqual(services.map(({ typeName }) => typeName).toSorted());
  });

  it.each(cases)('%s is open to those for whom it is meant, and to nobody else', async (_path, method) => {
    const callers = expectedCallers[method.parent.typeName]?.[method.name] ?? '';
    const channels: readonly (readonly [string, RpcChannel])[] = [
      ['-', service.anonymous()],
      ['a', service.admin],
      ['c', service.as({ name: 'controller', role: 'controller' })],
      ['p', service.provider],
      ['s', service.as({ name: 'bcm-sync', role: 'sync', source: 'bcm' })],
      ['t', service.tenant('blue')],
      ['h', generous.tenant('blue')],
    ];
    const request = requestOf(method);
    for (const [letter, channel] of channels) {
      const isAllowed = callers.includes(letter) || (letter === 'h' && callers.includes('t'));
      const { code, message } = await outcomeOf(channel, method, request);
      const refusals = ['unauthenticated', 'permission_denied'];
      if (isAllowed)
        expect({ letter, code, message, isRefused: refusals.includes(code) || code === 'internal' }).toMatchObject({ isRefused: false });
      else expect({ letter, code }).toEqual({ letter, code: letter === '-' ? 'unauthenticated' : 'permission_denied' });
    }
  });
});

/** Of the public API: the kind, an object of blue's, and methods that name one object. */
const owned = [
  [fulfillment.Clusters, 'cluster-1'],
  [fulfillment.HostPools, 'pool-1'],
  [fulfillment.Hosts, 'host-1'],
] as const;

const ofOneObject = owned.flatMap(([each, id]) =>
  each.methods
    .filter(({ name }) => name === 'Get' || name.startsWith('GetK') || name.startsWith('GetP') || name === 'Update' || name === 'Delete')
    .map((method) => [`/${method.parent.typeName}/${method.name}`, method, id] as const),
);

const naming = (method: DescMethod, id: string): object => (method.name === 'Update' ? { object: { id } } : { id, dryRun: true });

describe('an object of another tenant', () => {
  it.each(ofOneObject)('is not there for %s, in the same words as one that never was', async (_path, method, id) => {
    for (const channel of [generous.tenant('red'), generous.tenant('shared-fan')]) {
      const others = await outcomeOf(channel, method, naming(method, id));
      const missing = await outcomeOf(channel, method, naming(method, 'never-was'));
      expect(others.code).toBe('not_found');
      expect(others.message.replaceAll(id, 'ID')).toBe(missing.message.replaceAll('never-was', 'ID'));
    }
  });

  it.each(owned)('is in no list of %s, whatever the filter says', async (each, id) => {
    const list = each.methods.find(({ name }) => name === 'List');
    if (list === undefined) throw new Error('there is no List');
    const items = async (channel: RpcChannel, filter: string): Promise<unknown> => {
      const client = channel.client(each) as {
        readonly list: (request: object) => Promise<{ readonly items: readonly { readonly id: string }[]; readonly total?: number }>;
      };
      const answer = await client.list({ filter });
      return { ids: answer.items.map((item) => item.id), total: answer.total };
    };
    for (const filter of ['', `this.id == "${id}"`, 'true || this.id == ""', `"blue" in this.metadata.tenants || this.id == "${id}"`]) {
      expect(await items(service.tenant('red'), filter)).toEqual({ ids: [], total: 0 });
    }
    expect(await items(service.tenant('blue'), '')).toEqual({ ids: [id], total: 1 });
    expect(await items(service.tenant('red', 'blue'), '')).toEqual({ ids: [id], total: 1 });
    expect(await items(service.admin, `this.id == "${id}"`)).toEqual({ ids: [id], total: 1 });
  });

  it('cannot be made by naming its tenant', async () => {
    const create = service.tenant('red').client(fulfillment.Clusters).create;
    const object = { spec: { template: 'template-1' } };
    await expect(create({ object: { ...object, metadata: { tenants: ['blue'] } } })).rejects.toMatchObject({
      code: 'permission_denied',
      message: expect.stringContaining("tenant 'blue' doesn't exist"),
    });
    await expect(create({ object: { ...object, metadata: { tenants: ['shared'] } } })).rejects.toThrow(/tenant 'shared' can't be assigned/);
  });

  it('cannot be found out by the id of a new one', async () => {
    const create = service.tenant('red').client(fulfillment.Clusters).create;
    const refusal = await create({ object: { id: 'cluster-1', spec: { template: 'template-1' } } }).catch((thrown: unknown) => thrown);
    // Ids are unique over all tenants: that one is taken is all that is told.
    expect(refusal).toMatchObject({ code: 'already_exists', message: expect.not.stringContaining('blue') });
  });
});

describe('the owner', () => {
  it('reads what is its own, and what is shared', async () => {
    const blue = service.tenant('blue');
    expect((await blue.client(fulfillment.Clusters).get({ id: 'cluster-1' })).object?.metadata?.tenants).toEqual(['blue']);
    expect((await blue.client(fulfillment.Clusters).getPassword({ id: 'cluster-1' })).password).toBe('canary-password');
    expect((await blue.client(fulfillment.Hosts).get({ id: 'host-1' })).object?.status?.cluster).toBe('cluster-1');
    for (const tenant of ['blue', 'red']) {
      const templates = service.tenant(tenant).client(fulfillment.ClusterTemplates);
      expect((await templates.list({})).items.map(({ id }) => id)).toEqual(['template-1']);
    }
  });

  it('writes its hosts only where tenants may', async () => {
    const update = {
      object: { id: 'host-1', spec: { powerState: fulfillment.HostPowerState.ON } },
      updateMask: { paths: ['spec.power_state'] },
    };
    await expect(service.tenant('blue').client(fulfillment.Hosts).update(update)).rejects.toThrow(/fulfillment-tenants-write-hosts/);
    const { object } = await generous.tenant('blue').client(fulfillment.Hosts).update(update);
    expect(object?.spec?.powerState).toBe(fulfillment.HostPowerState.ON);
  });
});

describe('a synchronizer', () => {
  const bcm = () => service.as({ name: 'bcm-sync', role: 'sync', source: 'bcm' });

  it('speaks for its own source, and for no other', async () => {
    const hosts = [{ sourceId: 'node-1', name: 'from-bcm', rack: 'r7' }];
    const { hosts: applied } = await bcm().client(extras.HostSources).applyHosts({ source: 'bcm', hosts });
    expect(applied).toMatchObject([{ sourceId: 'node-1', outcome: extras.ApplyOutcome.CREATED }]);
    await expect(bcm().client(extras.HostSources).applyHosts({ source: 'netbox', hosts })).rejects.toMatchObject({
      code: 'permission_denied',
    });
    const refused = async () =>
      (await service.admin.client(extras.Audit).list({ filter: 'this.outcome == "permission_denied" && this.role == "sync"' })).entries;
    await expect
      .poll(async () => (await refused()).map(({ method }) => method))
      .toContain('/quartermaster.fulfillment.v1.HostSources/ApplyHosts');
  });

  it('touches no host of another source or of a person', async () => {
    const netbox = service.as({ name: 'netbox-sync', role: 'sync', source: 'netbox' });
    const [mine] = (await service.admin.client(privateApi.Hosts).list({ filter: 'this.metadata.name == "from-bcm"' })).items;
    for (const id of [mine?.id ?? '', 'host-1']) {
      const { hosts } = await netbox
        .client(extras.HostSources)
        .applyHosts({ source: 'netbox', hosts: [{ sourceId: 'x', id, rack: 'stolen' }] });
      expect(hosts).toMatchObject([{ outcome: extras.ApplyOutcome.CONFLICT }]);
      expect((await service.admin.client(privateApi.Hosts).get({ id })).object?.spec?.rack).not.toBe('stolen');
    }
    const { sources } = await netbox.client(extras.HostSources).list({});
    expect(sources.map(({ name }) => name)).not.toContain('bcm');
  });
});

describe('the audit log', () => {
  it('has what was done, and who was refused a write', async () => {
    await expect(
      service
        .as({ name: 'mallory', role: 'tenant', groups: ['red'] })
        .client(privateApi.Hubs)
        .delete({ id: 'x' }),
    ).rejects.toMatchObject({
      code: 'permission_denied',
    });
    const audit = service.admin.client(extras.Audit);
    const refused = async () =>
      (await audit.list({ filter: 'this.actor == "mallory"' })).entries.map(({ method, outcome: what }) => [method, what]);
    await expect.poll(refused).toEqual([['/private.v1.Hubs/Delete', 'permission_denied']]);
    const { entries } = await audit.list({ kind: 'clusters', objectId: 'cluster-1', filter: 'this.outcome != "revealed"' });
    expect(entries.map(({ actor, role, method, outcome: what }) => [actor, role, method, what])).toEqual([
      ['admin', 'admin', '/private.v1.Clusters/Update', 'updated'],
      ['admin', 'admin', '/quartermaster.fulfillment.v1.HostAssignments/ClaimHosts', 'updated'],
      ['user of blue', 'tenant', '/fulfillment.v1.Clusters/Create', 'created'],
    ]);
    expect(entries[0]?.changes.map(({ path, after }) => [path, after])).toEqual([
      ['status.kubeconfig', '"<redacted>"'],
      ['status.password', '"<redacted>"'],
    ]);
  });
});
