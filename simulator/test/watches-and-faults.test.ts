import { FakeClock } from '@quartermaster/kernel';
import { failureOf, type KubeClient, kinds, startCache } from '@quartermaster/kube';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startSimulator } from './running-simulator.ts';

const path = '/api/v1/namespaces/default/configmaps';
const put = (client: KubeClient, name: string, data: Record<string, string> = {}) =>
  client.apply(kinds.configMaps, { metadata: { namespace: 'default', name }, data }, { fieldManager: 'test', force: true });

interface Told {
  readonly type: string;
  readonly object: {
    readonly code?: number;
    readonly metadata?: { readonly name?: string; readonly annotations?: object; readonly resourceVersion?: string };
  };
}

/** Collects what a watch tells until it ends. */
async function watch(
  client: KubeClient,
  query: Record<string, string | number | boolean>,
): Promise<{ readonly told: Told[]; readonly ended: Promise<void> }> {
  const controller = new AbortController();
  onTestFinished(() => controller.abort());
  const answer = await client.transport.open({
    what: 'watch',
    method: 'GET',
    path,
    query: { watch: true, ...query },
    signal: controller.signal,
  });
  const told: Told[] = [];
  const read = async (): Promise<void> => {
    let rest = '';
    for await (const chunk of answer.body) {
      const lines = `${rest}${(chunk as Buffer).toString('utf8')}`.split('\n');
      rest = lines.pop() ?? '';
      told.push(...lines.map((line) => JSON.parse(line) as Told));
    }
  };
  const ended = read().catch(() => undefined);
  return { told, ended };
}

const summary = (told: readonly Told[]): string[] =>
  told.map(({ type, object }) => `${type} ${object.metadata?.name ?? object.code ?? ''}`.trim());

describe('a watch', { timeout: 30_000 }, () => {
  it('with sendInitialEvents shows what is there, marks its end and goes on', async () => {
    const { client } = await startSimulator();
    await put(client, 'a');
    const query = {
      sendInitialEvents: true,
      resourceVersionMatch: 'NotOlderThan',
      allowWatchBookmarks: true,
      fieldSelector: 'metadata.name!=kube-root-ca.crt',
    };
    const { told } = await watch(client, query);
    await expect.poll(() => summary(told)).toEqual(['ADDED a', 'BOOKMARK']);
    expect(told[1]?.object.metadata?.annotations).toEqual({ 'k8s.io/initial-events-end': 'true' });
    await put(client, 'b');
    await expect.poll(() => summary(told)).toEqual(['ADDED a', 'BOOKMARK', 'ADDED b']);
  });

  it.each([
    ['every minute', undefined, 60_000],
    ['as often as it is told to', 1_000, 1_000],
  ])('tells %s how far it is', async (_often, bookmarkMs, everyMs) => {
    const clock = new FakeClock();
    const { client } = await startSimulator({ clock, bookmarkMs });
    const { items: _, resourceVersion } = await client.list(kinds.configMaps, { namespace: 'default' });
    const { told } = await watch(client, { resourceVersion, allowWatchBookmarks: true });
    await client.create(kinds.secrets, { metadata: { namespace: 'default', name: 'other' } });
    await clock.advance(everyMs);
    await expect.poll(() => summary(told)).toEqual(['BOOKMARK']);
    expect(Number(told[0]?.object.metadata?.resourceVersion)).toBeGreaterThan(Number(resourceVersion));
  });

  it('from a version that was compacted ends with 410', async () => {
    const { client, server } = await startSimulator();
    const { resourceVersion } = await client.list(kinds.configMaps, { namespace: 'default' });
    await put(client, 'a');
    server.compact();
    const { told, ended } = await watch(client, { resourceVersion });
    await ended;
    expect(summary(told)).toEqual(['ERROR 410']);
  });

  /** A watch that nobody reads, and writes of more than the buffers in between hold. */
  async function lag(client: KubeClient, writes: number) {
    const { resourceVersion } = await client.list(kinds.configMaps, { namespace: 'default' });
    const answer = await client.transport.open({ what: 'watch', method: 'GET', path, query: { watch: true, resourceVersion } });
    const text = 'x'.repeat(200_000);
    for (let round = 0; round < writes; round += 1) await put(client, 'big', { round: String(round), text });
    return answer;
  }

  /** The rounds that it tells, until the last or its end, and whether it ended with 410. */
  async function roundsOf(body: AsyncIterable<unknown>, last: number): Promise<{ readonly rounds: number[]; readonly isExpired: boolean }> {
    const rounds: number[] = [];
    let rest = '';
    for await (const chunk of body) {
      const lines = `${rest}${(chunk as Buffer).toString('utf8')}`.split('\n');
      rest = lines.pop() ?? '';
      if (lines.some((line) => line.includes('"code":410'))) return { rounds, isExpired: true };
      rounds.push(...lines.map((line) => Number(/"round":"(\d+)"/.exec(line)?.[1])));
      if (rounds.at(-1) === last) break;
    }
    return { rounds, isExpired: false };
  }

  it('that is slow gets everything in the end', async () => {
    const { client } = await startSimulator();
    const { body } = await lag(client, 100);
    expect(await roundsOf(body, 99)).toEqual({ rounds: Array.from({ length: 100 }, (_, round) => round), isExpired: false });
  });

  it('that is slow has nothing kept for it: what is compacted before it reads is gone', async () => {
    const { client, server } = await startSimulator();
    const { body } = await lag(client, 100);
    server.compact();
    const { rounds, isExpired } = await roundsOf(body, 99);
    expect(isExpired).toBe(true);
    expect(rounds.length).toBeLessThan(100);
  });
});

describe('a watch of a large state', { timeout: 30_000 }, () => {
  it('also tells what changed while it was still telling the state', async () => {
    const { client } = await startSimulator();
    const text = 'x'.repeat(100_000);
    for (let number = 0; number < 60; number += 1) await put(client, `big-${number}`, { text });
    const query = { watch: true, sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: true };
    const answer = await client.transport.open({ what: 'watch', method: 'GET', path, query });
    // More than the buffers in between hold: the state is not told before somebody reads.
    const { metadata } = await put(client, 'late', { mark: 'changed-meanwhile' });
    let seen = '';
    let marked = Number.NaN;
    for await (const chunk of answer.body) {
      seen = `${seen.slice(-200_000)}${(chunk as Buffer).toString('utf8')}`;
      const version = /"type":"BOOKMARK".*"resourceVersion":"(\d+)"/.exec(seen)?.[1];
      if (version !== undefined && Number.isNaN(marked)) marked = Number(version);
      if (seen.includes('changed-meanwhile')) break;
    }
    expect(seen).toContain('changed-meanwhile');
    expect(marked).toBeLessThan(Number(metadata?.resourceVersion));
  });
});

describe('a fault', () => {
  it('fails what it is for and nothing else', async () => {
    const { client, server } = await startSimulator();
    const { id } = server.faults.add({ kind: 'error', code: 503, verbs: ['create'], resource: 'configmaps' }, 0);
    const failed = await client.create(kinds.configMaps, { metadata: { namespace: 'default', name: 'a' } }).catch(failureOf);
    expect(failed).toMatchObject({ kind: 'server', status: 503 });
    await client.create(kinds.secrets, { metadata: { namespace: 'default', name: 'a' } });
    server.faults.remove(id);
    await put(client, 'a');
  });

  it('of chance repeats with its seed', async () => {
    const outcomes = async (): Promise<boolean[]> => {
      const { client, server } = await startSimulator({ seed: 7 });
      server.faults.add({ kind: 'error', code: 500, verbs: ['get'], probability: 0.5 }, 0);
      const results: boolean[] = [];
      for (let round = 0; round < 20; round += 1) {
        results.push(
          await client.get(kinds.namespaces, { name: 'default' }).then(
            () => true,
            () => false,
          ),
        );
      }
      return results;
    };
    const first = await outcomes();
    expect(new Set(first).size).toBe(2);
    expect(await outcomes()).toEqual(first);
  });

  it('that cuts or freezes watches loses no change of a cache', async () => {
    const { client, server } = await startSimulator();
    const cache = startCache(client, {
      type: kinds.configMaps,
      namespace: 'default',
      project: ({ data }) => data?.['x'],
      backoff: { firstMs: 5, maxMs: 20, factor: 2 },
    });
    onTestFinished(() => cache.stop());
    await cache.whenSynced();
    server.cutWatches('configmaps');
    await put(client, 'a', { x: '1' });
    await expect.poll(() => cache.get('default/a')?.value).toBe('1');
    const { id } = server.faults.add({ kind: 'frozen-watches', resource: 'configmaps' }, 0);
    await put(client, 'a', { x: '2' });
    expect(cache.get('default/a')?.value).toBe('1');
    server.faults.remove(id);
    server.resumeWatches();
    await expect.poll(() => cache.get('default/a')?.value).toBe('2');
  });

  it('makes lists stale', async () => {
    const { client, server } = await startSimulator();
    const { resourceVersion } = await put(client, 'a').then(({ metadata }) => ({ resourceVersion: metadata?.resourceVersion ?? '' }));
    server.faults.add({ kind: 'stale-lists', resource: 'configmaps' }, Number(resourceVersion));
    await put(client, 'b');
    const { items } = await client.list(kinds.configMaps, { namespace: 'default', fieldSelector: 'metadata.name!=kube-root-ca.crt' });
    expect(items.map(({ metadata }) => metadata?.name)).toEqual(['a']);
  });
});
