import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { KubeClient } from './client.ts';
import { kinds } from './kinds.ts';
import { staticCredentials } from './static-credentials.ts';
import { KubeTransport } from './transport.ts';

const ends: (() => Promise<unknown> | undefined)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

describe('KubeTransport', () => {
  it('deletes one object after the other over one connection', async () => {
    let connections = 0;
    const bodies: string[] = [];
    const server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += String(chunk);
      bodies.push(body);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
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
    for (const name of ['a', 'b', 'c']) await client.delete(kinds.pods, { namespace: 'default', name }, { gracePeriodSeconds: 0 });
    expect(bodies).toEqual([1, 2, 3].map(() => expect.stringContaining('"gracePeriodSeconds":0')));
    expect(connections).toBe(1);
  });
});
