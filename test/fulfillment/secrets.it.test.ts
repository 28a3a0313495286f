import type { MessageInitShape } from '@bufbuild/protobuf';
import * as pub from '@quartermaster/api/fulfillment';
import { Audit, SecretKeys } from '@quartermaster/api/fulfillment-extras';
import * as priv from '@quartermaster/api/private';
import { startTestFulfillment, type TestFulfillment } from '@quartermaster/fulfillment/testing';
import { fieldViolationsOf } from '@quartermaster/kernel';
import { KeyRing } from '@quartermaster/store';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { kubeconfigOf } from './sample-secrets.ts';

let service: TestFulfillment;
const logged: string[] = [];
const log = (message: string, fields?: object): void =>
  void logged.push(message, JSON.stringify(fields, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value)) ?? '');

beforeAll(async () => {
  service = await startTestFulfillment({
    log: { debug: log, info: log, warn: log, error: log },
    references: { directories: ['/run/secrets'], secrets: ['bmc/*'] },
  });
  await service.admin.client(priv.HostClasses).create({ object: { id: 'c' } });
  await service.admin.client(priv.ClusterTemplates).create({ object: { id: 't', nodeSets: { workers: { hostClass: 'c', size: 1 } } } });
});

afterAll(async () => {
  await service.stop();
});

const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
describe('the password of a host', () => {
  it('is shown by a Get that asks to reveal it, to those who may open it and to nobody else', async () => {
    const hosts = service.admin.client(priv.Hosts);
    const { object: made } = await hosts.create({ object: { id: 'shown', spec: { bmc: { user: 'u', password: 'canary-shown' } } } });
    expect(made?.spec?.bmc?.password).toBe('<redacted>');
    expect((await hosts.get({ id: 'shown' })).object?.spec?.bmc?.password).toBe('<redacted>');
    expect((await hosts.get({ id: 'shown', reveal: true })).object?.spec?.bmc?.password).toBe('canary-shown');
    expect((await service.provider.client(priv.Hosts).get({ id: 'shown' })).object?.spec?.bmc?.password).toBe('<redacted>');
    expect((await hosts.list({ filter: 'this.id == "shown"' })).items[0]?.spec?.bmc?.password).toBe('<redacted>');
  });

  it('stays when it is absent or redacted in an update, and goes when a mask says so', async () => {
    const hosts = service.admin.client(priv.Hosts);
    await hosts.create({ object: { id: 'kept', spec: { bmc: { user: 'u', password: 'canary-kept' } } } });
    const password = async () => (await hosts.get({ id: 'kept', reveal: true })).object?.spec?.bmc?.password;
    await hosts.update({ object: { id: 'kept', spec: { rack: 'r', bmc: { user: 'v' } } } });
    expect(await password()).toBe('canary-kept');
    const { object: same } = await hosts.update({
      object: { id: 'kept', spec: { rack: 'r', bmc: { user: 'v', password: '<redacted>' } } },
    });
    expect(same?.metadata?.version).toBe(1n);
    expect(await password()).toBe('canary-kept');
    const change = (value: string) =>
      hosts.update({ object: { id: 'kept', spec: { bmc: { password: value } } }, updateMask: { paths: ['spec.bmc.password'] } });
    expect((await change('canary-kept')).object?.metadata?.version).toBe(1n);
    expect((await change('canary-new')).object?.metadata?.version).toBe(2n);
    expect(await password()).toBe('canary-new');
    expect((await change('')).object?.metadata?.version).toBe(3n);
    expect(await password()).toBe('');
  });
});

describe('the credentials of a cluster', () => {
  it('are written by controllers and read by its tenant alone', async () => {
    const acme = service.tenant('acme').client(pub.Clusters);
    const { object: cluster } = await acme.create({ object: { spec: { template: 't' } } });
    const id = cluster?.id ?? '';
    await expect(acme.getKubeconfig({ id })).rejects.toMatchObject({ code: 'failed_precondition' });
    await service.admin.client(priv.Clusters).update({
      object: { id, status: { kubeconfig: bytes(kubeconfigOf('canary-kubeconfig')), password: 'canary-password' } },
      updateMask: { paths: ['status.kubeconfig', 'status.password'] },
    });
    expect((await acme.getKubeconfig({ id })).kubeconfig).toContain('canary-kubeconfig');
    expect((await acme.getPassword({ id })).password).toBe('canary-password');
    const headers = { authorization: `Bearer ${await service.token({ name: 'x', role: 'tenant', groups: ['acme'] })}` };
    const answer = await fetch(`${service.restUrl}/api/fulfillment/v1/clusters/${id}/kubeconfig`, { headers });
    expect([answer.headers.get('content-type'), await answer.text()]).toEqual(['application/yaml', kubeconfigOf('canary-kubeconfig')]);
    await expect(service.tenant('globex').client(pub.Clusters).getPassword({ id })).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('secrets', () => {
  it('are found nowhere in the database, the logs, the audit log and the archive', async () => {
    const hubs = service.admin.client(priv.Hubs);
    await hubs.create({
      object: {
        id: 'hub',
        namespace: 'n',
        kubeconfig: bytes(kubeconfigOf('canary-hub')),
        pullSecret: '{"auths":{"x":{"auth":"Y2FuYXJ5LXB1bGw="}}}',
      },
    });
    await service.admin
      .client(priv.Hosts)
      .create({ object: { id: 'archived', spec: { bmc: { user: 'u', password: 'canary-archived' } } } });
    await service.admin.client(priv.Hosts).delete({ id: 'archived' });
    await hubs.create({ object: { id: 'hub', kubeconfig: bytes(kubeconfigOf('canary-refused')) } }).catch(() => {});
    await hubs
      .create({ object: { id: 'bad', kubeconfig: bytes('canary-refused: [') } })
      .catch((thrown: unknown) => logged.push(String(thrown)));
    const { entries } = await service.admin.client(Audit).list({ limit: 1000 });
    expect(entries.length).toBeGreaterThan(5);
    const audited = JSON.stringify(entries, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
    const places = [await dump(service), logged.join('\n'), audited];
    for (const canary of ['canary-', 'Y2FuYXJ5LXB1bGw']) {
      const forms = [canary, Buffer.from(canary).toString('hex'), Buffer.from(canary).toString('base64').replace(/=+$/, '').slice(0, -1)];
      for (const form of forms) for (const place of places) expect(place.includes(form), `${canary} as ${form}`).toBe(false);
    }
  });

  it('leave with their object', async () => {
    const count = async () =>
      (await service.database.query<{ n: bigint }>({ text: `select count(*) as n from secrets where object_id = 'archived'` }))[0]?.n;
    expect(await count()).toBe(0n);
  });

  it('are readable after the keys were rotated, and only with the keys', async () => {
    const { databaseUrl, directory, keys } = service;
    const rotated = await startTestFulfillment({ databaseUrl, directory, keys: KeyRing.generate() + keys });
    const stranger = await startTestFulfillment({ databaseUrl, directory });
    try {
      expect((await rotated.admin.client(priv.Hosts).get({ id: 'shown', reveal: true })).object?.spec?.bmc?.password).toBe('canary-shown');
      await expect(stranger.admin.client(priv.Hosts).get({ id: 'shown', reveal: true })).rejects.toMatchObject({
        code: 'failed_precondition',
      });
      expect((await stranger.provider.client(priv.Hosts).get({ id: 'shown' })).object?.id).toBe('shown');
    } finally {
      await stranger.stop();
      await rotated.stop();
    }
  });
});

describe('a rotation of the keys', () => {
  it('goes in steps, and at each of them the replicas before and after it read what either writes', async () => {
    const { databaseUrl, directory, keys: old } = service;
    const fresh = KeyRing.generate();
    const start = (keys: string) => startTestFulfillment({ databaseUrl, directory, keys });
    const host = (replica: TestFulfillment) => replica.admin.client(priv.Hosts);
    const passwordAt = async (replica: TestFulfillment, id: string) =>
      (await host(replica).get({ id, reveal: true })).object?.spec?.bmc?.password;
    let before = await start(old);
    onTestFinished(() => before.stop());
    for (const [step, keys] of [old + fresh, fresh + old, fresh].entries()) {
      if (keys === fresh) {
        for await (const { failed } of before.admin.client(SecretKeys).reencrypt({})) expect(failed).toBe(0n);
        const { keys: used } = await before.admin.client(SecretKeys).status({});
        expect(used.filter(({ secrets }) => secrets > 0n).map(({ keyId }) => keyId)).toEqual([KeyRing.parse(fresh).currentKeyId]);
      }
      const after = await start(keys);
      for (const [turn, writer] of [before, after].entries()) {
        const id = `rotated-${step}-${turn}`;
        await host(writer).create({ object: { id, spec: { bmc: { password: `canary-${id}` } } } });
        expect(await Promise.all([before, after].map((reader) => passwordAt(reader, id)))).toEqual([`canary-${id}`, `canary-${id}`]);
        expect(await passwordAt(after, 'shown')).toBe('canary-shown');
      }
      await before.stop();
      before = after;
    }
  });
});

describe('a reference in place of a secret', () => {
  const file = { source: { case: 'file', value: '/run/secrets/bmc' } } as const;
  const secret = { source: { case: 'kubernetesSecret', value: { namespace: 'bmc', name: 'host-7', key: 'password' } } } as const;

  it('is stored as it is, shown to providers, and takes the place of a value', async () => {
    const hosts = service.provider.client(priv.Hosts);
    await hosts.create({ object: { id: 'referring', spec: { bmc: { user: 'u', passwordRef: file } } } });
    const shown = async () => (await hosts.get({ id: 'referring' })).object?.spec?.bmc;
    expect(await shown()).toMatchObject({ password: '', passwordRef: file });
    const set = (bmc: MessageInitShape<typeof priv.BMCSchema>, path: string) =>
      hosts.update({ object: { id: 'referring', spec: { bmc } }, updateMask: { paths: [`spec.bmc.${path}`] } });
    await set({ password: 'canary-value' }, 'password');
    expect(await shown()).toMatchObject({ password: '<redacted>' });
    expect((await shown())?.passwordRef).toBeUndefined();
    await set({ passwordRef: secret }, 'password_ref');
    expect(await shown()).toMatchObject({ password: '', passwordRef: secret });
    const [kept] = await service.database.query<{ n: bigint }>({ text: `select count(*) as n from secrets where object_id = 'referring'` });
    expect(kept?.n).toBe(0n);
    const { items } = await hosts.list({ filter: 'this.spec.bmc.password_ref.kubernetes_secret.name == "host-7"' });
    expect(items.map(({ id }) => id)).toEqual(['referring']);
  });

  it('is refused beside a value, and when it leads nowhere', async () => {
    const refused = async (bmc: MessageInitShape<typeof priv.BMCSchema>) =>
      fieldViolationsOf(
        await service.admin
          .client(priv.Hosts)
          .create({ object: { spec: { bmc } } })
          .catch((thrown: unknown) => thrown),
      ).map(({ field }) => field);
    expect(await refused({ password: 'canary-both', passwordRef: file })).toEqual(['spec.bmc.password_ref']);
    expect(await refused({ passwordRef: { source: { case: 'file', value: 'relative' } } })).toEqual(['spec.bmc.password_ref.file']);
    expect(await refused({ passwordRef: {} })).toEqual(['spec.bmc.password_ref']);
  });
});

/** Every row of every table, as text. */
async function dump({ database }: TestFulfillment): Promise<string> {
  const tables = await database.query<{ name: string }>({ text: `select tablename as name from pg_tables where schemaname = 'public'` });
  expect(tables.length).toBeGreaterThan(8);
  const rows = await Promise.all(
    tables.map(({ name }) => database.query<{ row: string }>({ text: `select t::text as row from ${name} as t` })),
  );
  return rows
    .flat()
    .map(({ row }) => row)
    .join('\n');
}
