import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { whenStalled } from '../../test/when-stalled.ts';
import { KubeClient } from '../client/client.ts';
import { staticCredentials } from '../transport/static-credentials.ts';
import { KubeTransport } from '../transport/transport.ts';
import { openExec, type PodExec, type PodExecOptions } from './pod-exec.ts';
import { podExec } from './pod-streams.ts';

const ends: (() => Promise<unknown> | undefined)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

async function clientOf(server: Server): Promise<KubeClient> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = new KubeClient(new KubeTransport({ credentials: staticCredentials({ server: url, token: 'secret' }) }));
  ends.push(async () => {
    await client.close();
    server.close();
  });
  return client;
}

/** An API server whose containers do what `command` does with the connection; `request` is what it was asked. */
async function serving(
  command: (socket: WebSocket, request: IncomingMessage) => void,
  protocol = 'v5.channel.k8s.io',
): Promise<KubeClient> {
  const sockets = new WebSocketServer({ noServer: true, handleProtocols: (offered) => (offered.has(protocol) ? protocol : false) });
  const server = createServer().on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    sockets.handleUpgrade(request, socket, head, (opened) => command(opened, request));
  });
  ends.push(async () => sockets.clients.forEach((socket) => socket.terminate()));
  return await clientOf(server);
}

const pod = { namespace: 'default', name: 'web' };
const never = new AbortController().signal;
const open = (client: KubeClient, options: Partial<PodExecOptions> = {}): Promise<PodExec> =>
  openExec(client, pod, { command: ['sh'], tty: false, stdin: true, signal: never, ...options });

const frame = (channel: number, text: string): Buffer => Buffer.concat([Buffer.of(channel), Buffer.from(text)]);
const success = frame(3, '{"metadata":{},"status":"Success"}');
const failure = (status: object): Buffer => frame(3, JSON.stringify({ status: 'Failure', ...status }));
const exit = (code: number): Buffer => failure({ details: { causes: [{ reason: 'ExitCode', message: String(code) }] } });

async function textOf({ output }: PodExec): Promise<string> {
  let text = '';
  for await (const { channel, bytes } of output) text += `${channel === 'stderr' ? '!' : ''}${Buffer.from(bytes).toString()} `;
  return text.trim();
}

describe('openExec', () => {
  it('asks for what it is told to, as who it is', async () => {
    let asked: IncomingMessage | undefined;
    const client = await serving((socket, request) => {
      asked = request;
      socket.send(success);
    });
    const exec = await open(client, { container: 'main', command: ['echo', 'a b&c'], tty: true });
    expect(await exec.ended).toBe(0);
    const query = 'command=echo&command=a+b%26c&container=main&stdin=true&stdout=true&stderr=false&tty=true';
    expect(asked?.url).toBe(`/api/v1/namespaces/default/pods/web/exec?${query}`);
    expect(asked?.headers.authorization).toBe('Bearer secret');
  });

  it('gives the output in the order in which it was written, also what came with the consent, and the exit code', async () => {
    const client = await serving((socket) => {
      for (const each of [frame(1, ''), frame(1, 'one'), frame(2, 'two'), frame(1, 'three'), exit(3)]) socket.send(each);
      socket.close();
    });
    const exec = await open(client);
    expect([await textOf(exec), await exec.ended]).toEqual(['one !two three', 3]);
  });

  it('passes on input, its end and the size of the terminal', async () => {
    const frames: string[] = [];
    const client = await serving((socket) => {
      socket.on('message', (data: Buffer) => {
        frames.push(data.toString('latin1'));
        if (data[0] === 255) socket.send(success);
      });
    });
    const exec = await open(client);
    exec.resize({ width: 132, height: 40 });
    await exec.write(Buffer.from('ls\n'));
    exec.endInput();
    expect(await exec.ended).toBe(0);
    expect(frames).toEqual(['\x04{"Width":132,"Height":40}', '\0ls\n', '\xff\0']);
    await exec.write(Buffer.from('too late'));
  });

  it('speaks the older protocol with a server that knows no other, and then cannot say that the input ends', async () => {
    const frames: Buffer[] = [];
    const client = await serving((socket) => {
      socket.on('message', (data: Buffer) => {
        frames.push(data);
        socket.send(success);
      });
    }, 'v4.channel.k8s.io');
    const exec = await open(client);
    exec.endInput();
    await exec.write(Buffer.from('x'));
    expect(await exec.ended).toBe(0);
    expect(frames).toEqual([frame(0, 'x')]);
  });

  it('does not read while nobody takes the output, and loses none of it', async () => {
    const limit = 64 * 2 ** 20;
    const total = 256 * 2 ** 20;
    let sent = 0;
    const client = await serving((socket) => {
      const chunk = Buffer.alloc(32 * 1024 + 1, 1);
      const next = (): void => {
        sent += chunk.length - 1;
        socket.send(chunk, () => (sent < total ? next() : socket.send(exit(7), () => socket.close())));
      };
      next();
    });
    const counter = (): number => sent;
    const exec = await open(client);
    expect(await whenStalled(counter, limit)).toBeLessThan(limit);
    let taken = 0;
    for await (const { bytes } of exec.output) {
      taken += bytes.length;
      // A reader that stops again and again.
      if (taken % (16 * 2 ** 20) === 0) expect((await whenStalled(counter, taken + limit)) - taken).toBeLessThan(limit);
    }
    expect([taken, await exec.ended]).toEqual([total, 7]);
  });

  it('takes no more input than the command does', async () => {
    let peer: WebSocket | undefined;
    const client = await serving((socket) => {
      peer = socket;
      socket.pause();
    });
    const exec = await open(client);
    let written = 0;
    const limit = 64 * 2 ** 20;
    const writing = (async () => {
      for (; written < limit; written += 2 ** 16) await exec.write(Buffer.alloc(2 ** 16));
    })();
    expect(await whenStalled(() => written, limit)).toBeLessThan(limit);
    peer?.resume();
    await writing;
    expect(written).toBe(limit);
  });

  it('tells a stream that breaks from a command that ends', async () => {
    const client = await serving((socket) => {
      socket.send(frame(1, 'half'), () => socket.terminate());
    });
    const exec = await open(client);
    expect(await textOf(exec)).toBe('half');
    await expect(exec.ended).rejects.toMatchObject({ code: 'unavailable', message: expect.stringMatching(/^exec in pods default\/web: /) });
  });

  it('hangs up when it is closed or its signal aborts, once and for all', async () => {
    let hungUp = 0;
    const client = await serving((socket) => {
      socket.on('close', () => {
        hungUp += 1;
      });
    });
    const closed = await open(client);
    closed.close();
    closed.close();
    await expect(closed.ended).rejects.toMatchObject({ code: 'unavailable' });
    const caller = new AbortController();
    const aborted = await open(client, { signal: caller.signal });
    caller.abort(new Error('the tenant has left'));
    await expect(aborted.ended).rejects.toThrow('the tenant has left');
    expect(await textOf(aborted)).toBe('');
    await expect.poll(() => hungUp).toBe(2);
    await expect(open(client, { signal: caller.signal })).rejects.toThrow('the tenant has left');
  });

  it('can be given up while it is being opened', async () => {
    const asked = Promise.withResolvers<void>();
    const client = await clientOf(
      createServer().on('upgrade', (_request, socket: Duplex) => asked.resolve(void socket.on('error', () => {}))),
    );
    const caller = new AbortController();
    const opening = open(client, { signal: caller.signal });
    await asked.promise;
    caller.abort(new Error('not wanted any more'));
    await expect(opening).rejects.toThrow('not wanted any more');
  });

  it.each([
    [404, 'not_found', { kind: 'Status', message: 'pods "web" not found', details: { name: 'web' } }],
    [403, 'permission_denied', { kind: 'Status', message: 'pods "web" is forbidden' }],
    [400, 'invalid_argument', { kind: 'Status', message: 'container other is not valid' }],
    [401, 'unauthenticated', { kind: 'Status', message: 'Unauthorized' }],
    [503, 'unavailable', { kind: 'Status', message: 'the node is lost' }],
  ])('says why it was refused with %i', async (status, code, body) => {
    let asked = 0;
    const server = createServer().on('upgrade', (_request, socket: Duplex) => {
      asked += 1;
      const text = JSON.stringify(body);
      socket.end(`HTTP/1.1 ${status} Refused\r\ncontent-length: ${text.length}\r\n\r\n${text}`);
    });
    const refused = open(await clientOf(server));
    await expect(refused).rejects.toMatchObject({ code, message: expect.stringContaining(body.message) });
    // Credentials may just have been rotated.
    expect(asked).toBe(status === 401 ? 2 : 1);
  });

  it('says that nobody answers', async () => {
    const server = createServer();
    const client = await clientOf(server);
    server.close();
    await expect(open(client)).rejects.toMatchObject({ code: 'unavailable', details: { kind: 'connection', errno: 'ECONNREFUSED' } });
  });

  it.each([
    ['is refused by the kubelet', failure({ code: 404, message: 'container not found', details: { name: 'web' } }), 'not_found'],
    ['could not be started', failure({ message: 'no such file' }), 'unavailable'],
    ['ends with something that is no result', frame(3, 'what?'), 'unavailable'],
  ])('rejects a command that %s', async (_, result, code) => {
    const client = await serving((socket) => socket.send(result));
    await expect((await open(client)).ended).rejects.toMatchObject({ code });
  });
});

describe('podExec', () => {
  it('collects what the command writes', async () => {
    const client = await serving((socket) => {
      for (const each of [frame(1, 'a\n'), frame(2, 'oh\n'), frame(1, 'b\n'), exit(1)]) socket.send(each);
    });
    expect(await podExec(client, pod, { command: ['ls'] })).toEqual({ exitCode: 1, stdout: 'a\nb\n', stderr: 'oh\n' });
  });
});
