import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { KubeClient } from '../client/client.ts';
import { kinds } from '../generated/kinds.ts';
import { staticCredentials } from './static-credentials.ts';
import { KubeTransport } from './transport.ts';

const ends: (() => Promise<unknown> | undefined)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

describe('KubeTransport', () => {
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
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    ends.push(async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    });
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
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
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    ends.push(async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    });
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
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
