import { FakeClock, seededRandom } from '@quartermaster/kernel';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { json, pod, podList, ScriptedServer, watchEvents } from '../../test/scripted-server.ts';
import { KubeClient } from '../client/client.ts';
import { kinds } from '../generated/kinds.ts';
import type { KubeObject } from '../objects/objects.ts';
import { staticCredentials } from '../transport/static-credentials.ts';
import { KubeTransport } from '../transport/transport.ts';
import { type Cache, type CacheOptions, startCache } from './cache.ts';
import { staleReason } from './staleness.ts';

const soon = { timeout: 10_000, interval: 5 };
const status = (code: number, reason: string): object => ({ kind: 'Status', code, reason, message: reason });
const expired = { type: 'ERROR', object: status(410, 'Expired') };
const bookmark = (resourceVersion: string): object => ({ type: 'BOOKMARK', object: { kind: 'Pod', metadata: { resourceVersion } } });
const quietWatch = watchEvents([], { open: true });

describe('Reflector', () => {
  const cleanUp: (() => Promise<void>)[] = [];

  afterEach(async () => {
    for (const action of cleanUp.splice(0).reverse()) await action();
  });

  async function start(
    script: Parameters<typeof ScriptedServer.start>[0],
    options: Partial<CacheOptions<KubeObject, string | undefined>> = {},
  ): Promise<{ server: ScriptedServer; cache: Cache<string | undefined>; clock: FakeClock }> {
    const server = await ScriptedServer.start(script);
    const client = new KubeClient(new KubeTransport({ credentials: staticCredentials({ server: server.url }) }));
    const clock = new FakeClock();
    const cache = startCache(client, {
      type: kinds.pods,
      project: (object) => object.metadata?.resourceVersion,
      clock,
      random: seededRandom(1),
      ...options,
    });
    cleanUp.push(
      () => server.stop(),
      () => client.close(),
      () => cache.stop(),
    );
    return { server, cache, clock };
  }

  it('asks for bookmarks and resumes at the last one, though no object changed', async () => {
    const { server, clock } = await start({ lists: [json(200, podList('10'))], watches: [watchEvents([bookmark('50')]), quietWatch] });
    await vi.waitFor(async () => {
      await clock.advance(1_000);
      expect(server.watches).toHaveLength(2);
    }, soon);
    expect(server.watches.map((url) => url.searchParams.get('resourceVersion'))).toEqual(['10', '50']);
    expect(server.watches[0]?.searchParams.get('allowWatchBookmarks')).toBe('true');
    expect(server.lists).toHaveLength(1);
  });

  it('follows an older version of a kind while the server does not know the newer ones, and looks from the newest on when that goes', async () => {
    const missing = json(404, status(404, 'NotFound'));
    const olderTypes = ['v1beta2', 'v1beta1'].map((version) => ({ ...kinds.pods, group: 'g.example', version }));
    const type = { ...kinds.pods, group: 'g.example' };
    // The watch is not answered until the list has been looked at.
    let answerWatch = (): void => undefined;
    const { server, cache, clock } = await start(
      {
        lists: [missing, missing, json(200, podList('10', pod('a', '7'))), missing],
        watches: [(response) => (answerWatch = () => missing(response)), missing],
      },
      { type, olderTypes },
    );
    await vi.waitFor(async () => {
      await clock.advance(0);
      expect(server.watches).toHaveLength(1);
    }, soon);
    expect(cache.status()).toMatchObject({ synced: true, absent: false });
    answerWatch();
    const paths = (): string[] =>
      server.requests.map(({ pathname, searchParams }) => `${searchParams.has('watch') ? 'watch' : 'list'} ${pathname}`);
    await vi.waitFor(async () => {
      await clock.advance(1_000);
      expect(cache.status()).toMatchObject({ absent: true, state: 'kind-missing' });
    }, soon);
    expect(paths().slice(0, 6)).toEqual([
      'list /apis/g.example/v1/pods',
      'list /apis/g.example/v1beta2/pods',
      'list /apis/g.example/v1beta1/pods',
      'watch /apis/g.example/v1beta1/pods',
      'list /apis/g.example/v1/pods',
      'list /apis/g.example/v1beta2/pods',
    ]);
  });

  it('asks the server to end each watch after a random time between five and ten minutes', async () => {
    const { server, clock } = await start({ lists: [json(200, podList('10'))], watches: [watchEvents([])] });
    await vi.waitFor(async () => {
      await clock.advance(30_000);
      expect(server.watches.length).toBeGreaterThan(5);
    }, soon);
    const seconds = server.watches.map((url) => Number(url.searchParams.get('timeoutSeconds')));
    expect(Math.min(...seconds)).toBeGreaterThanOrEqual(300);
    expect(Math.max(...seconds)).toBeLessThanOrEqual(600);
    expect(new Set(seconds).size).toBeGreaterThan(3);
  });

  it('waits before it resumes a watch that ended at once, so that it never becomes a busy loop', async () => {
    const { server, clock } = await start({ lists: [json(200, podList('10'))], watches: [watchEvents([])] });
    await vi.waitFor(() => expect(server.watches).toHaveLength(1), soon);
    await vi.waitFor(() => expect(clock.pendingTimers).toBeGreaterThan(0), soon);
    await clock.advance(200);
    expect(server.watches).toHaveLength(1);
    await vi.waitFor(async () => {
      await clock.advance(300);
      expect(server.watches).toHaveLength(2);
    }, soon);
  });

  it('lists again at once after the first 410, and waits when the server keeps saying 410', async () => {
    const { server, cache, clock } = await start({
      lists: [json(200, podList('10', pod('a', '5'))), json(200, podList('20', pod('b', '15')))],
      watches: [watchEvents([expired])],
    });
    await vi.waitFor(async () => {
      await clock.advance(0);
      expect(server.lists.length).toBeGreaterThanOrEqual(2);
    }, soon);
    await vi.waitFor(() => expect(cache.status().counters.expirations).toBe(2), soon);
    expect([...cache.entries()].map(({ key }) => key)).toEqual(['default/b']);
    await clock.advance(100);
    expect(server.lists).toHaveLength(2);
    await vi.waitFor(async () => {
      await clock.advance(1_000);
      expect(server.lists.length).toBeGreaterThanOrEqual(3);
    }, soon);
  });

  it('keeps what it has when a list breaks off between its pages', async () => {
    const page = { kind: 'PodList', metadata: { resourceVersion: '30', continue: 'next' }, items: [pod('a', '25')] };
    const { server, cache, clock } = await start({
      lists: [
        json(200, podList('10', pod('a', '5'), pod('b', '6'))),
        json(200, page),
        json(500, status(500, 'InternalError')),
        json(200, podList('40', pod('a', '25'))),
      ],
      watches: [watchEvents([expired]), quietWatch],
    });
    const deleted: string[] = [];
    cache.subscribe({ deleted: ({ key }) => deleted.push(key) });
    await vi.waitFor(async () => {
      await clock.advance(0);
      expect(server.lists).toHaveLength(3);
    }, soon);
    await vi.waitFor(() => expect(cache.get('default/a')?.value).toBe('25'), soon);
    expect(deleted).toEqual([]);
    expect(cache.size).toBe(2);
    await vi.waitFor(async () => {
      await clock.advance(1_000);
      expect(deleted).toEqual(['default/b']);
    }, soon);
    expect(server.lists.map((url) => url.searchParams.get('continue'))).toEqual([null, null, 'next', null]);
  });

  it('starts the list anew when its continue token has expired', async () => {
    const page = { kind: 'PodList', metadata: { resourceVersion: '10', continue: 'next' }, items: [pod('a', '5')] };
    const { cache, clock } = await start({
      lists: [json(200, page), json(410, status(410, 'Expired')), json(200, podList('20', pod('a', '5'), pod('b', '6')))],
      watches: [quietWatch],
    });
    await vi.waitFor(async () => {
      await clock.advance(100);
      expect(cache.status().synced).toBe(true);
    }, soon);
    expect(cache.size).toBe(2);
  });

  it('waits as long as the server asks for before it tries again', async () => {
    const { server, cache, clock } = await start({
      lists: [json(503, status(503, 'ServiceUnavailable'), { 'retry-after': '60' }), json(200, podList('10'))],
      watches: [quietWatch],
    });
    await vi.waitFor(() => expect(cache.status().state).toBe('reconnecting'), soon);
    await clock.advance(59_000);
    expect(server.lists).toHaveLength(1);
    await vi.waitFor(async () => {
      await clock.advance(1_000);
      expect(cache.status().synced).toBe(true);
    }, soon);
  });

  it('waits longer after each failure in a row, up to the limit', async () => {
    const broken = json(500, status(500, 'InternalError'));
    const { server, clock } = await start(
      { lists: [broken], watches: [quietWatch] },
      { backoff: { firstMs: 1_000, maxMs: 8_000, factor: 2 } },
    );
    const waits: number[] = [];
    for (let seen = 1; seen <= 5; seen += 1) {
      await vi.waitFor(() => expect(server.lists).toHaveLength(seen), soon);
      await vi.waitFor(() => expect(clock.pendingTimers).toBe(1), soon);
      const before = clock.monotonic();
      await vi.waitFor(async () => {
        await clock.advance(100);
        expect(server.lists.length).toBeGreaterThan(seen);
      }, soon);
      waits.push(clock.monotonic() - before);
    }
    expect(waits[1]).toBeGreaterThan((waits[0] ?? 0) * 0.9);
    expect(waits[3]).toBeGreaterThanOrEqual(4_000);
    expect(Math.max(...waits)).toBeLessThanOrEqual(9_000);
  });

  it('drops a watch on which nothing arrives and resumes it, without listing', async () => {
    const { server, cache, clock } = await start({ lists: [json(200, podList('10'))], watches: [quietWatch] }, { silenceMs: 60_000 });
    await vi.waitFor(() => expect(cache.status().state).toBe('watching'), soon);
    await clock.advance(59_000);
    expect(server.watches).toHaveLength(1);
    await vi.waitFor(async () => {
      await clock.advance(1_000);
      expect(server.watches).toHaveLength(2);
    }, soon);
    expect(cache.status().counters).toMatchObject({ lists: 1, silences: 1 });
  });

  it('is stale from the moment at which a watch was silent for too long, until the server accepts another', async () => {
    let accept = () => {};
    const unanswered: typeof quietWatch = (response) => {
      accept = () => quietWatch(response);
    };
    const script = { lists: [json(200, podList('10'))], watches: [quietWatch, unanswered] };
    const { server, cache, clock } = await start(script, { silenceMs: 60_000 });
    await vi.waitFor(() => expect(cache.status().state).toBe('watching'), soon);
    await clock.advance(60_000);
    await vi.waitFor(() => expect(server.watches).toHaveLength(2), soon);
    expect(cache.status()).toMatchObject({ state: 'reconnecting', synced: true });
    expect(staleReason(cache.status())).toBe('nothing arrived on the watch for 60 s');
    accept();
    await vi.waitFor(() => expect(staleReason(cache.status())).toBeUndefined(), soon);
  });

  it('takes a line that breaks off as a broken connection and loses nothing', async () => {
    const event = JSON.stringify({ type: 'ADDED', object: pod('a', '11') });
    const { cache, clock } = await start({
      lists: [json(200, podList('10'))],
      watches: [
        (response) => response.writeHead(200).end(`${event}\n{"type":"ADDED","object":{"metadata`),
        watchEvents([{ type: 'ADDED', object: pod('b', '12') }], { open: true }),
      ],
    });
    await vi.waitFor(async () => {
      await clock.advance(500);
      expect([...cache.entries()].map(({ key }) => key)).toEqual(['default/a', 'default/b']);
    }, soon);
  });

  it('ignores types of events that it does not know', async () => {
    const { cache } = await start({
      lists: [json(200, podList('10'))],
      watches: [
        watchEvents(
          [
            { type: 'TELEPATHY', object: {} },
            { type: 'ADDED', object: pod('a', '11') },
          ],
          { open: true },
        ),
      ],
    });
    await vi.waitFor(() => expect(cache.size).toBe(1), soon);
    expect(cache.status().counters.errors).toBe(0);
  });
});
