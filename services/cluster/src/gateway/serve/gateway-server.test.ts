import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect, type TLSSocket } from 'node:tls';
import { FakeClock, StatusError, silentLog, systemClock } from '@quartermaster/kernel';
import { CallLimits, StreamLimits } from '@quartermaster/rpc';
import { selfSignedTls } from '@quartermaster/service';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { type GatewayRoute, RouteTable } from './gateway-route.ts';
import { GatewayServer, type GatewayServerOptions } from './gateway-server.ts';

const echo: GatewayRoute = {
  ...{ kind: 'stream', method: 'GET', path: '/echo' },
  open: async () => async (socket) => {
    const over = Promise.withResolvers<void>();
    socket.signal.addEventListener('abort', () => over.resolve());
    socket.receive(async (bytes) => await socket.send(`heard ${bytes.toString()}`));
    await over.promise;
  },
};
const gone: GatewayRoute = { ...echo, path: '/gone', open: () => Promise.reject(new StatusError('not_found', 'no such lease')) };
const body: GatewayRoute = { kind: 'answer', method: 'PUT', path: '/body', maxBodyBytes: 10, answer: async (_request, text) => ({ text }) };

const shut: GatewayRoute = { ...echo, path: '/shut', open: () => Promise.reject(new StatusError('permission_denied', 'not for you')) };
const open: GatewayRoute = { kind: 'public', method: 'GET', path: '/open', answer: async () => ({ json: {} }) };
const own: GatewayRoute = { kind: 'answer', method: 'GET', path: '/own', answer: async ({ tenant }) => ({ json: tenant.owner }) };

/** Tenants show their names as tokens. */
const byName: GatewayServerOptions['identify'] = async ({ authorization }) => {
  const owner = /^Bearer (amy|bob)$/.exec(authorization ?? '')?.[1];
  if (owner === undefined) throw new StatusError('unauthenticated', 'show a token');
  return { owner, proof: 'token', fingerprint: 'f', endsAt: Number.MAX_SAFE_INTEGER, access: { access: 'full' } };
};

async function started(changed: Partial<GatewayServerOptions> = {}) {
  const certificates = await selfSignedTls({ commonName: 'gateway', names: ['localhost'], clock: systemClock, log: silentLog });
  const server = new GatewayServer({
    routes: new RouteTable([echo, gone, shut, body, open, own]),
    ...{ identify: byName, onAnswer: () => {} },
    ...{ limits: undefined, publicLimits: undefined, streams: undefined, slowReaderMs: 30_000, clock: systemClock, log: silentLog },
    tls: {
      serverOptions: () => ({ ...certificates.serverOptions(), requestCert: true, rejectUnauthorized: false }),
      keep: (of) => certificates.keep(of),
    },
    ...changed,
  });
  server.server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  const stop = async (): Promise<void> => {
    server.stop();
    server.server.closeAllConnections();
    server.server.close();
    await certificates.close();
  };
  return { server, port, stop };
}

describe('the server for tenants', () => {
  const answers: string[] = [];
  let server: GatewayServer;
  let port: number;
  let closing: () => Promise<void>;

  beforeAll(async () => {
    const onAnswer = (route: string, status: number) => void answers.push(`${route} ${status}`);
    ({ server, port, stop: closing } = await started({ onAnswer }));
  });
  afterAll(() => closing());

  const socketTo = (path: string, authorization = 'Bearer amy'): WebSocket =>
    new WebSocket(`wss://127.0.0.1:${port}${path}`, { headers: { authorization }, rejectUnauthorized: false });
  /** One that keeps its half open. Resolves with all that was answered, once the server has closed. */
  const raw = async (text: string): Promise<string> => {
    const socket: TLSSocket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, allowHalfOpen: true } as never);
    let answer = '';
    socket.on('data', (bytes: Buffer) => void (answer += bytes.toString()));
    // Where the server is gone, what is still sent to it fails.
    socket.on('error', () => {});
    const ended = once(socket, 'end');
    const [accepted] = (await Promise.all([once(server.server, 'secureConnection'), once(socket, 'secureConnect')]))[0] as [TLSSocket];
    const closed = once(accepted, 'close');
    socket.write(text);
    await Promise.all([ended, closed]);
    socket.destroy();
    return answer;
  };

  it('answers what a tenant says and asks, and ends the stream with it', async () => {
    const client = socketTo('/echo');
    client.on('open', () => {
      client.send('a');
      client.ping('p');
    });
    const [[pong], [heard]] = await Promise.all([once(client, 'pong'), once(client, 'message')]);
    expect([String(pong), String(heard), server.openStreams]).toEqual(['p', 'heard a', 1]);
    client.close();
    await once(client, 'close');
    await expect.poll(() => [server.openStreams, answers.includes('/echo 1000')]).toEqual([0, true]);
  });

  it('says on the stream that there is no such lease', async () => {
    const [code, reason] = await once(socketTo('/gone'), 'close');
    expect([code, String(reason)]).toEqual([4001, 'no such lease']);
  });

  it('closes a connection that it refuses, though the other side does not', async () => {
    const upgrade = (path: string) => `GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n`;
    expect(await raw(upgrade('/echo'))).toContain('{"message":"show a token"}');
    expect(await raw(upgrade('/nothing'))).toContain('HTTP/1.1 404');
    expect(await raw('NO HTTP\r\n\r\n')).toContain('HTTP/1.1 400');
  });

  it('tells of a body that is too long', async () => {
    const put = `PUT /body HTTP/1.1\r\nhost: x\r\nauthorization: Bearer amy\r\ncontent-length: 1000\r\n\r\n${'x'.repeat(100)}`;
    expect(await raw(put)).toMatch(/^HTTP\/1\.1 413 [^]*body: must have at most 10 bytes/);
  });
});

describe('what the server for tenants admits', () => {
  interface Shown {
    readonly token?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly certificate?: { readonly cert: string; readonly key: string };
  }
  const upgrade = { connection: 'upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
  const withKey = { ...upgrade, 'sec-websocket-key': Buffer.alloc(16, 1).toString('base64') };
  const clock = new FakeClock();

  /** Of a server that ends with the test. `ask` has a connection of its own; one that becomes a stream is ended by what it returns beside. */
  async function limited(changed: Partial<GatewayServerOptions> = {}) {
    const { server, port, stop } = await started({ limits: new CallLimits({ perSecond: 1, clock }), ...changed });
    onTestFinished(stop);
    const ask = async (path: string, { token, headers, certificate }: Shown = {}) => {
      const bearer = token === undefined ? {} : { authorization: `Bearer ${token}` };
      const options = { host: '127.0.0.1', port, path, agent: false, rejectUnauthorized: false, ...certificate };
      const outgoing = request({ ...options, headers: { ...bearer, ...headers } }).end();
      const upgraded = once(outgoing, 'upgrade') as Promise<[IncomingMessage, Duplex]>;
      const [answer, socket] = await Promise.race([upgraded, once(outgoing, 'response') as Promise<[IncomingMessage]>]);
      answer.resume();
      return { status: answer.statusCode, retryAfter: answer.headers['retry-after'], end: () => socket?.destroy() };
    };
    const statuses = async (times: number, path: string, shown?: Shown) => {
      const all: unknown[] = [];
      for (let time = 0; time < times; time += 1) all.push((await ask(path, shown)).status);
      return all;
    };
    return { server, ask, statuses };
  }

  it('is a tenant no more often than it may ask, and any other one meanwhile', async () => {
    const { ask, statuses } = await limited();
    expect(await statuses(4, '/own', { token: 'amy' })).toEqual([200, 200, 200, 200]);
    expect(await ask('/own', { token: 'amy' })).toMatchObject({ status: 429, retryAfter: '1' });
    expect(await ask('/echo', { token: 'amy', headers: withKey })).toMatchObject({ status: 429, retryAfter: '1' });
    expect(await statuses(1, '/own', { token: 'bob' })).toEqual([200]);
  });

  it('is a tenant from an address that asks for what is public too often', async () => {
    const { statuses } = await limited({ publicLimits: new CallLimits({ perSecond: 1, clock }) });
    expect(await statuses(2, '/open')).toEqual([200, 429]);
    expect(await statuses(4, '/own', { token: 'amy' })).toEqual([200, 200, 200, 200]);
  });

  it('is a tenant from an address of which nobody could be asked about for long, but not from one that guesses', async () => {
    let isAway = true;
    const identify: GatewayServerOptions['identify'] = async (shown) => {
      if (isAway) throw new StatusError('unavailable', 'the market is away');
      return await byName(shown);
    };
    const { statuses } = await limited({ identify });
    expect(await statuses(3, '/own', { token: 'amy' })).toEqual([503, 503, 503]);
    isAway = false;
    expect(await statuses(2, '/own', { token: 'eve' })).toEqual([401, 429]);
  });

  it('is another stream of a tenant after those that came to nothing', async () => {
    const { server, ask, statuses } = await limited({ limits: undefined, streams: new StreamLimits({ most: 1 }) });
    expect(await statuses(2, '/shut', { token: 'amy', headers: withKey })).toEqual([403, 403]);
    expect(await statuses(2, '/echo', { token: 'amy', headers: upgrade })).toEqual([400, 400]);
    const stream = await ask('/echo', { token: 'amy', headers: withKey });
    expect([stream.status, ...(await statuses(1, '/echo', { token: 'amy', headers: withKey }))]).toEqual([101, 429]);
    expect((await ask('/echo', { token: 'bob', headers: withKey })).status).toBe(101);
    stream.end();
    await expect.poll(() => server.openStreams).toBe(1);
    expect(await statuses(1, '/echo', { token: 'amy', headers: withKey })).toEqual([101]);
  });

  it('is no page with the certificate of whoever looks at it', async () => {
    const asked: unknown[] = [];
    const identify: GatewayServerOptions['identify'] = async ({ certificate }) => {
      asked.push(certificate?.commonName);
      return await byName({ authorization: 'Bearer amy', certificate });
    };
    const { ask } = await limited({ identify, limits: undefined });
    const certificate = (await selfSignedTls({ commonName: 'amy' })).serverOptions() as { cert: string; key: string };
    const headers = { origin: 'https://page.example' };
    expect((await ask('/own', { certificate, headers })).status).toBe(403);
    expect((await ask('/echo', { certificate, headers: { ...withKey, ...headers } })).status).toBe(403);
    expect(asked).toEqual([]);
    expect((await ask('/own', { certificate })).status).toBe(200);
    expect((await ask('/own', { token: 'amy', headers })).status).toBe(200);
    expect(asked).toEqual(['amy', undefined]);
  });
});
