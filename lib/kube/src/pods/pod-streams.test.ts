import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { whenStalled } from '../../test/when-stalled.ts';
import { KubeClient } from '../client/client.ts';
import { staticCredentials } from '../transport/static-credentials.ts';
import { KubeTransport } from '../transport/transport.ts';
import { podLog } from './pod-streams.ts';

const ends: (() => Promise<unknown> | undefined)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

const pod = { namespace: 'default', name: 'web' };

async function serving(answer: (response: ServerResponse, url: string) => void): Promise<KubeClient> {
  const server = createServer(({ url = '' }, response) => answer(response, url)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = new KubeClient(new KubeTransport({ credentials: staticCredentials({ server: url }) }));
  ends.push(async () => {
    await client.close();
    server.close();
    server.closeAllConnections();
  });
  return client;
}

async function linesOf(log: AsyncIterable<string>): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of log) lines.push(line);
  return lines;
}

describe('podLog', () => {
  it('asks for what it is told to', async () => {
    let asked = '';
    const client = await serving((response, url) => {
      asked = url;
      response.end('one\ntwo\n');
    });
    const lines = await linesOf(podLog(client, pod, { container: 'main', follow: true, tailLines: 2, sinceTime: '2026-01-01T00:00:00Z' }));
    expect(lines).toEqual(['one', 'two']);
    expect(asked).toBe('/api/v1/namespaces/default/pods/web/log?container=main&follow=true&tailLines=2&sinceTime=2026-01-01T00%3A00%3A00Z');
  });

  it('gives a long line in pieces', async () => {
    const client = await serving((response) => response.end(`${'ü'.repeat(5)}\nshort\n`));
    expect(await linesOf(podLog(client, pod, { maxLineBytes: 5 }))).toEqual(['üü', 'üü', 'ü', 'short']);
  });

  it('does not read while nobody takes its lines, of a log that has no line ends either', async () => {
    const limit = 64 * 2 ** 20;
    let written = 0;
    let hungUp = false;
    const client = await serving((response) => {
      const chunk = Buffer.alloc(2 ** 16, 'x');
      response.once('close', () => {
        hungUp = true;
      });
      const next = (): void => {
        written += chunk.length;
        response.write(chunk, (error) => {
          if (error === undefined || error === null) next();
        });
      };
      next();
    });
    const log = podLog(client, pod, { follow: true, maxLineBytes: 2 ** 14 });
    expect((await log.next()).value).toHaveLength(2 ** 14);
    expect(await whenStalled(() => written, limit)).toBeLessThan(limit);
    let taken = 0;
    for await (const { length } of log) {
      taken += length;
      if (taken >= 2 * limit) break;
    }
    expect(written - taken).toBeLessThan(limit);
    await expect.poll(() => hungUp).toBe(true);
  });
});
