import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as pub from '@quartermaster/api/fulfillment';
import * as extras from '@quartermaster/api/fulfillment-extras';
import * as priv from '@quartermaster/api/private';
import { openRpcChannel, type RpcChannel } from '@quartermaster/rpc';
import { createLogger } from '@quartermaster/service';
import { KeyRing } from '@quartermaster/store';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { base64Of, decodedBytes, expectNone, mark, textOf } from './canary-mark.ts';
import { collectAnswers } from './collect-answers.ts';
import { plantSecrets } from './planted-secrets.ts';
import { kubeconfigOf } from './sample-secrets.ts';
import { revealingGets } from './secret-contract.ts';
import { type RunningFulfillmentRole, startFulfillmentRole } from './start-fulfillment-role.ts';

const logged: string[] = [];
/** What the service says to those who may not read secrets, in events, in audit entries, as metrics and as documents. */
const said: string[] = [];
let planted = 0;
const canary = (): string => {
  planted += 1;
  return `${mark}-${planted}`;
};

let directory: string;
let running: RunningFulfillmentRole;
let admin: RpcChannel;
let provider: RpcChannel;
let tenant: RpcChannel;
let sync: RpcChannel;
let controller: RpcChannel;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'quartermaster-canary-'));
  await writeFile(join(directory, 'key-ring'), KeyRing.generate(), { mode: 0o600 });
  await start();
});

afterAll(async () => {
  await stop();
  await rm(directory, { recursive: true, force: true });
});

async function start(): Promise<void> {
  const log = createLogger({ level: 'debug', destination: { write: (line) => logged.push(line) } });
  running = await startFulfillmentRole({ 'fulfillment-data-directory': directory }, log);
  const open = async (caller: Parameters<RunningFulfillmentRole['issue']>[0]): Promise<RpcChannel> => {
    const token = await running.issue(caller);
    return openRpcChannel({ address: running.grpc, token: () => token });
  };
  admin = await open({ name: 'root', role: 'admin' });
  provider = await open({ name: 'provider', role: 'provider' });
  tenant = await open({ name: 'ann', role: 'tenant', groups: ['acme'] });
  sync = await open({ name: 'sync', role: 'sync', source: 'bcm' });
  controller = await open({ name: 'controller', role: 'controller' });
}

async function stop(): Promise<void> {
  for (const channel of [admin, provider, tenant, sync, controller]) channel.close();
  await running.stop();
}

const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
const pullSecretOf = (secret: string): string => JSON.stringify({ auths: { registry: { auth: secret } } });

/** What became of a call, whatever that is, for everybody to read. */
async function tell(call: Promise<unknown>): Promise<void> {
  said.push(textOf(await call.catch((thrown: unknown) => thrown)));
}

const rest = async (path: string, token: string, init: RequestInit = {}): Promise<string> => {
  const answer = await fetch(`${running.rest}${path}`, {
    ...init,
    headers: { authorization: `Bearer ${token}`, ...(init.body === undefined ? {} : { 'content-type': 'application/json' }) },
  });
  return `${answer.status} ${await answer.text()}`;
};

describe('canaries in every secret field', () => {
  it('would be found, in whatever form they lay around', () => {
    const places = ['', 'a', 'ab'].flatMap((before) => [mark, base64Of(`${before}${mark}-1, and more`), kubeconfigOf(mark)]);
    for (const text of [...places, textOf({ secret: bytes(mark) }), textOf(new Error('x', { cause: new Error(mark) }))]) {
      expect(() => expectNone('a text', `before ${text} behind`), `of ${text}`).toThrow('a text has a secret');
    }
    expect(decodedBytes(`(a,"\\\\x${Buffer.from(mark).toString('hex')}")`)).toContain(mark);
  });

  it('are planted, by writes that succeed, that fail and that do nothing', async () => {
    const ending = new AbortController();
    const collect = (answers: AsyncGenerator<unknown, void, undefined>) => collectAnswers(answers, (text) => said.push(text));
    const watches = [
      collect(provider.client(priv.Events).watch({ bookmarks: true }, { signal: ending.signal })),
      collect(admin.client(priv.Events).watch({ bookmarks: true }, { signal: ending.signal })),
      collect(tenant.client(pub.Events).watch({ bookmarks: true }, { signal: ending.signal })),
    ];
    await Promise.all(watches.map((watch) => watch.begun));
    await plantHosts();
    await plantHubs();
    await plantClusters();
    await plantApplied();
    await plantOverRest();
    const objects = await plantSecrets(admin, canary);
    expect(revealingGets.map(({ object }) => object.typeName).filter((name) => objects[name] === undefined)).toEqual([]);
    await admin.client(priv.HostClasses).create({ object: { id: 'last' } });
    await Promise.all(watches.map((watch) => watch.until('"last"')));
    ending.abort();
    expect(planted).toBeGreaterThan(25);
    expectNone('an event or an answer', said.join('\n'));
  });

  it('are shown to those who ask to reveal them and may, and to nobody else', async () => {
    expect((await admin.client(priv.Hosts).get({ id: 'kept', reveal: true })).object?.spec?.bmc?.password).toContain(mark);
    expect(Buffer.from((await admin.client(priv.Hubs).get({ id: 'kept', reveal: true })).object?.kubeconfig ?? []).toString()).toContain(
      mark,
    );
    expect((await controller.client(priv.Hosts).get({ id: 'planted-host' })).object?.spec?.bmc?.password).toContain(mark);
    expect((await tenant.client(pub.Clusters).getPassword({ id: 'kept' })).password).toContain(mark);
    for (const [place, answer] of [
      ['a Get of hosts by an administrator', admin.client(priv.Hosts).get({ id: 'planted-host' })],
      ['a Get of hubs by an administrator', admin.client(priv.Hubs).get({ id: 'planted-hub' })],
      ['a Get of clusters by an administrator', admin.client(priv.Clusters).get({ id: 'planted-cluster' })],
      ['a List by a controller', controller.client(priv.Hosts).list({})],
      [
        'a refused reveal',
        provider
          .client(priv.Hosts)
          .get({ id: 'planted-host', reveal: true })
          .catch((thrown: unknown) => thrown),
      ],
      [
        'a refused kubeconfig',
        provider
          .client(pub.Clusters)
          .getKubeconfig({ id: 'planted-cluster' })
          .catch((thrown: unknown) => thrown),
      ],
      ['a Get of hosts', provider.client(priv.Hosts).get({ id: 'kept' })],
      ['a Get of hubs', provider.client(priv.Hubs).get({ id: 'kept' })],
      ['a Get of clusters', provider.client(priv.Clusters).get({ id: 'kept' })],
      ['a Get of a source', sync.client(priv.Hosts).get({ id: 'kept' })],
      ['a List of hosts', admin.client(priv.Hosts).list({})],
      ['a List of hubs', admin.client(priv.Hubs).list({})],
      ['a List of clusters', admin.client(priv.Clusters).list({})],
      ['the public hosts', tenant.client(pub.Hosts).list({})],
      ['the public clusters', tenant.client(pub.Clusters).list({})],
      ['the audit log', admin.client(extras.Audit).list({ limit: 1000 })],
      ['a claim', admin.client(extras.HostAssignments).claimHosts({ cluster: 'kept', nodeSet: 'w', count: 1 })],
      ['the sources', admin.client(extras.HostSources).list({})],
      ['the keys', admin.client(extras.SecretKeys).status({})],
    ] as const) {
      expectNone(place, textOf(await answer));
    }
    for (const path of ['/openapi.json', '/readyz', '/api/private/v1/hosts', '/api/private/v1/hubs/kept', '/api/quartermaster/v1/audit']) {
      for (const role of ['provider', 'admin']) expectNone(path, await rest(path, await running.issue({ name: role, role })));
    }
  });

  it('are encrypted anew without being seen', async () => {
    const file = join(directory, 'key-ring');
    const old = await readFile(file, 'utf8');
    await stop();
    await writeFile(file, KeyRing.generate() + old);
    await start();
    const steps = [];
    for await (const step of admin.client(extras.SecretKeys).reencrypt({})) steps.push(step);
    expect(steps.at(-1)).toMatchObject({ failed: 0n });
    expect(steps.at(-1)?.done).toBeGreaterThan(5n);
    await stop();
    await writeFile(file, (await readFile(file, 'utf8')).replace(old, ''));
    await start();
    expect((await admin.client(priv.Hosts).get({ id: 'kept', reveal: true })).object?.spec?.bmc?.password).toContain(mark);
    expectNone('the progress', textOf(steps));
  });

  it('are in no table', async () => {
    const { database } = running;
    const tables = await database.query<{ name: string }>({ text: `select tablename as name from pg_tables where schemaname = 'public'` });
    expect(tables.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['archive', 'audit', 'changes', 'hosts', 'hubs', 'reveals', 'secrets']),
    );
    for (const { name } of tables) {
      const rows = await database.query<{ row: string }>({ text: `select t::text as row from ${name} as t` });
      if (['archive', 'audit', 'changes', 'hosts', 'hubs', 'reveals', 'secrets', 'clusters'].includes(name))
        expect(rows.length, `of ${name}`).toBeGreaterThan(0);
      expectNone(`table ${name}`, rows.map(({ row }) => row).join('\n'));
      // Texts of what bytes hold, and not only their digits.
      expectNone(`bytes of table ${name}`, rows.map(({ row }) => decodedBytes(row)).join('\n'));
    }
  });

  it('are in no metric', async () => {
    const { text } = await running.metrics.scrape();
    expect(text).toContain('quartermaster_fulfillment_calls_total');
    expectNone('a metric', text);
  });

  it('are in no line of any log', () => {
    expect(logged.length).toBeGreaterThan(20);
    expect(logged.some((line) => line.includes('"level":"debug"'))).toBe(true);
    expectNone('the log', logged.join('\n'));
  });

  it('are in no file of the database, its log of changes and what is deleted included', async () => {
    await running.database.query({ text: 'checkpoint' });
    const files = (await readdir(directory, { recursive: true, withFileTypes: true })).filter((file) => file.isFile());
    expect(files.some(({ parentPath }) => parentPath.endsWith('pg_wal'))).toBe(true);
    let read = 0;
    for (const { parentPath, name } of files) {
      const content = await readFile(join(parentPath, name)).catch(() => undefined);
      if (content === undefined) continue;
      read += content.length;
      expect(content.includes(mark), `${parentPath}/${name}`).toBe(false);
    }
    expect(read).toBeGreaterThan(16_000_000);
  });
});

async function plantHosts(): Promise<void> {
  const hosts = admin.client(priv.Hosts);
  const bmc = () => ({ url: 'redfish+https://10.0.0.1/redfish/v1/Systems/1', user: 'root', password: canary() });
  await admin.client(priv.HostClasses).create({ object: { id: 'c' } });
  await tell(hosts.create({ object: { id: 'kept', spec: { class: 'c', bootMac: 'b8:3f:d2:00:00:01', bmc: bmc() } } }));
  await tell(hosts.create({ object: { id: 'kept', spec: { bmc: bmc() } } }));
  await tell(hosts.create({ object: { id: 'dry', spec: { bmc: bmc() } }, dryRun: true }));
  await tell(hosts.create({ object: { id: 'bad id', spec: { bmc: bmc() } } }));
  await tell(hosts.create({ object: { spec: { class: 'nobody', bmc: bmc() } } }));
  await tell(hosts.create({ object: { spec: { bmc: { ...bmc(), password: `${canary()}${'x'.repeat(2000)}` } } } }));
  await tell(hosts.create({ object: { spec: { bmc: { ...bmc(), password: `${canary()}\0` } } } }));
  await tell(hosts.create({ object: { spec: { bmc: { ...bmc(), passwordRef: { source: { case: 'file', value: '/secret' } } } } } }));
  const update = (spec: object, paths: string[], more: object = {}) =>
    hosts.update({ object: { id: 'kept', spec }, ...(paths.length === 0 ? {} : { updateMask: { paths } }), ...more });
  await tell(update({ bmc: bmc() }, ['spec.bmc']));
  await tell(update({ bmc: bmc() }, ['spec.bmc.password']));
  await tell(update({ bmc: bmc() }, ['spec.bmc.nothing']));
  await tell(update({ bmc: bmc(), class: 'c' }, []));
  await tell(update({ bmc: bmc() }, ['spec.bmc.password'], { dryRun: true }));
  await tell(update({ bmc: bmc() }, ['spec.bmc.password'], { lock: true }));
  await tell(provider.client(priv.Hosts).update({ object: { id: 'kept', spec: { bmc: bmc() } }, updateMask: { paths: ['spec.bmc'] } }));
  await tell(tenant.client(priv.Hosts).create({ object: { id: 'refused', spec: { bmc: bmc() } } }));
  await tell(hosts.create({ object: { id: 'archived', spec: { bmc: bmc() } } }));
  await tell(hosts.signal({ id: 'archived' }));
  await tell(hosts.delete({ id: 'archived' }));
}

async function plantHubs(): Promise<void> {
  const hubs = admin.client(priv.Hubs);
  const secrets = () => ({ kubeconfig: bytes(kubeconfigOf(canary())), pullSecret: pullSecretOf(canary()) });
  await tell(hubs.create({ object: { id: 'kept', namespace: 'n', ...secrets() } }));
  await tell(hubs.update({ object: { id: 'kept', namespace: 'm', ...secrets() } }));
  await tell(hubs.create({ object: { id: 'archived', ...secrets() } }));
  await tell(hubs.delete({ id: 'archived' }));
  for (const kubeconfig of [
    `${canary()}: [`,
    canary(),
    kubeconfigOf(`{${canary()}: &a *a}`),
    `${kubeconfigOf(canary())}kind: ${canary()}`,
  ]) {
    await tell(hubs.create({ object: { kubeconfig: bytes(kubeconfig) } }));
  }
  for (const pullSecret of [canary(), `{"auths":["${canary()}"]}`, `{"auths":{"x":"${canary()}"}`])
    await tell(hubs.create({ object: { pullSecret } }));
  await tell(hubs.create({ object: { sshPublicKey: `-----BEGIN OPENSSH PRIVATE KEY-----\n${canary()}` } }));
}

async function plantClusters(): Promise<void> {
  const clusters = admin.client(priv.Clusters);
  await admin.client(priv.ClusterTemplates).create({ object: { id: 't', nodeSets: { w: { hostClass: 'c', size: 1 } } } });
  await tell(tenant.client(pub.Clusters).create({ object: { id: 'kept', spec: { template: 't' } } }));
  const put = (id: string, more: object = {}) =>
    clusters.update({
      object: { id, status: { password: canary(), kubeconfig: bytes(kubeconfigOf(canary())) } },
      updateMask: { paths: ['status.password', 'status.kubeconfig'] },
      ...more,
    });
  await tell(put('kept'));
  await tell(put('nobody'));
  await tell(put('kept', { dryRun: true }));
  await tell(clusters.create({ object: { id: 'archived', spec: { template: 't' }, status: { password: canary() } } }));
  await tell(clusters.delete({ id: 'archived' }));
  await tell(
    clusters.update({ object: { id: 'kept', status: { kubeconfig: bytes(canary()) } }, updateMask: { paths: ['status.kubeconfig'] } }),
  );
}

async function plantApplied(): Promise<void> {
  const sources = sync.client(extras.HostSources);
  const facts = (sourceId: string, more: object = {}) => ({ sourceId, bmc: { user: 'root', password: canary() }, ...more });
  await tell(sources.applyHosts({ source: 'bcm', hosts: [facts('one'), facts('two', { class: 'nobody' }), facts('two')] }));
  await tell(sources.applyHosts({ source: 'bcm', hosts: [facts('one'), facts('three', { bootMac: 'no mac' })], dryRun: true }));
  await tell(sources.applyHosts({ source: 'bcm', hosts: [facts('one')] }));
  await tell(sources.applyHosts({ source: 'other', hosts: [facts('one')] }));
}

async function plantOverRest(): Promise<void> {
  const root = running.token;
  const send = async (method: string, path: string, body: string): Promise<void> => {
    said.push(await rest(path, root, { method, body }));
  };
  await send('POST', '/api/private/v1/hosts', JSON.stringify({ id: 'rest', spec: { bmc: { user: 'u', password: canary() } } }));
  await send('PATCH', '/api/private/v1/hosts/rest', JSON.stringify({ spec: { bmc: { password: canary() } } }));
  await send('POST', '/api/private/v1/hosts', JSON.stringify({ spec: { bmc: { password: { value: canary() } } } }));
  await send('POST', '/api/private/v1/hosts', JSON.stringify({ spec: { bmc: { password: [canary()], user: 1 } } }));
  await send('POST', '/api/private/v1/hosts', `{"spec":{"bmc":{"password":"${canary()}"`);
  await send('POST', '/api/private/v1/hubs', JSON.stringify({ kubeconfig: `${canary()} is no base64!` }));
  await send('POST', '/api/private/v1/hubs', JSON.stringify({ pull_secret: 7, kubeconfig: canary() }));
  said.push(await rest('/api/private/v1/hosts/rest', await running.issue({ name: 'provider', role: 'provider' })));
}
