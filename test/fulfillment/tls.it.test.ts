import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { HostSources, Sessions } from '@quartermaster/api/fulfillment-extras';
import { startTestFulfillment, type TestFulfillment } from '@quartermaster/fulfillment/testing';
import { silentLog } from '@quartermaster/kernel';
import { openRpcChannel, type RpcClientOptions } from '@quartermaster/rpc';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type CertificateAuthority, createCertificateAuthority, type IssuedCertificate } from '../kube/certificates.ts';
import { quartermasterInProcess as cli } from '../up/running-up.ts';

let folder: string;
let authority: CertificateAuthority;
let other: CertificateAuthority;
let clients: CertificateAuthority;
let service: TestFulfillment;
let token: string;
const complaints: string[] = [];

const path = (name: string): string => join(folder, name);

async function file(name: string, content: string): Promise<string> {
  await writeFile(path(name), content);
  return path(name);
}

const issue = (issuer: CertificateAuthority): Promise<IssuedCertificate> =>
  issuer.issueServer({ commonName: 'fulfillment', hosts: ['127.0.0.1', 'api.example.com'] });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quartermaster-tls-'));
  authority = await createCertificateAuthority('ours');
  other = await createCertificateAuthority('others');
  clients = await createCertificateAuthority('clients');
  const pair = await issue(authority);
  await file('ca.crt', authority.certificate);
  await file('other-ca.crt', other.certificate);
  service = await startTestFulfillment({
    tls: {
      certFile: await file('tls.crt', pair.certificate),
      keyFile: await file('tls.key', pair.key),
      clientCaFile: await file('clients-ca.crt', clients.certificate),
      authority: authority.certificate,
    },
    log: { ...silentLog, error: (message) => void complaints.push(message) },
    access: { 'fulfillment-admins': ['organization:controllers'], 'fulfillment-sources': ['certificate:sync-bcm=bcm'] },
  });
  token = await service.token({ name: 'root', role: 'admin' });
});

afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

/** With the token of an administrator, or with the certificate that it shows. */
function dial(options: Partial<RpcClientOptions>) {
  const shown = options.tls?.cert === undefined ? { token: () => token } : {};
  const channel = openRpcChannel({ address: service.grpcAddress, tries: 1, ...shown, ...options });
  onTestFinished(() => channel.close());
  return channel;
}

const session = async (options: Partial<RpcClientOptions>) => {
  const { name, role, source } = await dial(options).client(Sessions).get({});
  return { name, role, source };
};

/** Of REST: its status, or why there is none. */
function rest(options: { readonly ca?: string; readonly servername?: string }): Promise<number | string> {
  const { promise, resolve } = Promise.withResolvers<number | string>();
  const headers = { authorization: `Bearer ${token}` };
  request(`${service.restUrl}/api/quartermaster/v1/session`, { headers, agent: false, ...options }, (answer) => {
    answer.resume();
    resolve(answer.statusCode ?? 0);
  })
    .on('error', (error) => resolve(error.message))
    .end();
  return promise;
}

async function asClient(issuer: CertificateAuthority, commonName: string, more: { organizations?: string[]; notAfter?: Date } = {}) {
  const { certificate, key } = await issuer.issueClient({ commonName, ...more });
  return { address: service.certificateAddress ?? '', tls: { ca: authority.certificate, cert: certificate, key } };
}

describe('TLS', () => {
  it('serves gRPC and REST to those who know the authority', async () => {
    expect(await session({ tls: { ca: authority.certificate } })).toMatchObject({ name: 'root', role: 'admin' });
    expect(service.restUrl).toMatch(/^https:/);
    expect(await rest({ ca: authority.certificate })).toBe(200);
  });

  it('is verified unless somebody says otherwise: neither another authority nor another name will do', async () => {
    for (const tls of [{}, { ca: other.certificate }]) {
      await expect(session({ tls })).rejects.toMatchObject({ code: 'unavailable', message: expect.stringContaining('certificate') });
    }
    await expect(session({ tls: { ca: authority.certificate, serverName: 'elsewhere.example.com' } })).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('altnames'),
    });
    expect(await session({ tls: { ca: authority.certificate, serverName: 'api.example.com' } })).toMatchObject({ role: 'admin' });
    expect(await session({ tls: { skipVerification: true } })).toMatchObject({ role: 'admin' });
    expect(await rest({})).toMatch(/certificate/);
    expect(await rest({ ca: other.certificate })).toMatch(/certificate/);
    expect(await rest({ ca: authority.certificate, servername: 'elsewhere.example.com' })).toMatch(/altnames/);
  });

  it('answers nothing in plain text', async () => {
    const ports = [service.grpcAddress, service.certificateAddress ?? '', new URL(service.restUrl).host].map((each) => each.split(':')[1]);
    const openings = ['GET /livez HTTP/1.1\r\nhost: x\r\n\r\n', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0'];
    for (const port of ports) {
      for (const opening of openings) {
        const socket = connect({ host: '127.0.0.1', port: Number(port) });
        socket.write(opening);
        const answer = await text(socket).catch(() => '');
        expect(answer).not.toContain('HTTP');
        expect(answer).not.toContain('\0\0\0\x04\x01');
      }
    }
    const channel = openRpcChannel({ address: service.grpcAddress, token: () => token, tries: 1 });
    onTestFinished(() => channel.close());
    await expect(channel.client(Sessions).get({})).rejects.toMatchObject({ code: 'unavailable' });
  });
});

describe('client certificates', () => {
  it('make synchronizers and controllers known, with their roles and nothing beyond', async () => {
    expect(await session(await asClient(clients, 'hub', { organizations: ['controllers'] }))).toMatchObject({ name: 'hub', role: 'admin' });
    const sync = await asClient(clients, 'sync-bcm');
    expect(await session(sync)).toEqual({ name: 'sync-bcm', role: 'sync', source: 'bcm' });
    const sources = dial(sync).client(HostSources);
    const hosts = [{ sourceId: '1', name: 'bcm-1', serial: 'S1' }];
    expect((await sources.applyHosts({ source: 'bcm', hosts })).hosts).toHaveLength(1);
    await expect(sources.applyHosts({ source: 'netbox', hosts })).rejects.toMatchObject({ code: 'permission_denied' });
    await expect(session(await asClient(clients, 'stranger'))).rejects.toMatchObject({
      code: 'permission_denied',
      message: expect.stringContaining('certificate:stranger in fulfillment-admins'),
    });
  });

  it('of another authority, ended, or not shown at all open nothing', async () => {
    const ended = await asClient(clients, 'sync-bcm', { notAfter: new Date(Date.now() - 1_000) });
    const unknown = await asClient(other, 'sync-bcm');
    const none = { ...unknown, tls: { ca: authority.certificate } };
    for (const options of [ended, unknown, none]) await expect(session(options)).rejects.toMatchObject({ code: 'unavailable' });
    // The other ports ask for no certificate, and take nobody for one.
    await expect(session({ ...unknown, address: service.grpcAddress })).rejects.toMatchObject({ code: 'unauthenticated' });
  });
});

describe('the command line', () => {
  beforeEach(() => void vi.stubEnv('XDG_CONFIG_HOME', folder));
  afterEach(() => void vi.unstubAllEnvs());

  it('logs in and works over TLS, with a token or with a certificate', async () => {
    const tokenFile = await file('token', token);
    const address = service.grpcAddress;
    const login = await cli('login', address, '--name', 'root', '--ca-file', path('ca.crt'), '--token-file', tokenFile);
    expect(login).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('as root, admin'), stderr: '' });
    expect(await cli('get', 'hosts', '-o', 'name')).toEqual({ exitCode: 0, stdout: 'bcm-1\n', stderr: '' });
    const { certificate, key } = await clients.issueClient({ commonName: 'sync-bcm' });
    const own = ['--cert-file', await file('me.crt', certificate), '--key-file', await file('me.key', key)];
    const sync = await cli('login', service.certificateAddress ?? '', '--name', 'sync', '--ca-file', path('ca.crt'), ...own);
    expect(sync).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('as sync-bcm, sync') });
  });

  it('says what to do about a certificate that it does not believe, and about a port of the other kind', async () => {
    const { grpcAddress: address, certificateAddress = '' } = service;
    const port = address.split(':')[1] ?? '';
    const said = async (...args: string[]) => {
      const { exitCode, stderr } = await cli('whoami', ...args);
      expect(exitCode).toBe(1);
      return stderr;
    };
    const [unknown, name, plain, none] = await Promise.all([
      said('--server', `https://${address}`, '--ca-file', path('other-ca.crt')),
      said('--server', `https://localhost:${port}`, '--ca-file', path('ca.crt')),
      said('--server', `http://${address}`),
      said('--server', certificateAddress, '--ca-file', path('ca.crt')),
    ]);
    expect(unknown).toMatch(/^quartermaster: no fulfillment service answers at .*certificate.*: give the authority .* with --ca-file\n$/);
    expect(name).toMatch(/does not match certificate's altnames.* with --tls-server-name\n$/);
    expect(plain).toMatch(/in plain text\): if it serves with TLS, give its authority with --ca-file\n$/);
    expect(none).toMatch(/give one with --cert-file and --key-file\n$/);
  });
});

describe('files that are replaced', () => {
  /** Who signed what a port shows to a new connection. */
  function signerOn(address: string): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const [host = '', port] = address.split(':');
    const socket = connectTls({ host, port: Number(port), ALPNProtocols: ['h2', 'http/1.1'], rejectUnauthorized: false }, () => {
      resolve(String(socket.getPeerCertificate().issuer.CN));
      socket.destroy();
    });
    socket.once('error', reject);
    return promise;
  }
  const patiently = { timeout: 30_000, interval: 50 };

  it('are served to new connections on every port, while open ones stay', async () => {
    const open = dial({ tls: { ca: authority.certificate } }).client(Sessions);
    await open.get({});
    const sync = await asClient(clients, 'sync-bcm');
    const openSync = dial(sync).client(Sessions);
    await openSync.get({});
    const next = await issue(other);
    await file('tls.crt', next.certificate);
    await file('tls.key', next.key);
    const addresses = [service.grpcAddress, new URL(service.restUrl).host, service.certificateAddress ?? ''];
    for (const address of addresses) await expect.poll(() => signerOn(address), patiently).toBe('others');
    expect(await session({ tls: { ca: other.certificate } })).toMatchObject({ role: 'admin' });
    expect((await open.get({})).role).toBe('admin');
    expect((await openSync.get({})).role).toBe('sync');
  });

  it('that hold nothing usable leave the last good ones in use, and somebody is told', async () => {
    const next = await issue(authority);
    await file('tls.crt', 'half a certif');
    await file('clients-ca.crt', other.certificate);
    await expect.poll(() => complaints, patiently).toContain('certificate files are ignored, the last valid ones stay in use');
    expect(await signerOn(service.grpcAddress)).toBe('others');
    await file('tls.key', next.key);
    await file('tls.crt', next.certificate);
    await expect.poll(() => signerOn(service.grpcAddress), patiently).toBe('ours');
  });

  it('decide which client certificates are believed', async () => {
    const before = await asClient(clients, 'sync-bcm');
    const after = await asClient(other, 'sync-bcm');
    await expect.poll(() => session(after).catch(() => ({ role: 'nobody' })), patiently).toMatchObject({ name: 'sync-bcm', role: 'sync' });
    await expect(session(before)).rejects.toMatchObject({ code: 'unavailable' });
  });
});
