import { clone, create } from '@bufbuild/protobuf';
import * as extras from '@quartermaster/api/fulfillment-extras';
import * as priv from '@quartermaster/api/private';
import { provisionable, startTestFulfillment, type TestFulfillment } from '@quartermaster/fulfillment/testing';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openPublishedClient } from './published-client.ts';
import { publishedTypes } from './published-wire.ts';
import { login, part, type ReleasedCli } from './released-cli.ts';
import { kubeconfigOf } from './sample-secrets.ts';

let service: TestFulfillment;
let cli: ReleasedCli;
let tenant: ReleasedCli;

beforeAll(async () => {
  service = await startTestFulfillment();
  const enter = async (token: string, isPrivate: boolean) => (await login(service.grpcAddress, { token, isPrivate })).cli;
  cli = await enter(await service.token({ name: 'root', role: 'admin' }), true);
  tenant = await enter(await service.token({ name: 'ann', role: 'tenant', groups: ['acme'] }), false);
  await cli.create(
    { '@type': 'type.googleapis.com/private.v1.HostClass', id: 'gpu', metadata: { name: 'gpu-large' }, title: 'GPU' },
    { '@type': 'type.googleapis.com/private.v1.ClusterTemplate', id: 'small', node_sets: { workers: { host_class: 'gpu', size: 2 } } },
  );
});

afterAll(async () => {
  cli.close();
  tenant.close();
  await service.stop();
});

/** A valid object of each type, of nothing but what the command line knows. */
const samples: Readonly<Record<string, object>> = {
  Host: { spec: { power_state: 'HOST_POWER_STATE_OFF' } },
  HostClass: { title: 'A class', description: 'of hosts' },
  HostPool: { spec: { host_sets: { a: { host_class: 'gpu', size: 1 } } } },
  Cluster: { spec: { template: 'small' } },
  ClusterTemplate: { title: 'A template', node_sets: { workers: { host_class: 'gpu', size: 1 } } },
  Hub: { namespace: 'hub', kubeconfig: Buffer.from(kubeconfigOf('released')).toString('base64') },
};

describe('a login', () => {
  it('asks without a token who issues them, and needs one for everything else', async () => {
    const { cli: nobody, issuers } = await login(service.grpcAddress, {});
    expect(issuers).toEqual([]);
    await expect(nobody.get('fulfillment.v1.Cluster')).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    nobody.close();
  });

  it('is told the issuers of the settings, the first one first', async () => {
    const issuers = ['https://issuer.example/realms/one', 'https://issuer.example/realms/two'];
    const { databaseUrl, keys, directory } = service;
    const other = await startTestFulfillment({ databaseUrl, keys, directory, access: { 'fulfillment-issuers': issuers } });
    onTestFinished(() => other.stop());
    const entered = await login(other.grpcAddress, { token: await service.token({ name: 'root', role: 'admin' }) });
    expect(entered.issuers).toEqual(issuers);
    expect(await entered.cli.get('fulfillment.v1.HostClass', 'gpu')).toHaveLength(1);
    entered.cli.close();
  });

  it('finds all types that the minimum service set names', () => {
    const names = (of: ReleasedCli) => of.types.map(({ service: name }) => name).toSorted();
    const open = ['ClusterTemplates', 'Clusters', 'HostClasses', 'HostPools', 'Hosts'].map((name) => `fulfillment.v1.${name}`);
    expect(names(tenant)).toEqual(open);
    expect(names(cli)).toEqual([
      ...open,
      ...['ClusterTemplates', 'Clusters', 'HostClasses', 'HostPools', 'Hosts', 'Hubs'].map((name) => `private.v1.${name}`),
    ]);
  });
});

describe('objects of every type', () => {
  it('are created from files, got by id and name, edited and deleted', async () => {
    for (const { message } of cli.types) {
      const sample = samples[message.slice(message.lastIndexOf('.') + 1)] ?? {};
      const name = message.toLowerCase().replaceAll('.', '-');
      const [made = {}] = await cli.create({ '@type': `type.googleapis.com/${message}`, metadata: { name }, ...sample });
      const id = String(made['id']);
      expect(part(made['metadata']), `of ${message}`).toMatchObject({ name, creators: ['root'] });
      for (const key of [id, name]) expect(await cli.get(message, key, 'nobody'), `of ${message}`).toMatchObject([{ id }]);
      expect((await cli.get(message)).map((each) => each['id'])).toContain(id);
      const edited = await cli.edit(message, name, (object) => ({
        ...object,
        metadata: { ...part(object['metadata']), name: `${name}-2` },
      }));
      expect(edited, `of ${message}`).toEqual({ ...edited, metadata: { ...part(edited['metadata']), name: `${name}-2` } });
      // Everything but the name is as it was.
      expect({ ...edited, metadata: {} }, `of ${message}`).toEqual({ ...made, metadata: {} });
      await cli.delete(message, `${name}-2`);
      expect(await cli.get(message, id), `of ${message}`).toEqual([]);
    }
  });

  it('with finalizers are no longer shown once they are deleted', async () => {
    await cli.create({ '@type': 'type.googleapis.com/private.v1.HostClass', id: 'held', metadata: { finalizers: ['a'] } });
    await cli.delete('private.v1.HostClass', 'held');
    expect(await cli.get('private.v1.HostClass', 'held')).toEqual([]);
    const { object } = await cli.call('private.v1.HostClasses', 'Get', { id: 'held' });
    expect(part(part(object)['metadata'])['deletion_timestamp']).toMatch(/^20/);
  });

  it('are found by keys that a filter must quote', async () => {
    for (const key of ['a"b', 'a\\b', "a'b", 'ä\u{1f600}', '%_', '"] || true || this.id in ["']) {
      expect(await cli.get('private.v1.Host', key)).toEqual([]);
      const id = key.replaceAll(/[ %]/g, '-');
      await cli.create({ '@type': 'type.googleapis.com/private.v1.Host', id });
      expect(await cli.get('private.v1.Host', id)).toMatchObject([{ id }]);
    }
  });

  it('come and are counted under the published numbers', async () => {
    const all = openPublishedClient(service.grpcAddress, publishedTypes(), await service.token({ name: 'root', role: 'admin' }));
    onTestFinished(() => all.close());
    for (const { service: name } of cli.types) {
      const { size, total, items } = await all.call(name, 'List', { limit: 1 });
      expect([name, size]).toEqual([name, Array.isArray(items) ? items.length : 0]);
      expect(total, `of ${name}`).toBeGreaterThanOrEqual(Number(size));
    }
    const { object } = await all.call('private.v1.ClusterTemplates', 'Get', { id: 'small' });
    expect(part(object)).toMatchObject({ id: 'small', node_sets: { workers: { host_class: 'gpu', size: 2 } } });
  });
});

describe('an edit by the released command line', () => {
  it('keeps every field of a host that it does not know, and the password', async () => {
    const hosts = service.admin.client(priv.Hosts);
    const { object: made } = await hosts.create({
      object: {
        id: 'kept',
        metadata: { labels: { zone: 'a' }, annotations: { note: 'x' } },
        spec: {
          powerState: priv.HostPowerState.OFF,
          bmc: { url: 'redfish+https://10.0.0.1/redfish/v1/Systems/1', user: 'root', password: 'pass-1', insecure: true },
          rack: 'r1',
          class: 'gpu',
          bootMac: '00:00:5e:00:53:01',
          bootIp: '192.0.2.1',
          title: 'T',
          description: 'D',
          bcmLink: 'https://bcm/x',
          serial: 'S1',
          systemUuid: '4c4c4544-0000-1000-8000-000000000001',
          nics: [{ mac: '00:00:5e:00:53:01', name: 'eth0', speedMbps: 25_000n }],
          rackUnit: 3,
          rackHeight: 2,
          link: 'https://netbox/x',
        },
      },
    });
    await service.admin.client(priv.Hubs).create({ object: { id: 'hub-of-host', namespace: 'n' } });
    const put = { object: { id: 'kept', status: { hub: 'hub-of-host' } }, updateMask: { paths: ['status.hub'] } };
    await hosts.update(put);
    const cluster = await service.admin.client(priv.Clusters).create({ object: { spec: { template: 'small' } } });
    await service.admin.client(extras.HostAssignments).claimHosts({ cluster: cluster.object?.id ?? '', nodeSet: 'workers', count: 1 });
    const { object: before } = await hosts.get({ id: 'kept', reveal: true });
    await cli.edit('private.v1.Host', 'kept', (object) => ({ ...object, spec: { power_state: 'HOST_POWER_STATE_ON' } }));
    const { object: after } = await hosts.get({ id: 'kept', reveal: true });
    expect(made?.metadata?.version).toBe(0n);
    expect(after?.metadata?.version).toBe((before?.metadata?.version ?? 0n) + 1n);
    const rest = (host: priv.Host | undefined): priv.Host => {
      const copy = clone(priv.HostSchema, host ?? create(priv.HostSchema));
      if (copy.metadata !== undefined) copy.metadata.version = 0n;
      if (copy.spec !== undefined) copy.spec.powerState = priv.HostPowerState.UNSPECIFIED;
      return copy;
    };
    expect(rest(after)).toEqual(rest(before));
    expect(after?.spec).toMatchObject({ powerState: priv.HostPowerState.ON, bmc: { password: 'pass-1', user: 'root' } });
    expect(after?.status).toMatchObject({ cluster: cluster.object?.id, hub: 'hub-of-host' });
  });

  it('keeps the secrets and the later fields of a hub', async () => {
    const hubs = service.admin.client(priv.Hubs);
    await hubs.create({
      object: {
        id: 'hub',
        namespace: 'first',
        kubeconfig: new TextEncoder().encode(kubeconfigOf('hub-token')),
        pullSecret: '{"auths":{"registry":{"auth":"eDp5"}}}',
        sshPublicKey: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIFx9N8h0S7d2m1wCz4fEGL8m1yAt6cJ3v6S0a1bX2cD',
        ip: '192.0.2.7',
      },
    });
    await cli.edit('private.v1.Hub', 'hub', (object) => ({ ...object, namespace: 'second' }));
    const { object } = await hubs.get({ id: 'hub', reveal: true });
    expect(object).toMatchObject({ namespace: 'second', pullSecret: '{"auths":{"registry":{"auth":"eDp5"}}}', ip: '192.0.2.7' });
    expect(object?.sshPublicKey).toMatch(/^ssh-ed25519 /);
    expect(new TextDecoder().decode(object?.kubeconfig)).toContain('hub-token');
  });

  it('keeps alias, port, hosts and credentials of a cluster, as provider and as tenant', async () => {
    const clusters = service.admin.client(priv.Clusters);
    const [made = {}] = await tenant.create({
      '@type': 'type.googleapis.com/fulfillment.v1.Cluster',
      metadata: { name: 'mine' },
      spec: { template: 'small' },
    });
    const id = String(made['id']);
    await service.admin.client(priv.Hosts).create({ object: { id: 'for-mine', spec: { class: 'gpu', ...provisionable() } } });
    const { claimed } = await service.admin.client(extras.HostAssignments).claimHosts({ cluster: id, nodeSet: 'workers', count: 1 });
    expect(claimed).toEqual(['for-mine']);
    await clusters.update({
      object: {
        id,
        metadata: { finalizers: ['controller'] },
        status: { alias: 'mine', port: 30_100, password: 'pass-2', kubeconfig: new TextEncoder().encode(kubeconfigOf('mine')) },
      },
      updateMask: { paths: ['metadata.finalizers', 'status.alias', 'status.port', 'status.password', 'status.kubeconfig'] },
    });
    const sized = (size: number) => (object: object) => ({ ...object, spec: { template: 'small', node_sets: { workers: { size } } } });
    expect(await tenant.edit('fulfillment.v1.Cluster', 'mine', sized(5))).toMatchObject({
      spec: { node_sets: { workers: { host_class: 'gpu', size: 5 } } },
    });
    await cli.edit('private.v1.Cluster', id, (object) => ({ ...object, metadata: { ...part(object['metadata']), name: 'ours' } }));
    const { object } = await clusters.get({ id, reveal: true });
    expect(object).toMatchObject({
      metadata: { name: 'ours', finalizers: ['controller'], tenants: ['acme'] },
      spec: { nodeSets: { workers: { size: 5 } } },
      status: { alias: 'mine', port: 30_100, password: 'pass-2', nodeSets: { workers: { hosts: ['for-mine'] } } },
    });
    const { kubeconfig } = await tenant.call('fulfillment.v1.Clusters', 'GetKubeconfig', { id });
    expect(kubeconfig).toBe(kubeconfigOf('mine'));
    expect(await tenant.call('fulfillment.v1.Clusters', 'GetPassword', { id })).toEqual({ password: 'pass-2' });
  });
});

describe('a released controller', () => {
  it('reads secrets by its role, since it cannot ask to reveal them, and an administrator does not', async () => {
    const kubeconfig = Buffer.from(kubeconfigOf('of-the-controller')).toString('base64');
    await cli.create({ '@type': 'type.googleapis.com/private.v1.Hub', id: 'read-by-controller', namespace: 'n', kubeconfig });
    const read = async (role: string): Promise<unknown> => {
      const client = openPublishedClient(service.grpcAddress, publishedTypes(), await service.token({ name: 'released', role }));
      onTestFinished(() => client.close());
      return part((await client.call('private.v1.Hubs', 'Get', { id: 'read-by-controller' }))['object'])['kubeconfig'];
    };
    expect(await read('controller')).toBe(kubeconfig);
    expect(await read('admin')).toBe(Buffer.from('<redacted>').toString('base64'));
    const { entries } = await service.admin
      .client(extras.Audit)
      .list({ kind: 'hubs', objectId: 'read-by-controller', filter: 'this.outcome == "revealed"' });
    expect(entries.map(({ actor, role }) => [actor, role])).toEqual([['released', 'controller']]);
  });
});

describe('a watch of the released command line', () => {
  it('tells a tenant of its clusters, and sends no answer without one: the command line would warn of it', async () => {
    const ending = new AbortController();
    onTestFinished(() => ending.abort());
    const events = tenant.watch('fulfillment.v1.Cluster', ['watched'], ending.signal);
    const first = events.next();
    // The watch has begun when it tells of something; what it tells of is made until then.
    let made: readonly object[] = [];
    let isTold = false;
    void first.then(() => {
      isTold = true;
    });
    for (let round = 0; !isTold; round += 1) {
      await tenant.create({
        '@type': 'type.googleapis.com/fulfillment.v1.Cluster',
        metadata: { name: 'other' },
        spec: { template: 'small' },
      });
      made = await tenant.create({
        '@type': 'type.googleapis.com/fulfillment.v1.Cluster',
        metadata: { name: 'watched' },
        spec: { template: 'small' },
      });
      await service.admin.client(priv.HostClasses).create({ object: { id: `noise-${round}` } });
    }
    expect(made).toHaveLength(1);
    const { value } = await first;
    expect(value).toMatchObject(['EVENT_TYPE_OBJECT_CREATED', { metadata: { name: 'watched' }, spec: { template: 'small' } }]);
    const id = String(part(value?.[1])['id']);
    await tenant.call('fulfillment.v1.Clusters', 'Delete', { id });
    for (;;) {
      const next = await events.next();
      if (part(next.value?.[1])['id'] !== id) continue;
      expect(next.value?.[0]).toBe('EVENT_TYPE_OBJECT_DELETED');
      break;
    }
  });

  it('says what is wrong with a filter', async () => {
    const { signal } = new AbortController();
    const events = tenant.watch('fulfillment.v1.Host', [], signal);
    await expect(events.next()).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', message: expect.stringContaining('filter') });
  });
});
