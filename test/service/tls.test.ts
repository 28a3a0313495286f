import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { FakeClock } from '@quartermaster/kernel';
import { type AdminServer, Health, healthy, Metrics, startAdminServer, type TlsCertificates, watchTls } from '@quartermaster/service';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type CertificateAuthority, createCertificateAuthority, type IssuedCertificate } from '../kube/certificates.ts';

/** With TLS 1.3 a client hears of the refusal as an alert, or only that the connection is gone. */
const refusedByServer = /alert|reset|hang up|EPIPE/i;

describe('TLS from files', () => {
  let authority: CertificateAuthority;
  let first: IssuedCertificate;
  let second: IssuedCertificate;
  let folder = '';
  let clock = new FakeClock();
  let certificates: TlsCertificates | undefined;
  let server: AdminServer | undefined;

  const path = (name: string): string => join(folder, name);
  const write = async (pair: IssuedCertificate): Promise<void> => {
    await writeFile(path('tls.crt'), pair.certificate);
    await writeFile(path('tls.key'), pair.key);
  };
  const open = async (more: { readonly clientCaFile?: string } = {}): Promise<TlsCertificates> => {
    certificates = await watchTls({ certFile: path('tls.crt'), keyFile: path('tls.key'), ...more }, { clock });
    return certificates;
  };
  const serve = async (tls: TlsCertificates): Promise<AdminServer> => {
    const health = new Health();
    health.register('x', 'ready', () => healthy);
    server = await startAdminServer({ health, metrics: new Metrics({ process: false }), tls });
    return server;
  };

  beforeAll(async () => {
    authority = await createCertificateAuthority('test');
    first = await authority.issueServer({ commonName: 'first', hosts: ['127.0.0.1'] });
    second = await authority.issueServer({ commonName: 'second', hosts: ['127.0.0.1'] });
  });
  beforeEach(async () => {
    clock = new FakeClock(Date.now());
    folder = await mkdtemp(join(tmpdir(), 'quartermaster-tls-'));
    await write(first);
  });
  afterEach(async () => {
    await server?.stop(0);
    await certificates?.close();
    [server, certificates] = [undefined, undefined];
    await rm(folder, { recursive: true });
  });

  /** A connection that stays open, and what its server showed. */
  function dial(port: number): Promise<TLSSocket> {
    return new Promise((resolve, reject) => {
      const socket = connect({ host: '127.0.0.1', port, ca: authority.certificate }, () => resolve(socket));
      socket.once('error', reject);
    });
  }

  async function subjectOf(port: number): Promise<string> {
    const socket = await dial(port);
    const { subject } = socket.getPeerCertificate();
    socket.destroy();
    return String(subject.CN);
  }

  /** Sends a request over an open connection and resolves with its status line. */
  function askOver(socket: TLSSocket): Promise<string> {
    return new Promise((resolve, reject) => {
      socket.once('data', (data) => resolve(String(data).split('\r\n')[0] ?? ''));
      socket.once('close', () => reject(new Error('the connection was dropped')));
      socket.write('GET /readyz HTTP/1.1\r\nhost: x\r\n\r\n');
    });
  }

  it('serves a changed certificate to new connections and keeps the open ones', async () => {
    const tls = await open();
    const { port } = await serve(tls);
    const old = await dial(port);
    expect(await subjectOf(port)).toBe('first');
    await write(second);
    await tls.reload();
    expect(await subjectOf(port)).toBe('second');
    expect(await askOver(old)).toBe('HTTP/1.1 200 OK');
    expect(tls.status().state).toBe('current');
    old.destroy();
  });

  it('keeps the last good pair while the new one is broken, says so, and recovers', async () => {
    const tls = await open();
    const { port } = await serve(tls);
    const before = tls.status().fingerprint;
    await writeFile(path('tls.crt'), second.certificate);
    await tls.reload();
    expect(tls.status()).toMatchObject({ state: 'broken', fingerprint: before });
    expect(tls.status().problem).toContain('is not the key of');
    expect(tls.check()).toMatchObject({ state: 'degraded', reason: expect.stringContaining('the last valid certificate stays in use') });
    expect(await subjectOf(port)).toBe('first');
    await writeFile(path('tls.key'), second.key);
    await tls.reload();
    expect(tls.status().state).toBe('current');
    expect(tls.check()).toEqual(healthy);
    expect(await subjectOf(port)).toBe('second');
  });

  it.each([
    ['no certificate', 'tls.crt', 'rubbish', 'tls.crt must hold a certificate in PEM form'],
    ['no key', 'tls.key', 'rubbish', 'tls.key must hold a private key in PEM form'],
    ['nothing', 'tls.key', '', 'tls.key must hold a private key'],
  ])('refuses to begin with a file that holds %s', async (_name, file, text, message) => {
    await writeFile(path(file), text);
    await expect(open()).rejects.toThrow(message);
    expect(clock.pendingTimers).toBe(0);
  });

  it('refuses to begin with a file that is not there', async () => {
    await rm(path('tls.key'));
    await expect(open()).rejects.toThrow('tls.key cannot be read: create it or name another file');
  });

  it('warns before the certificate ends and fails after', async () => {
    const soon = await authority.issueServer({ commonName: 'soon', hosts: ['127.0.0.1'], notAfter: new Date(clock.now() + 3_600_000) });
    await write(soon);
    const tls = await open();
    expect(tls.check()).toMatchObject({ state: 'degraded', reason: expect.stringContaining('expires at') });
    await clock.advance(3_600_000);
    expect(tls.check()).toMatchObject({ state: 'failed', reason: expect.stringContaining('expired at') });
  });

  it('lets in only clients of its authority when there is one, and follows that file, too', async () => {
    await writeFile(path('ca.crt'), authority.certificate);
    const tls = await open({ clientCaFile: path('ca.crt') });
    const { port } = await serve(tls);
    const client = await authority.issueClient({ commonName: 'prober' });
    const otherAuthority = await createCertificateAuthority('other');
    const stranger = await otherAuthority.issueClient({ commonName: 'prober' });
    const get = (identity: Partial<IssuedCertificate>): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const pair = { cert: identity.certificate, key: identity.key };
        const sent = request({ host: '127.0.0.1', port, path: '/livez', ca: authority.certificate, agent: false, ...pair }, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        });
        sent.once('error', reject);
        sent.end();
      });
    expect(await get(client)).toBe(200);
    await expect(get({})).rejects.toThrow(refusedByServer);
    await expect(get(stranger)).rejects.toThrow(refusedByServer);
    await writeFile(path('ca.crt'), otherAuthority.certificate);
    await tls.reload();
    expect(await get(stranger)).toBe(200);
    await expect(get(client)).rejects.toThrow(refusedByServer);
  });

  it('knows a client by its certificate until that ends, also on a connection that is older', async () => {
    await writeFile(path('clients.crt'), authority.certificate);
    const shown: boolean[] = [];
    server = await startAdminServer({
      health: new Health(),
      metrics: new Metrics({ process: false }),
      tls: await open({ clientCaFile: path('clients.crt') }),
      admit: async ({ hasCertificate }) => void shown.push(hasCertificate),
      clock,
    });
    const { certificate: cert, key } = await authority.issueClient({
      commonName: 'prometheus',
      notAfter: new Date(clock.now() + 3_600_000),
    });
    const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: authority.certificate, cert, key });
    const url = `https://127.0.0.1:${server.port}/metrics`;
    const isReused = (): Promise<boolean> =>
      new Promise((resolve, reject) => {
        const asked = request(url, { agent }, (response) => response.resume().once('end', () => resolve(asked.reusedSocket)));
        asked.once('error', reject).end();
      });
    expect(await isReused()).toBe(false);
    await clock.advance(3_600_000);
    expect(await isReused()).toBe(true);
    agent.destroy();
    expect(shown).toEqual([true, false]);
  });
});
