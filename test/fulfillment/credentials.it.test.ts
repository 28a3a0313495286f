import { create } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import * as pub from '@quartermaster/api/fulfillment';
import { ApplyOutcome, HostSources } from '@quartermaster/api/fulfillment-extras';
import * as priv from '@quartermaster/api/private';
import { startFulfillmentPostgres, startTestFulfillment, type TestFulfillment } from '@quartermaster/fulfillment/testing';
import { fieldViolationsOf } from '@quartermaster/kernel';
import { WriteBatch } from '@quartermaster/store';
import type { TestPostgres } from '@quartermaster/store/testing';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { kubeconfigOf } from './sample-secrets.ts';
import { watching } from './watching.ts';

let postgres: TestPostgres;
let service: TestFulfillment;

beforeAll(async () => {
  postgres = await startFulfillmentPostgres();
  service = await startTestFulfillment({ postgres, references: { directories: [], secrets: ['bmc/*', 'hubs/*'] } });
});

afterAll(async () => {
  await service.stop();
  await postgres.stop();
});

const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
const hosts = () => service.admin.client(priv.Hosts);
const hubs = () => service.admin.client(priv.Hubs);
const [old, moved] = ['redfish+https://10.0.0.1/redfish/v1/Systems/1', 'redfish+https://10.0.0.66/redfish/v1/Systems/1'];

async function sealedOf(id: string): Promise<number> {
  const [row] = await service.database.query<{ n: bigint }>({ text: 'select count(*) as n from secrets where object_id = $1' }, [id]);
  return Number(row?.n ?? 0);
}

async function rest(method: string, path: string, body?: object): Promise<unknown> {
  const token = await service.token({ name: 'root', role: 'admin' });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const answer = await fetch(`${service.restUrl}${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  expect(answer.status).toBe(200);
  return await answer.json();
}

describe('a changed address of a management controller', () => {
  const ways: readonly (readonly [string, (id: string) => Promise<unknown>])[] = [
    ['gRPC without a mask', (id) => hosts().update({ object: { id, spec: { bmc: { url: moved, user: 'u' } } } })],
    [
      'gRPC with the mark of the password sent back',
      (id) => hosts().update({ object: { id, spec: { bmc: { url: moved, user: 'u', password: '<redacted>' } } } }),
    ],
    [
      'a mask of the address',
      (id) => hosts().update({ object: { id, spec: { bmc: { url: moved } } }, updateMask: { paths: ['spec.bmc.url'] } }),
    ],
    [
      'a mask of the controller',
      (id) =>
        hosts().update({ object: { id, spec: { bmc: { url: moved, password: '<redacted>' } } }, updateMask: { paths: ['spec.bmc'] } }),
    ],
    ['REST', (id) => rest('PATCH', `/api/private/v1/hosts/${id}`, { spec: { bmc: { url: moved } } })],
    [
      'a source',
      (id) => service.admin.client(HostSources).applyHosts({ source: 'bcm', hosts: [{ sourceId: id, bmc: { url: moved, user: 'u' } }] }),
    ],
  ];

  it.each(ways)('takes the stored password away for good, by %s', async (way, change) => {
    const id = `moved-${ways.findIndex(([name]) => name === way)}`;
    const source = service.admin.client(HostSources);
    await source.applyHosts({ source: 'bcm', hosts: [{ sourceId: id, id, bmc: { url: old, user: 'u', password: 'canary-bmc' } }] });
    expect(await sealedOf(id)).toBe(1);
    await change(id);
    expect(await sealedOf(id)).toBe(0);
    const { object } = await hosts().get({ id });
    expect(object?.spec?.bmc).toMatchObject({ url: moved, password: '' });
    expect(object?.status?.conditions).toMatchObject([
      { type: 100, status: 1, reason: 'BmcAddressChanged', message: expect.stringContaining('Set spec.bmc.password') as string },
    ]);
    await hosts().signal({ id });
    await hosts().update({
      object: { id, status: { conditions: [{ type: 2, status: 1 }] } },
      updateMask: { paths: ['status.conditions'] },
    });
    expect((await hosts().get({ id })).object?.status?.conditions.map(({ type }) => type)).toEqual([2, 100]);
    await hosts().update({ object: { id, spec: { bmc: { password: 'canary-new' } } }, updateMask: { paths: ['spec.bmc.password'] } });
    const again = (await hosts().get({ id })).object;
    expect(again?.status?.conditions.map(({ type }) => type)).toEqual([2]);
    expect(await sealedOf(id)).toBe(1);
  });

  it.each(ways)('takes a stored reference away, by %s', async (way, change) => {
    const id = `referring-${ways.findIndex(([name]) => name === way)}`;
    const passwordRef = { source: { case: 'kubernetesSecret', value: { namespace: 'bmc', name: 'h', key: 'k' } } } as const;
    const source = service.admin.client(HostSources);
    await source.applyHosts({ source: 'bcm', hosts: [{ sourceId: id, id, bmc: { url: old, user: 'u', passwordRef } }] });
    await change(id);
    const { object } = await hosts().get({ id });
    expect(object?.spec?.bmc).toMatchObject({ url: moved, password: '' });
    expect(object?.spec?.bmc?.passwordRef).toBeUndefined();
    expect(object?.status?.conditions).toMatchObject([{ reason: 'BmcAddressChanged' }]);
    const paths = ['spec.bmc.url', 'spec.bmc.password_ref'];
    await hosts().update({ object: { id, spec: { bmc: { passwordRef } } }, updateMask: { paths: ['spec.bmc.password_ref'] } });
    await hosts().update({ object: { id, spec: { bmc: { url: old, passwordRef } } }, updateMask: { paths } });
    await source.applyHosts({ source: 'bcm', hosts: [{ sourceId: id, bmc: { url: moved, user: 'u', passwordRef } }] });
    const again = (await hosts().get({ id })).object;
    expect(again?.spec?.bmc?.passwordRef).toBeDefined();
    expect(again?.status?.conditions).toEqual([]);
  });

  it('keeps a password that comes with it, also from a source that sends it each time', async () => {
    const source = service.admin.client(HostSources);
    const apply = (url: string) =>
      source.applyHosts({ source: 'bcm', hosts: [{ sourceId: 'sent', id: 'sent', bmc: { url, user: 'u', password: 'canary-sent' } }] });
    await apply(old);
    await apply(moved);
    expect(await sealedOf('sent')).toBe(1);
    expect((await hosts().get({ id: 'sent' })).object?.status?.conditions).toEqual([]);
  });
});

describe('a reference', () => {
  const allowed = { source: { case: 'kubernetesSecret', value: { namespace: 'bmc', name: 'h', key: 'k' } } } as const;
  const foreign = { source: { case: 'kubernetesSecret', value: { namespace: 'kube-system', name: 'h', key: 'k' } } } as const;

  it('is refused by every way to write it when the settings do not allow it', async () => {
    await hosts().create({ object: { id: 'refers', spec: { bmc: { url: old, passwordRef: allowed } } } });
    const fields = async (call: Promise<unknown>) =>
      fieldViolationsOf(await call.catch((thrown: unknown) => thrown)).map(({ field }) => field);
    const spec = { bmc: { url: old, passwordRef: foreign } };
    const refused = ['spec.bmc.password_ref.kubernetes_secret.name'];
    expect(await fields(hosts().create({ object: { spec } }))).toEqual(refused);
    expect(await fields(hosts().update({ object: { id: 'refers', spec } }))).toEqual(refused);
    expect(await fields(hosts().update({ object: { id: 'refers', spec }, updateMask: { paths: ['spec.bmc.password_ref'] } }))).toEqual(
      refused,
    );
    expect(await fields(hubs().create({ object: { kubeconfigRef: foreign, pullSecretRef: foreign } }))).toEqual([
      'kubeconfig_ref.kubernetes_secret.name',
      'pull_secret_ref.kubernetes_secret.name',
    ]);
    const { hosts: applied } = await service.admin
      .client(HostSources)
      .applyHosts({ source: 'bcm', hosts: [{ sourceId: 'refers-too', bmc: { url: old, passwordRef: foreign } }] });
    expect(applied[0]?.violations.map(({ field }) => field)).toEqual(refused);
  });

  it('that the settings do not allow any more is handed out to nobody, and is there again when they do', async () => {
    await hosts().create({ object: { id: 'withheld', spec: { bmc: { url: old, passwordRef: allowed } } } });
    await hubs().create({
      object: {
        id: 'withheld',
        kubeconfigRef: { source: { case: 'kubernetesSecret', value: { namespace: 'hubs', name: 'h', key: 'k' } } },
      },
    });
    const events = await watching((signal) =>
      service.admin.client(priv.Events).watch({ bookmarks: true, filter: 'has(event.host) && event.host.id == "withheld"' }, { signal }),
    );
    await service.fulfillment.updateReferences({ directories: [], secrets: [] });
    onTestFinished(async () => await service.fulfillment.updateReferences({ directories: [], secrets: ['bmc/*', 'hubs/*'] }));
    const condition = { type: 100, status: 1, reason: 'ReferenceNotAllowed' };
    const seen = [
      (await hosts().get({ id: 'withheld' })).object,
      (await hosts().list({ filter: 'this.id == "withheld"' })).items[0],
      (await hosts().update({ object: { id: 'withheld', spec: { rack: 'r1' } }, updateMask: { paths: ['spec.rack'] } })).object,
      (await events.next()).event.payload.value as priv.Host,
    ];
    for (const object of seen) {
      expect(object?.spec?.bmc?.passwordRef).toBeUndefined();
      expect(object?.status?.conditions).toMatchObject([condition]);
    }
    const problem =
      /^stored references that the settings do not allow, .*: \d+ \(hosts\/.*\); list what they name in fulfillment-reference-directories or /;
    expect(service.fulfillment.referencesHealth()).toEqual({ state: 'degraded', reason: expect.stringMatching(problem) });
    const { databaseUrl, keys, directory } = service;
    const upgraded = await startTestFulfillment({ databaseUrl, keys, directory, references: { directories: [], secrets: ['bmc/*'] } });
    onTestFinished(() => upgraded.stop());
    expect(upgraded.fulfillment.referencesHealth()).toMatchObject({
      reason: expect.stringMatching(/: 1 \(hubs\/withheld\); list /),
    });
    await upgraded.fulfillment.updateReferences({ directories: [], secrets: ['bmc/*', 'hubs/*'] });
    expect(upgraded.fulfillment.referencesHealth()).toEqual({ state: 'ok' });
    const hub = (await hubs().get({ id: 'withheld' })).object;
    expect(hub?.kubeconfigRef).toBeUndefined();
    expect(hub?.status?.conditions).toMatchObject([{ type: 1, reason: 'ReferenceNotAllowed' }]);
    // What a client read is written back: what it was not shown stays, and the condition is not stored.
    if (seen[0] !== undefined) await hosts().update({ object: seen[0] });
    await service.fulfillment.updateReferences({ directories: [], secrets: ['bmc/*', 'hubs/*'] });
    const after = (await hosts().get({ id: 'withheld' })).object;
    expect(after?.spec?.bmc?.passwordRef).toMatchObject(allowed);
    expect(after?.status?.conditions).toEqual([]);
  });
});

describe('where secrets are sent', () => {
  const kubeconfig = bytes(kubeconfigOf('canary-hub'));
  const elsewhere = bytes(kubeconfigOf('canary-hub').replace(/https:..[^"'} ]+/, 'https://attacker.example'));
  const spec = { template: 'sited', nodeSets: { workers: { hostClass: 'sited', size: 1 } } };
  const refused = { code: 'permission_denied' };

  it('is said by an administrator, and not by a provider', async () => {
    await hubs().create({ object: { id: 'guarded', namespace: 'n', kubeconfig, pullSecret: '{"auths":{}}' } });
    const provided = service.provider.client(priv.Hubs);
    await expect(provided.create({ object: { id: 'own', kubeconfig: elsewhere } })).rejects.toMatchObject(refused);
    await expect(provided.update({ object: { id: 'guarded', namespace: 'other' } })).rejects.toThrow('written by administrators');
    const controller = service.as({ name: 'c', role: 'controller' }).client(priv.Hubs);
    const repointed = { object: { id: 'guarded', kubeconfig: elsewhere } };
    await expect(controller.update(repointed)).rejects.toThrow('field "kubeconfig"');
    await expect(controller.update({ ...repointed, updateMask: { paths: ['kubeconfig'] } })).rejects.toMatchObject(refused);
    // As the released ones do: all that was read, secrets too, with a finalizer.
    const read = (await controller.get({ id: 'guarded' })).object ?? create(priv.HubSchema);
    await controller.update({ object: { ...read, metadata: create(priv.MetadataSchema, { finalizers: ['c'] }) } });
    expect((await hubs().get({ id: 'guarded' })).object?.metadata?.finalizers).toEqual(['c']);
    await hubs().update({ object: { id: 'guarded', kubeconfig: elsewhere }, updateMask: { paths: ['kubeconfig'] } });
    const after = (await hubs().get({ id: 'guarded' })).object;
    expect(after?.pullSecret).toBe('');
    expect(after?.status?.conditions).toMatchObject([{ reason: 'HubServerChanged' }]);
  });

  it('is said by no provider through the hub of a host, cluster or host pool', async () => {
    await hubs().create({ object: { id: 'first', namespace: 'n' } });
    await hubs().create({ object: { id: 'second', namespace: 'n' } });
    await service.admin.client(priv.HostClasses).create({ object: { id: 'sited' } });
    await service.admin
      .client(priv.ClusterTemplates)
      .create({ object: { id: 'sited', nodeSets: { workers: { hostClass: 'sited', size: 1 } } } });
    const controller = service.as({ name: 'c', role: 'controller' });
    const { provider } = service;
    const [status, other] = [{ hub: 'first' }, { hub: 'second' }];
    const paths = ['status.hub'];
    await expect(provider.client(priv.Hosts).create({ object: { id: 'own', status } })).rejects.toThrow('field "status.hub"');
    await expect(provider.client(priv.HostPools).create({ object: { id: 'own', status } })).rejects.toMatchObject(refused);
    await expect(provider.client(priv.Clusters).create({ object: { id: 'own', spec, status } })).rejects.toMatchObject(refused);
    await controller.client(priv.Hosts).create({ object: { id: 'sited', status } });
    await controller.client(priv.HostPools).create({ object: { id: 'sited', status } });
    await controller.client(priv.Clusters).create({ object: { id: 'sited', spec, status } });
    const change = { object: { id: 'sited', status: other }, updateMask: { paths } };
    await expect(provider.client(priv.Hosts).update(change)).rejects.toMatchObject(refused);
    await expect(provider.client(priv.HostPools).update(change)).rejects.toMatchObject(refused);
    await expect(provider.client(priv.Clusters).update(change)).rejects.toMatchObject(refused);
    await provider.client(priv.Hosts).update({ object: { id: 'sited', metadata: { name: 'renamed' } } });
    await provider.client(priv.HostPools).update({ object: { id: 'sited', metadata: { name: 'renamed' } } });
    await provider.client(priv.Clusters).update({ object: { id: 'sited', spec, metadata: { name: 'renamed' } } });
    for (const client of [service.admin.client(priv.Hosts), service.admin.client(priv.HostPools), service.admin.client(priv.Clusters)])
      expect((await client.get({ id: 'sited' })).object).toMatchObject({ metadata: { name: 'renamed' }, status });
  });
});

describe('a kubeconfig of a hub', () => {
  const running = kubeconfigOf('canary-hub').replace('user: {token: canary-hub}', 'user: {exec: {command: sh}}');

  it('that runs a program is refused with the field, the rule and the way out', async () => {
    const thrown = await hubs()
      .create({ object: { kubeconfig: bytes(running) } })
      .catch((error: unknown) => error);
    expect(fieldViolationsOf(thrown)).toEqual([
      { field: 'kubeconfig', description: 'must not have "users.0.user.exec": it runs a program; use a token or a client certificate' },
    ]);
  });

  it('that an earlier release stored is handed out to nobody, and every read says so until another one is stored', async () => {
    const { kinds } = service.fulfillment;
    const metadata = { creationTimestamp: timestampFromMs(1), tenants: ['shared'] };
    for (const [id, text] of Object.entries({ early: running, fine: kubeconfigOf('canary-fine') })) {
      await service.database.transaction([], async (tx) => {
        const batch = new WriteBatch();
        kinds.hubs.store.create(batch, create(priv.HubSchema, { id, metadata, kubeconfig: bytes(text) }));
        await batch.flush(tx);
      });
    }
    const condition = { type: 1, status: 1, reason: 'KubeconfigRefused', message: expect.stringContaining('users.0.user.exec') as string };
    const before = (await hubs().get({ id: 'early', reveal: true })).object;
    expect([before?.kubeconfig.length, before?.status?.conditions]).toMatchObject([0, [condition]]);

    const { databaseUrl, keys, directory } = service;
    const replica = await startTestFulfillment({ databaseUrl, keys, directory });
    onTestFinished(() => replica.stop());
    const other = replica.admin.client(priv.Hubs);
    const { items } = await other.list({ filter: 'this.status.conditions.exists(c, c.reason == "KubeconfigRefused")' });
    expect(items.map(({ id }) => id)).toEqual(['early']);
    expect(items[0]?.status?.conditions).toMatchObject([condition]);
    expect((await other.get({ id: 'early', reveal: true })).object?.kubeconfig).toHaveLength(0);
    const controller = replica.as({ name: 'hub-controller', role: 'controller' }).client(priv.Hubs);
    expect((await controller.get({ id: 'early' })).object?.kubeconfig).toHaveLength(0);
    expect(Buffer.from((await controller.get({ id: 'fine' })).object?.kubeconfig ?? []).toString()).toContain('canary-fine');
    expect(Buffer.from((await other.get({ id: 'fine', reveal: true })).object?.kubeconfig ?? []).toString()).toContain('canary-fine');

    await other.update({ object: { id: 'early', namespace: 'x' }, updateMask: { paths: ['namespace'] } });
    expect((await other.list({ filter: 'this.id == "early"' })).items[0]?.status?.conditions).toHaveLength(1);
    await other.update({ object: { id: 'early', kubeconfig: bytes(kubeconfigOf('canary-good')) }, updateMask: { paths: ['kubeconfig'] } });
    const after = (await other.get({ id: 'early', reveal: true })).object;
    expect(after?.status).toBeUndefined();
    expect(Buffer.from(after?.kubeconfig ?? []).toString()).toContain('canary-good');
  });
});

describe('a kubeconfig of a cluster', () => {
  it('keeps the rules of one of a hub, also when an earlier release stored it', async () => {
    const running = kubeconfigOf('canary-cluster').replace('user: {token: canary-cluster}', 'user: {exec: {command: sh}}');
    const clusters = service.admin.client(priv.Clusters);
    const { kinds } = service.fulfillment;
    const metadata = { creationTimestamp: timestampFromMs(1), tenants: ['acme'] };
    await service.database.transaction([], async (tx) => {
      const batch = new WriteBatch();
      const spec = { template: 't', nodeSets: { workers: { hostClass: 'c', size: 1 } } };
      const init = { id: 'early', metadata, spec, status: { kubeconfig: bytes(running), password: 'canary-password' } };
      kinds.clusters.store.create(batch, create(priv.ClusterSchema, init));
      await batch.flush(tx);
    });
    const put = (text: string) =>
      clusters.update({ object: { id: 'early', status: { kubeconfig: bytes(text) } }, updateMask: { paths: ['status.kubeconfig'] } });
    await expect(put(running)).rejects.toThrow('field "status.kubeconfig": must not have "users.0.user.exec"');
    const revealed = (await clusters.get({ id: 'early', reveal: true })).object?.status;
    expect([revealed?.kubeconfig.length, revealed?.password]).toEqual([0, 'canary-password']);
    const own = service.tenant('acme').client(pub.Clusters);
    await expect(own.getKubeconfig({ id: 'early' })).rejects.toMatchObject({ code: 'failed_precondition' });
    expect(await own.getPassword({ id: 'early' })).toMatchObject({ password: 'canary-password' });
    await put(kubeconfigOf('canary-good'));
    expect((await own.getKubeconfig({ id: 'early' })).kubeconfig).toContain('canary-good');
  });
});

describe('an object of a kind with secrets', () => {
  const update = (tenants: string[]) => ({ object: { id: 'given', metadata: { tenants } }, updateMask: { paths: ['metadata.tenants'] } });

  it('is given to no tenant by whoever may not open them, and may be taken from one', async () => {
    const admin = service.admin.client(priv.Clusters);
    const provider = service.provider.client(priv.Clusters);
    await service.admin.client(priv.HostClasses).create({ object: { id: 'given' } });
    const nodeSets = { workers: { hostClass: 'given', size: 1 } };
    await service.admin.client(priv.ClusterTemplates).create({ object: { id: 'given', nodeSets } });
    const metadata = { tenants: ['acme', 'globex'] };
    await admin.create({ object: { id: 'given', metadata, spec: { template: 'given' } } });
    const given = provider.update(update(['acme', 'globex', 'initech']));
    await expect(given).rejects.toMatchObject({ code: 'permission_denied' });
    await admin.update({ object: { id: 'given', status: { password: 'canary-given' } }, updateMask: { paths: ['status.password'] } });
    await provider.update({ object: { id: 'given', status: {} }, updateMask: { paths: ['status.password', 'status.kubeconfig'] } });
    await expect(provider.update(update(['acme', 'globex', 'mallory']))).rejects.toMatchObject({
      code: 'permission_denied',
      message: expect.stringMatching(/field "metadata.tenants".*ask an administrator/) as string,
    });
    await expect(provider.update(update(['mallory']))).rejects.toMatchObject({ code: 'permission_denied' });
    expect((await provider.update(update(['acme']))).object?.metadata?.tenants).toEqual(['acme']);
    expect((await admin.update(update(['acme', 'globex']))).object?.metadata?.tenants).toEqual(['acme', 'globex']);
    const template = { object: { id: 'given', metadata: { tenants: ['acme'] } }, updateMask: { paths: ['metadata.tenants'] } };
    await service.provider.client(priv.ClusterTemplates).update(template);
  });
});

describe('a guessed secret', () => {
  const bmc = (password: string) => ({ url: old, user: 'u', password });

  it('is not told from a wrong one to whoever may not read it', async () => {
    const source = service.admin.client(HostSources);
    await source.applyHosts({ source: 'bcm', hosts: [{ sourceId: 'guess', id: 'guess', bmc: bmc('canary-right') }] });
    const updateMask = { paths: ['spec.bmc.password'] };
    const versionAfter = async (channel: typeof service.admin, password: string) => {
      const object = { id: 'guess', spec: { bmc: { password } } };
      return (await channel.client(priv.Hosts).update({ object, updateMask, dryRun: true })).object?.metadata?.version;
    };
    expect([await versionAfter(service.provider, 'canary-right'), await versionAfter(service.provider, 'wrong')]).toEqual([1n, 1n]);
    expect([await versionAfter(service.admin, 'canary-right'), await versionAfter(service.admin, 'wrong')]).toEqual([0n, 1n]);
    const sync = service.as({ name: 'sync-bcm', role: 'sync', source: 'bcm' });
    const applied = async (channel: typeof service.admin, password: string, dryRun: boolean) => {
      const facts = [{ sourceId: 'guess', bmc: bmc(password) }];
      const [answer] = (await channel.client(HostSources).applyHosts({ source: 'bcm', hosts: facts, dryRun })).hosts;
      return [answer?.outcome, answer?.changed];
    };
    for (const channel of [sync, service.provider])
      expect(await applied(channel, 'canary-right', true)).toEqual(await applied(channel, 'wrong', true));
    expect(await applied(sync, 'canary-right', false)).toEqual([ApplyOutcome.UNCHANGED, []]);
  });
});
