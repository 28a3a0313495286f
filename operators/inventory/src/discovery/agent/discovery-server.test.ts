import { FakeClock } from '@quartermaster/kernel';
import { describe, expect, it, onTestFinished } from 'vitest';
import { h200Virtual } from '../../../test/machines/h200-virtual.ts';
import { MemoryHardwareStore } from '../../../test/memory-hardware-store.ts';
import { DiscoveryAgent } from './discovery-agent.ts';
import { startDiscoveryServer } from './discovery-server.ts';

interface Reply {
  readonly status: number;
  readonly body: unknown;
}

describe('the discovery server', () => {
  async function serve(): Promise<{ clock: FakeClock; agent: DiscoveryAgent; get: (path: string, method?: string) => Promise<Reply> }> {
    const clock = new FakeClock();
    const agent = new DiscoveryAgent({ reader: h200Virtual(), node: 'node-a', client: new MemoryHardwareStore().store, clock });
    const server = await startDiscoveryServer({ agent, host: '127.0.0.1', port: 0, maxScanAgeMs: 60_000, clock });
    onTestFinished(async () => await server.stop(0));
    const get = async (path: string, method = 'GET'): Promise<Reply> => {
      const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { method, headers: { connection: 'close' } });
      return { status: response.status, body: await response.json() };
    };
    return { clock, agent, get };
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

  it('is not healthy before the first scan, healthy after it, and not any more when it is too old', async () => {
    expect(await (await serve()).get('/healthz')).toMatchObject({ status: 503, body: { ok: false } });
    const { clock, get } = await scanned();
    expect(await get('/healthz')).toMatchObject({ status: 200, body: { ok: true, node: 'node-a', scans: 1, writes: 1 } });
    await clock.advance(61_000);
    expect((await get('/healthz')).status).toBe(503);
  });

  it('serves the facts and the usage', async () => {
    const { get } = await scanned();
    expect(await get('/v1/hardware')).toMatchObject({
      status: 200,
      body: { scannedAt: '2026-01-01T00:00:00.000Z', hardware: { gpus: [{ name: 'NVIDIA H200' }] } },
    });
    expect(await get('/v1/usage')).toMatchObject({ status: 200, body: { gpus: [{ utilizationPercent: 37 }] } });
  });

  it('says what it does not have', async () => {
    const { get } = await serve();
    expect((await get('/v1/hardware')).status).toBe(503);
    expect((await get('/')).status).toBe(404);
    expect((await get('/healthz', 'POST')).status).toBe(405);
  });
});
