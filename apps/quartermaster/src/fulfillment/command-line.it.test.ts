import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Clusters as PublicClusters } from '@quartermaster/api/fulfillment';
import { HostSources } from '@quartermaster/api/fulfillment-extras';
import { Clusters, Hosts } from '@quartermaster/api/private';
import { startTestFulfillment, type TestFulfillment } from '@quartermaster/fulfillment/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { recordedNote } from './read/openings.ts';
import { LoginFolder } from './test/login-folder.ts';
import { run, written } from './test/run-program.ts';
import { ScriptedIssuer } from './test/scripted-issuer.ts';
import { editObject } from './write/edit.ts';

let issuer: ScriptedIssuer;
let service: TestFulfillment;
let logins: LoginFolder;
const canary = 'canary-password-of-the-bmc';

beforeAll(async () => {
  issuer = await ScriptedIssuer.start();
  service = await startTestFulfillment({ access: { 'fulfillment-issuers': [issuer.url] } });
  logins = LoginFolder.make();
});

afterAll(async () => {
  await service.stop();
  await issuer.stop();
  logins.remove();
});

beforeEach(() => logins.use());
afterEach(() => vi.unstubAllEnvs());

const asAdmin = () => logins.add(service, 'admin', { name: 'root', role: 'admin' });
const asTenant = () => logins.add(service, 'acme', { name: 'ann', role: 'tenant', groups: ['acme'] });

describe('the command line of the fulfillment service', () => {
  it('logs in, says as whom, and keeps the login where only its user can read it', async () => {
    expect(await asAdmin()).toMatchObject({ exitCode: 0, out: expect.stringContaining('as root, admin') });
    const path = join(logins.path, 'config', 'quartermaster', 'contexts.json');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect((await run('whoami')).out).toMatch(/^Name +root\nRole +admin\nTenants +all\n/);
    expect((await asTenant()).out).toContain('as ann, tenant');
    expect((await run('contexts')).out).toMatch(/admin .*\n\* +acme /);
    expect((await run('whoami', '--context', 'admin')).out).toContain('admin');
    expect((await run('contexts', 'admin')).exitCode).toBe(0);
    expect((await run('whoami')).out).toContain('root');
  });

  it('saves nothing that the service refuses', async () => {
    const { exitCode, err } = await run('login', service.grpcAddress, '--name', 'bad', '--token', 'nonsense');
    expect(exitCode).toBe(1);
    expect(err).toMatch(/^quartermaster: /);
    expect((await run('get', 'hosts', '--context', 'bad')).err).toContain('no login is saved as "bad"');
  });

  it('logs in by a code at the issuer that the service names, and renews the token by itself', async () => {
    const token = async (name: string): Promise<string> => await service.token({ name, role: 'provider' });
    const bearer = { token_type: 'bearer', expires_in: 20 };
    issuer.answers = [
      { error: 'authorization_pending' },
      { ...bearer, access_token: await token('ann'), refresh_token: 'first' },
      // A token with 20 seconds to live is renewed before it is used.
      { ...bearer, access_token: await token('ann-again'), refresh_token: 'second', expires_in: 3600 },
    ];
    const { exitCode, out, err } = await run('login', service.grpcAddress, '--name', 'device', '--resource', 'urn:cloud');
    expect({ exitCode, out }).toEqual({ exitCode: 0, out: expect.stringContaining('as ann, provider') });
    expect(err).toBe(`Open ${issuer.url}/confirm\nand confirm the code WXYZ-1234 within 10 minutes.\n`);
    expect((await run('whoami')).out).toMatch(/^Name +ann-again\n/);
    expect((await run('whoami')).out).toMatch(/^Name +ann-again\n/);
    expect(
      issuer.asked.map((form) => [form.get('grant_type')?.replace(/^.*:/, ''), form.get('refresh_token'), form.get('resource')]),
    ).toEqual([
      ['device_code', null, 'urn:cloud'],
      ['device_code', null, 'urn:cloud'],
      ['refresh_token', 'first', 'urn:cloud'],
    ]);
    issuer.answers = [{ error: 'access_denied' }];
    const denied = await run('login', service.grpcAddress, '--name', 'nobody');
    expect(denied.exitCode).toBe(1);
    expect(denied.err).toContain(`${issuer.url} gave no token: the code was denied (access_denied); log in again`);
  });

  it('applies files: makes what is not there, changes what differs, and then nothing', async () => {
    await asAdmin();
    const path = logins.file(
      'world.yaml',
      [
        'kind: Host',
        'metadata: {name: gpu-1, labels: {row: "7"}}',
        `spec: {class: gpu-large, rack: r1, rack_unit: 12, boot_mac: "b8:3f:d2:00:00:01", bmc: {url: "https://10.0.0.1", user: root, password: ${canary}}}`,
        '---',
        'kind: HostClass',
        'id: gpu-large',
        'metadata: {name: gpu-large}',
        'title: Eight GPUs',
        '---',
        '"@type": type.googleapis.com/private.v1.ClusterTemplate',
        'id: small',
        'title: Small',
        'nodeSets: {workers: {hostClass: gpu-large, size: 1}}',
        '',
      ].join('\n'),
    );
    const dry = await run('apply', '-f', path, '--dry-run');
    expect(dry.exitCode).toBe(1); // the host refers to a class that a dry run does not make
    expect(dry.out).toContain('host class gpu-large created (dry run');
    const first = await run('apply', '-f', path);
    expect(first).toMatchObject({ exitCode: 0, err: '' });
    expect(first.out).toMatch(/^host class gpu-large created\ncluster template small created\nhost gpu-1 created \(.{36}\)\n$/);
    expect((await run('apply', '-f', path)).out.match(/unchanged/g)).toHaveLength(3);
    writeFileSync(path, readFileSync(path, 'utf8').replace('rack: r1', 'rack: r2'));
    expect((await run('apply', '-f', path)).out).toMatch(/host gpu-1 changed/);
    expect((await run('get', 'host', 'gpu-1', '-o', 'json')).out).toContain('"row": "7"');
  });

  it('names the file and the line of what is refused', async () => {
    await asAdmin();
    const path = logins.file('bad.yaml', 'kind: Host\nmetadata:\n  name: Not A Name\nspec:\n  boot_mac: nonsense\n  class: gpu-large\n');
    const { exitCode, err } = await run('create', '-f', path);
    expect(exitCode).toBe(2);
    expect(err).toContain(`${path}:3: metadata.name: `);
    expect(err).toContain(`${path}:5: spec.boot_mac: `);
    writeFileSync(path, 'kind: Host\nspec:\n  rackk: r1\n');
    expect((await run('apply', '-f', path)).err).toContain(`${path}:3: spec.rackk: unknown field`);
  });

  it('lists with names instead of ids, filters, labels and orders, for people and for programs', async () => {
    await asAdmin();
    const provisionable = ['--bmc-url', 'https://10.0.0.2', '--boot-mac', 'b8:3f:d2:00:00:02'];
    await run('create', 'host', 'gpu-2', '--class', 'gpu-large', '--rack', 'r9', '--label', 'row=8', ...provisionable);
    const { out } = await run('get', 'hosts');
    expect(out).toMatch(/^NAME +CLASS +RACK +STATE +POWER +CLUSTER +SOURCE +AGE\ngpu-1 +gpu-large +r2 U12 .*\ngpu-2 +gpu-large +r9 /);
    expect((await run('get', 'hosts', '-l', 'row=8', '-o', 'name')).out).toBe('gpu-2\n');
    expect((await run('get', 'hosts', '--filter', 'this.spec.rack == "r2"', '-o', 'name')).out).toBe('gpu-1\n');
    expect((await run('get', 'hosts', '--limit', '1')).out).toContain('1 of 2: --all shows the rest.');
    expect(JSON.parse((await run('get', 'hosts', '-o', 'json')).out)).toMatchObject({ items: [{ kind: 'Host' }, { kind: 'Host' }] });
    expect((await run('get', 'host-class', 'gpu-large', '-o', 'yaml')).out).toMatch(/^kind: HostClass\nid: gpu-large\n/);
    const missing = await run('get', 'hosts', 'gpu-1', 'nobody');
    expect(missing).toMatchObject({
      exitCode: 1,
      out: expect.stringContaining('gpu-1'),
      err: expect.stringContaining('host nobody does not exist'),
    });
    const mistyped = await run('get', 'hosts', '--filter', 'this.spec.rak == "x"');
    expect(mistyped).toMatchObject({
      exitCode: 2,
      err: expect.stringContaining('at character 11: there is no field "rak" in spec; did you mean "rack"?'),
    });
    expect((await run('get', 'hosts', '--order', 'metadata.name desc', '-o', 'name')).out).toBe('gpu-2\ngpu-1\n');
  });

  it('edits what was changed and nothing else, and keeps the text when somebody was faster', async () => {
    await asAdmin();
    vi.stubEnv('EDITOR', `sed -i 's/rack: r2/rack: r3/'`);
    expect((await run('edit', 'host', 'gpu-1')).out).toContain('host gpu-1 changed');
    const { items } = await service.admin.client(Hosts).list({ filter: 'this.metadata.name == "gpu-1"' });
    const [host] = items;
    const revealed = await service.admin.client(Hosts).get({ id: host?.id ?? '', reveal: true });
    expect(revealed.object?.spec).toMatchObject({ rack: 'r3', rackUnit: 12, bmc: { password: canary } });
    vi.stubEnv('TMPDIR', logins.path);
    const { output } = written();
    const editor = async (path: string): Promise<void> => {
      await service.admin
        .client(Hosts)
        .update({ object: { id: host?.id ?? '', spec: { title: 'faster' } }, updateMask: { paths: ['spec.title'] } });
      writeFileSync(path, readFileSync(path, 'utf8').replace('rack: r3', 'rack: r4'));
    };
    const flags = { withStatus: false, dryRun: false };
    const { signal } = new AbortController();
    const conflict = await editObject('hosts', { editor, isAttended: true })(['gpu-1'], flags, output, signal).catch(
      (thrown: unknown) => thrown,
    );
    expect(conflict).toMatchObject({
      code: 'aborted',
      message: expect.stringMatching(/somebody else changed it meanwhile.*\nyour text is kept in /),
    });
    const texts: string[] = [];
    const mending = async (path: string): Promise<void> => {
      const text = readFileSync(path, 'utf8');
      texts.push(text);
      writeFileSync(path, texts.length === 1 ? text.replace('title: faster', 'boot_ip: nonsense') : text.replace('nonsense', '192.0.2.9'));
    };
    await editObject('hosts', { editor: mending, isAttended: true })(['gpu-1'], flags, output, signal);
    expect(texts[1]).toMatch(/^# refused: .*:\d+: spec\.boot_ip: /);
    expect(texts).toHaveLength(2);
    vi.stubEnv('EDITOR', 'true');
    expect((await run('edit', 'host', 'gpu-1')).err).toContain('nothing was changed');
    vi.stubEnv('EDITOR', `sed -i 's/rack: r3/rack: [1]/'`);
    const refused = await run('edit', 'host', 'gpu-1');
    expect(refused.exitCode).toBe(2);
    const kept = /your text is kept in (.*)\n/.exec(refused.err)?.[1] ?? '';
    expect(readFileSync(kept, 'utf8')).toContain('rack: [1]');
    expect(readFileSync(kept, 'utf8')).not.toContain(canary);
    expect(readdirSync(logins.path).filter((name) => name.startsWith('quartermaster-edit-'))).toHaveLength(2);
  });

  it('describes an object with its hosts, conditions and history, and never a secret', async () => {
    await asAdmin();
    await run('create', 'cluster', 'blue', '--id', 'blue-id', '--template', 'small', '--node-set', 'workers=2', '--tenant', 'acme');
    expect((await run('claim', 'blue', 'workers')).out).toBe('host gpu-1 assigned to blue\nhost gpu-2 assigned to blue\n');
    const { out } = await run('describe', 'cluster', 'blue');
    expect(out).toMatch(/^Cluster +blue\nID +blue-id\n/);
    expect(out).toMatch(/Hosts\n {2}NAME .*\n {2}gpu-1 /);
    expect(out).toMatch(/Recent changes\n {2}AT .*\n.* updated .*\n.* root +admin +created /);
    const host = await run('describe', 'host', 'gpu-1');
    expect(host.out).toContain('password: (set, not shown)');
    expect(host.out).toContain('status.cluster: blue (blue-id)');
    expect((await run('get', 'clusters')).out).toMatch(/blue +small +\S+ +2 of 2 /);
    for (const format of ['wide', 'json', 'yaml']) expect((await run('get', 'hosts', '-o', format)).out).not.toContain(canary);
    expect((await run('get', 'audit', 'hosts', 'gpu-1')).out).toMatch(/root +admin +created +hosts +gpu-1 /);
    expect((await run('get', 'audit', '-o', 'json', '--all')).out).not.toContain(canary);
  });

  it('opens the secrets of named objects when it is told to, says that this is recorded, and tells who did', async () => {
    await asAdmin();
    const openedByRoot = /Secrets opened by\n {2}WHO +ROLE +LAST +HOURS\n {2}root +admin +\S+ \S+ +1\n/;
    expect((await run('describe', 'host', 'gpu-1')).out).not.toMatch(openedByRoot);
    const opened = await run('get', 'host', 'gpu-1', '--reveal', '-o', 'json');
    expect(opened).toMatchObject({ exitCode: 0, err: recordedNote });
    expect(JSON.parse(opened.out)).toMatchObject({ kind: 'Host', spec: { bmc: { password: canary } } });
    expect((await run('get', 'host', 'gpu-1', '-o', 'json')).out).not.toContain(canary);
    const described = await run('describe', 'host', 'gpu-1');
    expect(described.out).toMatch(openedByRoot);
    expect(described.out).not.toContain(canary);
    expect(described.out.slice(described.out.indexOf('Recent changes'))).not.toContain('revealed');
    expect((await run('get', 'audit', 'hosts', 'gpu-1')).out).toMatch(/root +admin +revealed +hosts +gpu-1 /);
    for (const [args, way] of [
      [['get', 'hosts', '--reveal', '-o', 'json'], 'name them'],
      [['get', 'host', 'gpu-1', '--reveal'], '--reveal needs -o json or -o yaml'],
      [['get', 'host', 'gpu-1', '--reveal', '-o', 'json', '--watch'], 'cannot be combined with --watch'],
    ] as const) {
      const refused = await run(...args);
      expect([refused.exitCode, refused.out]).toEqual([2, '']);
      expect(refused.err).toContain(way);
    }
  });

  it('shows a tenant its own in the public API, and serves what opens its cluster', async () => {
    const object = { id: 'blue-id', status: { password: 'of-the-cluster', kubeconfig: Buffer.from(kubeconfig) } };
    await service.admin.client(Clusters).update({ object, updateMask: { paths: ['status.password', 'status.kubeconfig'] } });
    await asTenant();
    const hosts = await run('get', 'hosts', '-o', 'wide');
    expect(hosts.out).toMatch(/^NAME +CLASS +STATE +POWER +CLUSTER +AGE +ID /);
    expect(hosts.out).toMatch(/gpu-1 .* blue /);
    expect(await run('get', 'password', 'blue')).toMatchObject({ out: 'of-the-cluster\n', err: recordedNote });
    expect(await run('get', 'kubeconfig', 'blue')).toMatchObject({ out: kubeconfig, err: recordedNote });
    expect((await run('get', 'cluster', 'blue', '--reveal', '-o', 'yaml')).err).toContain(
      'use "get kubeconfig NAME" or "get password NAME"',
    );
    expect((await run('get', 'hubs')).err).toContain('hubs are only visible to providers');
    expect((await run('describe', 'cluster', 'blue')).out).not.toContain('Recent changes');
    expect((await run('delete', 'host', 'gpu-1')).err).toMatch(/^quartermaster: /);
    expect((await service.tenant('acme').client(PublicClusters).list({})).items).toHaveLength(1);
  });

  it('takes hosts back, and says why a claim is short', async () => {
    await asAdmin();
    expect((await run('release', 'blue', 'workers', '--host', 'gpu-2')).out).toBe('host gpu-2 released from blue\n');
    expect((await run('release', 'blue', '--host', 'gpu-2')).out).toBe('no hosts released: blue has none of them assigned\n');
    const { exitCode, out, err } = await run('claim', 'blue', 'workers', '--count', '5');
    expect({ exitCode, out }).toEqual({ exitCode: 1, out: 'host gpu-2 assigned to blue\n' });
    expect(err).toMatch(/^quartermaster: workers: 3 hosts missing\n/);
    expect((await run('claim', 'blue', 'workers')).out).toBe('workers: all 2 hosts are assigned to blue\n');
  });

  it('deletes all that are named or none, and waits until they are gone', async () => {
    await asAdmin();
    await run('create', 'host-class', '--context', 'admin', 'old-1');
    await run('create', 'host-class', 'old-2', '--title', 'Old');
    expect(await run('delete', 'host-class', 'old-1', 'nobody')).toMatchObject({ exitCode: 1, out: '' });
    expect((await run('delete', 'host-classes', 'old-1', 'old-2', '--dry-run')).out).toContain('dry run');
    expect((await run('delete', 'host-class', 'old-1', 'old-2', '--wait')).out).toMatch(/old-1 deleted .*\nhost class old-2 deleted /);
    expect((await run('delete', 'host-class', 'gpu-large')).err).toContain('in use');
  });

  it('helps those who run the service: tokens, migrations and keys', async () => {
    const create = ['service', 'fulfillment', 'token', 'create'];
    const out = join(logins.path, 'sam.token');
    await run(...create, 'sam', '--role', 'admin', '--signing-key', join(service.directory, 'token-key'), '--out', out);
    expect(statSync(out).mode & 0o777).toBe(0o600);
    const server = ['--server', service.grpcAddress, '--token-file', out];
    expect((await run('whoami', ...server)).out).toMatch(/^Name +sam\nRole +admin\n/);
    expect((await run(...create, 'sue', '--role', 'tenant', '--signing-key', out)).exitCode).toBe(2);
    const [key = ''] = service.keys.split(':');
    expect((await run('service', 'fulfillment', 'keys', 'status', ...server)).out).toMatch(
      new RegExp(`^KEY +SECRETS +STATE\\n${key} +\\d+ +seals\\n$`),
    );
    expect((await run('service', 'fulfillment', 'keys', 'reencrypt', ...server)).out).toContain('secrets were under another key');
    const ring = logins.file('ring', service.keys);
    const settings = ['--fulfillment-database-url', service.databaseUrl, '--fulfillment-key-ring-file', ring];
    expect((await run('service', 'fulfillment', 'migrate', ...settings)).out).toBe('The database is what this release needs.\n');
  });

  it('lists the sources of hosts', async () => {
    await asAdmin();
    const sync = service.as({ name: 'sync-bcm', role: 'sync', source: 'bcm' });
    await sync.client(HostSources).applyHosts({ source: 'bcm', hosts: [{ sourceId: '1', name: 'bcm-1', serial: 'S1' }] });
    expect((await run('get', 'sources')).out).toMatch(/^NAME +HOSTS +LAST SEEN\nbcm +1 +\d+s ago\n/);
    await logins.add(service, 'sync', { name: 'sync-bcm', role: 'sync', source: 'bcm' });
    expect((await run('get', 'hosts', 'bcm-1')).out).toMatch(/bcm-1 .* bcm /);
  });

  it('logs out', async () => {
    expect((await run('logout', '--all')).out).toContain('Logged out of admin.');
    expect((await run('contexts')).out).toContain('No login is saved');
    const { err, exitCode } = await run('get', 'hosts', '--data-dir', join(logins.path, 'nothing'));
    expect(err).toMatch(/nothing runs on .*: start it with `quartermaster up`.*, or log in to another with `quartermaster login ADDRESS`/);
    expect(exitCode).toBe(1);
  });
});

const kubeconfig = [
  'apiVersion: v1',
  'kind: Config',
  'current-context: blue',
  'contexts: [{name: blue, context: {cluster: blue, user: admin}}]',
  'clusters: [{name: blue, cluster: {server: "https://blue.example.com:6443"}}]',
  'users: [{name: admin, user: {token: t}}]',
  '',
].join('\n');
