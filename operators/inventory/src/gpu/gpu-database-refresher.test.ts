import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FakeClock, seededRandom } from '@quartermaster/kernel';
import { afterEach, describe, expect, it } from 'vitest';
import { type DatabaseCopy, GpuDatabaseRefresher, hashOf } from './gpu-database-refresher.ts';

interface Answer {
  readonly status?: number;
  readonly body?: string;
  readonly etag?: string;
}

const database = (...products: string[]): string =>
  JSON.stringify({
    '10de': { name: 'nvidia', devices: Object.fromEntries(products.map((id) => [id, { name: `m${id}`, interface: 'PCIe' }])) },
  });

class MemoryCopy implements DatabaseCopy {
  text: string | undefined;
  readonly kept: string[] = [];
  refusal: Error | undefined;

  get hash(): string | undefined {
    return this.text === undefined ? undefined : hashOf(this.text);
  }

  async keep(text: string): Promise<void> {
    if (this.refusal !== undefined) throw this.refusal;
    this.text = text;
    this.kept.push(text);
  }
}

describe('GpuDatabaseRefresher', () => {
  const servers: Server[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
  });

  async function setUp() {
    const state: { answer: Answer; readonly asked: (string | undefined)[] } = { answer: { body: database('2330') }, asked: [] };
    const server = createServer((request, response) => {
      state.asked.push(request.headers['if-none-match']);
      const { status, body = '', etag } = state.answer;
      const unchanged = etag !== undefined && request.headers['if-none-match'] === etag;
      response.writeHead(status ?? (unchanged ? 304 : 200), { connection: 'close', ...(etag === undefined ? {} : { etag }) });
      response.end(unchanged ? undefined : body);
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const clock = new FakeClock();
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/devices/gpus`;
    const copy = new MemoryCopy();
    const refresher = new GpuDatabaseRefresher({ url, clock, random: seededRandom(1) });
    const refresh = () => refresher.refresh(copy, new AbortController().signal);
    return { state, clock, refresher, copy, refresh };
  }

  it('keeps each database once, by ETag and by content', async () => {
    const { state, copy, refresh } = await setUp();
    state.answer = { body: database('2330'), etag: '"1"' };
    await refresh();
    await refresh();
    expect(state.asked).toEqual([undefined, '"1"']);
    state.answer = { body: database('2330') };
    await refresh();
    expect(copy.kept).toHaveLength(1);
    state.answer = { body: database('2331') };
    await refresh();
    expect(copy.kept).toEqual([database('2330'), database('2331')]);
  });

  it('writes nothing when what is kept already is what the server has, and all of it when the copy is lost', async () => {
    const { state, copy, refresh } = await setUp();
    copy.text = database('2330');
    state.answer = { body: database('2330'), etag: '"1"' };
    await refresh();
    expect(copy.kept).toEqual([]);
    copy.text = undefined;
    await refresh();
    expect([copy.kept, state.asked]).toEqual([[database('2330')], [undefined, undefined]]);
  });

  it('says why a database cannot be kept, and tries again', async () => {
    const { refresher, copy, refresh } = await setUp();
    copy.refusal = new Error('may not be written');
    await refresh();
    expect(refresher.problem).toBe('may not be written');
    copy.refusal = undefined;
    await refresh();
    expect([refresher.problem, copy.kept.length]).toEqual([undefined, 1]);
  });

  it.each<[string, Answer, string]>([
    ['an error', { status: 500 }, 'status 500'],
    ['something else than JSON', { body: '<html>' }, 'not JSON'],
    ['a broken device', { body: '{"10de":{"name":"nvidia","devices":{"2330":{"name":"A B"}}}}' }, '10de.devices.2330.name'],
    ['a database without devices', { body: '{}' }, 'has no devices'],
    ['too much', { body: ' '.repeat(9 * 2 ** 20) }, 'larger than'],
  ])('keeps the last good database when the server sends %s, and says so', async (_, answer, problem) => {
    const { state, refresher, copy, refresh } = await setUp();
    await refresh();
    state.answer = answer;
    await refresh();
    expect(refresher.problem).toContain(problem);
    expect(copy.kept).toHaveLength(1);
    state.answer = { body: database('2330') };
    await refresh();
    expect(refresher.problem).toBeUndefined();
  });

  it('says that the server is away', async () => {
    const { refresher, copy, refresh } = await setUp();
    const [server] = servers.splice(0);
    await new Promise((resolve) => server?.close(resolve));
    await refresh();
    expect(refresher.problem).toBeDefined();
    expect(copy.kept).toEqual([]);
  });

  it('gives a server up that does not answer', async () => {
    const clock = new FakeClock();
    const refresher = new GpuDatabaseRefresher({
      url: 'http://127.0.0.1/',
      clock,
      get: (_, { signal }) => new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    });
    const refreshed = refresher.refresh(new MemoryCopy(), new AbortController().signal);
    await clock.advance(30_000);
    await refreshed;
    expect(refresher.problem).toContain('no answer within 30000 ms');
  });

  it('comes back after its period, give or take a tenth, until it is stopped', async () => {
    let asked = 0;
    const clock = new FakeClock();
    const refresher = new GpuDatabaseRefresher({
      url: 'https://example.test/devices/gpus',
      intervalMs: 100_000,
      clock,
      random: seededRandom(7),
      get: async () => {
        asked += 1;
        return new Response(database('2330'));
      },
    });
    const stop = new AbortController();
    const running = refresher.run(new MemoryCopy(), stop.signal);
    await clock.advance(89_999);
    expect(asked).toBe(1);
    await clock.advance(20_002);
    expect(asked).toBe(2);
    stop.abort();
    await running;
    expect(clock.pendingTimers).toBe(0);
  });

  it('refuses an address that is none', () => {
    expect(() => new GpuDatabaseRefresher({ url: 'file:///etc/passwd' })).toThrow('must begin with http');
  });
});
