import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { FakeClock, StatusError } from '@quartermaster/kernel';
import { type AdmitCaller, selfSignedTls } from '@quartermaster/service';
import { describe, expect, it, onTestFinished } from 'vitest';
import { h200Virtual } from '../../../test/machines/h200-virtual.ts';
import { MemoryHardwareStore } from '../../../test/memory-hardware-store.ts';
import { DiscoveryAgent } from './discovery-agent.ts';
import { startDiscoveryServer } from './discovery-server.ts';

type Reply = readonly [status: number | undefined, text: string];

const admit: AdmitCaller = async ({ token }) => {
  if (token === undefined) throw new StatusError('unauthenticated', 'send a token');
  if (token === 'busy') throw new StatusError('resource_exhausted', 'ask less often', { details: { retryAfterMs: 200 } });
  if (token === 'away') throw new StatusError('unavailable', 'try again');
  if (token !== 'operator') throw new StatusError('permission_denied', 'ask to be let in');
};

describe('the discovery server', () => {
  async function serve(): Promise<{
    clock: FakeClock;
    agent: DiscoveryAgent;
    port: number;
    get: (path: string, options?: { readonly token?: string; readonly method?: string }) => Promise<Reply>;
  }> {
    const clock = new FakeClock(Date.now());
    const tls = await selfSignedTls({ commonName: 'agent', clock });
    onTestFinished(() => tls.close());
    const agent = new DiscoveryAgent({ reader: h200Virtual(), node: 'node-a', client: new MemoryHardwareStore().store, clock });
    const server = await startDiscoveryServer({ agent, host: '127.0.0.1', port: 0, maxScanAgeMs: 60_000, tls, admit, clock });
    onTestFinished(async () => await server.stop(0));
    const get = (path: string, { token, method = 'GET' }: { readonly token?: string; readonly method?: string } = {}) =>
      new Promise<Reply>((resolve, reject) => {
        const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
        const options = { method, headers, agent: false, rejectUnauthorized: false } as const;
        request(`https://127.0.0.1:${server.port}${path}`, options, (response) => {
          text(response).then((body) => resolve([response.statusCode, body]), reject);
        })
          .once('error', reject)
          .end();
      });
    return { clock, agent, port: server.port, get };
  }

  async function scanned(): Promise<Awaited<ReturnType<typeof serve>>> {
    const served = await serve();
    const ending = new AbortController();
    const running = served.agent.run(ending.signal);
    await served.clock.advance(0);
    ending.abort();
    await running;
    return served;
  }

  it('says with one word that it is not ready before the first scan, ready after it, and not any more when that is too old', async () => {
    expect(await (await serve()).get('/readyz')).toEqual([503, 'failed\n']);
    const { clock, get } = await scanned();
    expect(await get('/readyz')).toEqual([200, 'ok\n']);
    await clock.advance(61_000);
    expect(await get('/readyz')).toEqual([503, 'failed\n']);
  });

  it('lives through a first scan that takes many minutes, and not through none at all', async () => {
    const { clock, get } = await serve();
    await clock.advance(20 * 60_000);
    expect(await get('/livez')).toEqual([200, 'ok\n']);
    expect(await get('/readyz')).toEqual([503, 'failed\n']);
    await clock.advance(11 * 60_000);
    expect(await get('/livez')).toEqual([503, 'failed\n']);
  });

  it('tells the use of GPUs to those whom it admits, and what to do to all others', async () => {
    const { get } = await scanned();
    expect(JSON.parse((await get('/v1/usage', { token: 'operator' }))[1])).toMatchObject({ gpus: [{ utilizationPercent: 37 }] });
    expect(await get('/v1/usage')).toEqual([401, '{"message":"send a token"}\n']);
    expect(await get('/v1/usage', { token: 'tenant' })).toEqual([403, '{"message":"ask to be let in"}\n']);
    expect(await get('/v1/usage', { token: 'busy' })).toEqual([429, '{"message":"ask less often"}\n']);
    expect(await get('/v1/usage', { token: 'away' })).toEqual([503, '{"message":"try again"}\n']);
  });

  it('speaks no plain HTTP', async () => {
    const { port } = await scanned();
    await expect(fetch(`http://127.0.0.1:${port}/readyz`)).rejects.toThrow('fetch failed');
  });

  it('says what it does not have: the hardware is in the object of the node', async () => {
    const { get } = await scanned();
    for (const path of ['/', '/v1/hardware']) {
      expect(await get(path, { token: 'operator' })).toEqual([404, '{"message":"not found: there are /readyz, /livez and /v1/usage"}\n']);
    }
    expect((await get('/readyz', { method: 'POST' }))[0]).toBe(405);
  });
});
