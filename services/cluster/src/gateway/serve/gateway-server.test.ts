import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { StatusError, silentLog, systemClock } from '@quartermaster/kernel';
import { selfSignedTls } from '@quartermaster/service';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type GatewayRoute, RouteTable } from './gateway-route.ts';
import { GatewayServer } from './gateway-server.ts';

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

describe('the server for tenants', () => {
  const answers: string[] = [];
  let server: GatewayServer;
  let port: number;
  let closing: () => Promise<void>;

  beforeAll(async () => {
    const certificates = await selfSignedTls({ commonName: 'gateway', names: ['localhost'], clock: systemClock, log: silentLog });
    server = new GatewayServer({
      routes: new RouteTable([echo, gone, body]),
      identify: async ({ authorization }) => {
        if (authorization !== 'Bearer amy') throw new StatusError('unauthenticated', 'show a token');
        return { owner: 'amy', proof: 'token', fingerprint: 'f', endsAt: Number.MAX_SAFE_INTEGER, access: { access: 'full' } };
      },
      ...{ limits: undefined, publicLimits: undefined, streams: undefined, slowReaderMs: 30_000, clock: systemClock, log: silentLog },
      tls: { serverOptions: () => certificates.serverOptions(), keep: (of) => certificates.keep(of) },
      onAnswer: (route, status) => void answers.push(`${route} ${status}`),
    });
    server.server.listen(0, '127.0.0.1');
    await once(server.server, 'listening');
    ({ port } = server.server.address() as AddressInfo);
    closing = async () => {
      server.stop();
      server.server.closeAllConnections();
      server.server.close();
      await certificates.close();
    };
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
