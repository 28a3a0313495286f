import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import { KubeClient } from '../client/client.ts';
import { kinds } from '../generated/kinds.ts';
import { staticCredentials } from './static-credentials.ts';
import { KubeTransport } from './transport.ts';

const ends: (() => Promise<unknown> | undefined)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

/** Starts listening; ends with the test. */
async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(async () => {
    server.close();
    await once(server, 'close');
  });
  return (server.address() as AddressInfo).port;
}

const podRef = { namespace: 'default', name: 'a' };

describe('KubeTransport', () => {
  it('gives up a write at its deadline while the peer is silent in the handshake', async () => {
    const sockets: Socket[] = [];
    const port = await listen(createTcpServer((socket) => void sockets.push(socket.on('error', () => {}))));
    ends.push(async () => sockets.forEach((socket) => socket.destroy()));
    const client = new KubeClient(new KubeTransport({ credentials: staticCredentials({ server: `https://127.0.0.1:${port}` }) }));
    ends.push(() => client.close());
    const writing = client.replace(kinds.pods, { metadata: podRef }, { timeoutMs: 50 });
    await expect(writing).rejects.toMatchObject({ details: { kind: 'timeout', afterMs: 50 } });
    const caller = new AbortController();
    const reading = client.get(kinds.pods, podRef, { signal: caller.signal });
    caller.abort(new Error('not wanted any more'));
    await expect(reading).rejects.toThrow('not wanted any more');
    expect(sockets.every((socket) => !socket.destroyed)).toBe(true);
  });

  it('does not send a write that was given up, when its connection is made after all', async () => {
    const seen: string[] = [];
    const http = createServer(({ method, url }, response) => {
      seen.push(`${method} ${url}`);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
    const port = await listen(http);
    const gate = Promise.withResolvers<void>();
    const connect = buildConnector({});
    const dispatcher = new Agent({ connections: 1, connect: (options, done) => void gate.promise.then(() => connect(options, done)) });
    const session = { dispatcher, origin: `http://127.0.0.1:${port}`, basePath: '', headers: {} };
    const credentials = { ...staticCredentials({ server: session.origin }), session: async () => session };
    const client = new KubeClient(new KubeTransport({ credentials }));
    ends.push(() => dispatcher.destroy());
    const writing = client.replace(kinds.pods, { metadata: podRef }, { timeoutMs: 50 });
    await expect(writing).rejects.toMatchObject({ details: { kind: 'timeout' } });
    const reading = client.get(kinds.pods, podRef);
    gate.resolve();
    await reading;
    expect(seen).toEqual(['GET /api/v1/namespaces/default/pods/a']);
  });

  it('uses its connections again after deletions with options', async () => {
    let connections = 0;
    const bodies: string[] = [];
    const server = createServer((request, response) => {
      request.once('data', (chunk: Buffer) => bodies.push(chunk.toString()));
      request.once('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
    });
    server.on('connection', () => {
      connections += 1;
    });
    const address = `http://127.0.0.1:${await listen(server)}`;
    const client = new KubeClient(new KubeTransport({ credentials: staticCredentials({ server: address }) }));
    ends.push(() => client.close());
    for (let pod = 0; pod < 10; pod += 1) {
      await client.delete(kinds.pods, { namespace: 'default', name: `pod-${pod}` }, { gracePeriodSeconds: 0 });
    }
    expect(bodies.filter((body) => body.includes('"gracePeriodSeconds":0'))).toHaveLength(10);
    // A request that comes before the last one's connection is at rest may open a second.
    expect(connections).toBeLessThanOrEqual(2);
  });

  it('sends the headers of the trace that is current at each request, and never in place of its own', async () => {
    const seen: (string | undefined)[][] = [];
    const server = createServer(({ headers }, response) => {
      seen.push([headers['traceparent']?.toString(), headers['user-agent']]);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
    const address = `http://127.0.0.1:${await listen(server)}`;
    let trace: Record<string, string> = {};
    const credentials = staticCredentials({ server: address });
    const client = new KubeClient(new KubeTransport({ credentials, traceHeaders: () => trace, userAgent: 'us' }));
    ends.push(() => client.close());
    await client.get(kinds.pods, { namespace: 'default', name: 'a' });
    trace = { traceparent: 'the-trace', 'user-agent': 'somebody' };
    await client.get(kinds.pods, { namespace: 'default', name: 'a' });
    expect(seen).toEqual([
      [undefined, 'us'],
      ['the-trace', 'us'],
    ]);
  });
});
