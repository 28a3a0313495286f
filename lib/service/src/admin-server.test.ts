import { createServer } from 'node:http';
import { createServer as createSecureServer, request } from 'node:https';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { FakeClock, StatusError } from '@quartermaster/kernel';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type AdminServer, closeServer, startAdminServer } from './admin-server.ts';
import type { AdmitCaller } from './admit-caller.ts';
import { degraded, failed, Health, type HealthStatus, healthy } from './health.ts';
import { listen } from './listen.ts';
import { Metrics } from './metrics.ts';
import { selfSignedTls } from './self-signed-tls.ts';

describe('startAdminServer', () => {
  const clock = new FakeClock(0);
  let status: HealthStatus = healthy;
  let server: AdminServer;
  const metrics = new Metrics({ process: false });
  const get = async (path: string, init?: RequestInit) => {
    const response = await fetch(server.url + path, init);
    return { status: response.status, text: await response.text(), headers: response.headers };
  };

  beforeEach(async () => {
    status = healthy;
    const health = new Health({ clock });
    health.register('cache', 'ready', () => status);
    health.register('loop', 'live', () => healthy);
    server = await startAdminServer({ health, metrics });
  });
  afterEach(() => server.stop(0));

  it('listens on loopback unless told otherwise', () => {
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  });

  it('answers ok, and with all checks when asked', async () => {
    expect(await get('/readyz')).toMatchObject({ status: 200, text: 'ok\n' });
    expect((await get('/readyz?verbose')).text).toBe('[+] cache ok since 1970-01-01T00:00:00.000Z\nok\n');
    expect((await get('/livez?verbose')).text).toContain('[+] loop ok');
  });

  it('stays ready while degraded', async () => {
    status = degraded('slow');
    expect(await get('/readyz')).toMatchObject({ status: 200, text: 'ready, degraded\n' });
  });

  it('answers 503 with the reason when a check failed, and stays live', async () => {
    status = failed('no answer from the API server');
    const answer = await get('/readyz');
    expect(answer.status).toBe(503);
    expect(answer.text).toBe('[-] cache failed since 1970-01-01T00:00:00.000Z: no answer from the API server\nnot ready\n');
    expect((await get('/livez')).status).toBe(200);
  });

  it('serves metrics', async () => {
    metrics.gauge({ name: 'depth', help: 'Depth.' }).set({}, 3);
    const answer = await get('/metrics');
    expect(answer.text).toContain('depth 3\n');
    expect(answer.headers.get('content-type')).toContain('text/plain; version=0.0.4');
  });

  it('refuses other paths and methods', async () => {
    expect(await get('/')).toMatchObject({ status: 404, text: expect.stringContaining('/readyz') });
    expect((await get('//readyz/../x')).status).toBe(404);
    const posted = await get('/livez', { method: 'POST', body: 'x' });
    expect(posted.status).toBe(405);
    expect(posted.headers.get('allow')).toBe('GET, HEAD');
    expect(await get('/livez', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
  });

  it('refuses to listen beyond loopback without TLS or without a way to know its callers', async () => {
    const tls = await selfSignedTls({ commonName: 'admin' });
    onTestFinished(() => tls.close());
    const start = (more: object) => startAdminServer({ health: new Health(), metrics, host: '0.0.0.0', ...more });
    const message =
      'would be reachable from other machines at 0.0.0.0: give it a certificate and a way to know its callers, or use 127.0.0.1';
    for (const more of [{}, { tls }, { admit: async () => {} }]) await expect(start(more)).rejects.toThrow(message);
  });

  it.each([
    [healthy, 200, 'ok'],
    [degraded('slow'), 200, 'degraded'],
    [failed('secret-name is missing'), 503, 'failed'],
  ])('tells one word to those it does not know, and reasons and metrics to those whom it admits: %j', async (state, code, word) => {
    await server.stop(0);
    const health = new Health({ clock });
    health.register('cache', 'ready', () => state);
    const tls = await selfSignedTls({ commonName: 'admin' });
    onTestFinished(() => tls.close());
    const admit: AdmitCaller = async ({ token }) => {
      if (token === undefined) throw new StatusError('unauthenticated', 'not authenticated: send a token');
      if (token !== 'good') throw new StatusError('permission_denied', 'may not read this: ask for it');
    };
    server = await startAdminServer({ health, metrics, host: '0.0.0.0', tls, admit });
    const ask = (path: string, authorization?: string): Promise<readonly [number | undefined, string]> =>
      new Promise((resolve, reject) => {
        const url = `https://127.0.0.1:${server.port}${path}`;
        const headers = authorization === undefined ? {} : { authorization };
        request(url, { rejectUnauthorized: false, agent: false, headers }, (response) => {
          text(response).then((body) => resolve([response.statusCode, body]), reject);
        })
          .once('error', reject)
          .end();
      });
    expect(await ask('/readyz')).toEqual([code, `${word}\n`]);
    for (const path of ['/readyz?verbose', '/metrics']) {
      expect(await ask(path)).toEqual([401, 'not authenticated: send a token\n']);
      expect(await ask(path, 'Basic good')).toEqual([401, 'not authenticated: send a token\n']);
      expect(await ask(path, 'Bearer bad')).toEqual([403, 'may not read this: ask for it\n']);
    }
    expect(await ask('/readyz?verbose', 'Bearer good')).toEqual([code, expect.stringContaining(`cache ${state.state}`)]);
    expect(await ask('/metrics', 'Bearer good')).toEqual([200, expect.stringContaining('# HELP')]);
  });

  it('takes a resumed session of a caller that showed no certificate for none', async () => {
    await server.stop(0);
    const own = await selfSignedTls({ commonName: 'admin' });
    onTestFinished(() => own.close());
    const shown: unknown[] = [];
    const admit: AdmitCaller = async (caller) => void shown.push(caller);
    const tls = { ...own, serverOptions: () => ({ ...own.serverOptions(), requestCert: true }), keep: () => () => {} };
    server = await startAdminServer({ health: new Health({ clock }), metrics, host: '0.0.0.0', tls, admit });
    const ask = (session?: Buffer): Promise<{ readonly session: Buffer | undefined; readonly isResumed: boolean }> =>
      new Promise((resolve, reject) => {
        let given: Buffer | undefined;
        let isResumed = false;
        const socket = connectTls({ port: server.port, host: '127.0.0.1', rejectUnauthorized: false, session });
        socket.once('secureConnect', () => {
          isResumed = socket.isSessionReused();
        });
        socket.on('session', (each) => {
          given = each;
        });
        socket.once('error', reject);
        socket.write('GET /metrics HTTP/1.1\r\nhost: admin\r\nconnection: close\r\n\r\n');
        text(socket).then(() => resolve({ session: given, isResumed }), reject);
      });
    const { session } = await ask();
    expect((await ask(session)).isResumed).toBe(true);
    const none = { peer: expect.stringMatching(/^127\.0\.0\.1:\d+$/), token: undefined, hasCertificate: false };
    expect(shown).toEqual([none, none]);
  });

  it('tells whoever is not admitted one word, also on loopback', async () => {
    await server.stop(0);
    const health = new Health({ clock });
    health.register('cache', 'ready', () => failed('secret-name is missing'));
    const shown: unknown[] = [];
    const admit: AdmitCaller = async (caller) => {
      shown.push(caller);
      if (caller.token === 'good') return;
      throw new StatusError(caller.token === undefined ? 'unauthenticated' : 'permission_denied', 'show a good token');
    };
    server = await startAdminServer({ health, metrics, admit });
    const ask = async (path: string, token?: string): Promise<readonly [number, string]> => {
      const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
      const response = await fetch(`${server.url}${path}`, { headers });
      return [response.status, await response.text()];
    };
    expect([await ask('/readyz'), await ask('/livez')]).toEqual([
      [503, 'failed\n'],
      [200, 'ok\n'],
    ]);
    expect(shown).toEqual([]);
    for (const path of ['/readyz?verbose', '/metrics']) {
      expect(await ask(path)).toEqual([401, 'show a good token\n']);
      expect(await ask(path, 'bad')).toEqual([403, 'show a good token\n']);
    }
    expect((await ask('/readyz?verbose', 'good'))[1]).toContain('secret-name is missing');
    expect((await ask('/metrics', 'good'))[0]).toBe(200);
    expect(shown.at(-1)).toEqual({ peer: expect.stringMatching(/^127\.0\.0\.1:\d+$/), token: 'good', hasCertificate: false });
  });

  it('tells whoever calls too often when to come back', async () => {
    await server.stop(0);
    const admit: AdmitCaller = async () => {
      throw new StatusError('resource_exhausted', 'ask less often', { details: { retryAfterMs: 1_200 } });
    };
    server = await startAdminServer({ health: new Health({ clock }), metrics, admit });
    const response = await fetch(`${server.url}/metrics`);
    expect([response.status, response.headers.get('retry-after'), await response.text()]).toEqual([429, '2', 'ask less often\n']);
  });

  it('says what to do when the port is taken', async () => {
    const again = startAdminServer({ health: new Health(), metrics, port: server.port });
    await expect(again).rejects.toThrow(`port 127.0.0.1:${server.port} is in use: stop what listens there or choose another port`);
    await expect(again).rejects.toBeInstanceOf(StatusError);
  });
});

describe('closeServer', () => {
  it('does not wait for those who never finish a TLS handshake', async () => {
    const clock = new FakeClock(Date.now());
    const tls = await selfSignedTls({ commonName: 'admin' });
    onTestFinished(() => tls.close());
    const server = createSecureServer(tls.serverOptions());
    const port = await listen(server, { host: '127.0.0.1', port: 0 });
    const arrived = new Promise((resolve) => server.once('connection', resolve));
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    const cut = new Promise((resolve) => socket.once('close', resolve));
    await arrived;
    const closing = closeServer(server, 1000, clock);
    await clock.advance(1000);
    await closing;
    await cut;
    expect(server.listening).toBe(false);
  });

  it('lets a running answer finish and cuts it off when the time is over', async () => {
    const clock = new FakeClock();
    const server = createServer(() => {});
    const port = await listen(server, { host: '127.0.0.1', port: 0 });
    const socket = connect(port, '127.0.0.1');
    const cut = new Promise((resolve) => socket.once('close', resolve));
    const arrived = new Promise((resolve) => server.once('request', resolve));
    socket.on('error', () => {});
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    await arrived;
    let isClosed = false;
    const closing = closeServer(server, 1000, clock).then(() => {
      isClosed = true;
    });
    await clock.advance(999);
    expect(isClosed).toBe(false);
    await clock.advance(1);
    await closing;
    await cut;
    expect(isClosed).toBe(true);
    expect(clock.pendingTimers).toBe(0);
  });
});
