import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FakeClock, seededRandom } from '@quartermaster/kernel';
import { afterEach, describe, expect, it } from 'vitest';
import { type GpuDatabase, shippedGpuDatabase } from './gpu-database.ts';
import { GpuDatabaseRefresher } from './gpu-database-refresher.ts';

interface Answer {
  readonly status?: number;
  readonly body?: string;
  readonly etag?: string;
}

const database = (...products: string[]): string =>
  JSON.stringify({
    '10de': { name: 'nvidia', devices: Object.fromEntries(products.map((id) => [id, { name: `m${id}`, interface: 'PCIe' }])) },
  });

describe('GpuDatabaseRefresher', () => {
  const servers: Server[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
  });

  async function setUp(initial = shippedGpuDatabase()) {
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
    const changes: GpuDatabase[] = [];
    const clock = new FakeClock();
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/devices/gpus`;
    const refresher = new GpuDatabaseRefresher({ url, initial, clock, random: seededRandom(1), onChange: (next) => changes.push(next) });
    const refresh = () => refresher.refresh(new AbortController().signal);
    return { state, clock, refresher, changes, refresh };
  }

  it('replaces the database as a whole, so that removed devices vanish', async () => {
    const { state, refresher, changes, refresh } = await setUp();
    expect(refresher.status().state).toBe('initial');
    await refresh();
    state.answer = { body: database('2331') };
    await refresh();
    expect(changes).toHaveLength(2);
    expect([...(refresher.current.get('10de')?.devices.keys() ?? [])]).toEqual(['2331']);
    expect(refresher.status()).toMatchObject({ state: 'current', devices: 1, problem: undefined });
  });

  it('tells of a change once, by ETag and by content', async () => {
    const { state, changes, refresh } = await setUp();
    state.answer = { body: database('2330'), etag: '"1"' };
    await refresh();
    await refresh();
    expect(state.asked).toEqual([undefined, '"1"']);
    state.answer = { body: database('2330') };
    await refresh();
    expect(changes).toHaveLength(1);
  });

  it.each<[string, Answer, string]>([
    ['an error', { status: 500 }, 'status 500'],
    ['something else than JSON', { body: '<html>' }, 'not JSON'],
    ['a broken device', { body: '{"10de":{"name":"nvidia","devices":{"2330":{"name":"A B"}}}}' }, '10de.devices.2330.name'],
    ['a database without devices', { body: '{}' }, 'has no devices'],
    ['too much', { body: ' '.repeat(9 * 2 ** 20) }, 'larger than'],
  ])('keeps the last good database when the server sends %s, and says so', async (_, answer, problem) => {
    const { state, refresher, changes, refresh } = await setUp();
    await refresh();
    state.answer = answer;
    await refresh();
    expect(refresher.status()).toMatchObject({ state: 'failing', devices: 1 });
    expect(refresher.status().problem).toContain(problem);
    expect(changes).toHaveLength(1);
    state.answer = { body: database('2330') };
    await refresh();
    expect(refresher.status().state).toBe('current');
  });

  it('keeps the shipped database while the server is away', async () => {
    const { refresher, refresh } = await setUp();
    const [server] = servers.splice(0);
    await new Promise((resolve) => server?.close(resolve));
    await refresh();
    expect(refresher.status().state).toBe('failing');
    expect(refresher.current.get('10de')?.devices.has('2684')).toBe(true);
  });

  it('gives a server up that does not answer', async () => {
    const clock = new FakeClock();
    const refresher = new GpuDatabaseRefresher({
      url: 'http://127.0.0.1/',
      initial: new Map(),
      clock,
      get: (_, { signal }) => new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
      onChange: () => {},
    });
    const refreshed = refresher.refresh(new AbortController().signal);
    await clock.advance(30_000);
    await refreshed;
    expect(refresher.status().problem).toContain('no answer within 30000 ms');
  });

  it('comes back after its period, give or take a tenth, until it is stopped', async () => {
    let asked = 0;
    const clock = new FakeClock();
    const refresher = new GpuDatabaseRefresher({
      url: 'https://example.test/devices/gpus',
      initial: new Map(),
      intervalMs: 100_000,
      clock,
      random: seededRandom(7),
      get: async () => {
        asked += 1;
        return new Response(database('2330'));
      },
      onChange: () => {},
    });
    const stop = new AbortController();
    const running = refresher.run(stop.signal);
    await clock.advance(89_999);
    expect(asked).toBe(1);
    await clock.advance(20_002);
    expect(asked).toBe(2);
    stop.abort();
    await running;
    expect(clock.pendingTimers).toBe(0);
  });

  it('refuses an address that is none', () => {
    expect(() => new GpuDatabaseRefresher({ url: 'file:///etc/passwd', initial: new Map(), onChange: () => {} })).toThrow(
      'must begin with http',
    );
  });
});
