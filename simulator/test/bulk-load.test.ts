import { failureOf, type KubeClient, kinds, startCache } from '@quartermaster/kube';
import { describe, expect, it } from 'vitest';
import { startSimulator, temporaryDirectory } from './running-simulator.ts';

interface Variation {
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly spec?: object;
  readonly status?: object;
}

const model = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { labels: { app: 'loaded' } },
  spec: { containers: [{ name: 'main', image: 'registry.example/main' }] },
  status: { phase: 'Running' },
};

const variation = (name: string): Variation => ({
  metadata: { namespace: 'default', name },
  spec: { nodeName: `node-of-${name}` },
  status: { podIP: '10.0.0.1', podIPs: [{ ip: '10.0.0.1' }] },
});

const load = (client: KubeClient, variations: readonly Variation[], of: object = model) =>
  client.transport.json<{ loaded: number; present: number }>({
    what: 'load objects',
    method: 'POST',
    path: '/simulator/objects',
    contentType: 'application/json',
    body: JSON.stringify({ model: of, variations }),
  });

const refusal = async (loading: Promise<unknown>): Promise<string> => {
  const error: unknown = await loading.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return `${failureOf(error)?.kind}: ${error instanceof Error ? error.message : ''}`;
};

describe('a bulk load', () => {
  it('stores what creating the objects and writing their status would have stored', async () => {
    const { client } = await startSimulator();
    expect(await load(client, [variation('a'), variation('b')])).toEqual({ loaded: 2, present: 0 });
    const { spec } = model;
    await client.create(kinds.pods, { metadata: { namespace: 'default', name: 'c', labels: { app: 'loaded' } }, spec });
    const own = variation('c');
    await client.createSubresource(
      kinds.pods,
      { namespace: 'default', name: 'c' },
      'binding',
      { metadata: { name: 'c' }, target: { apiVersion: 'v1', kind: 'Node', name: 'node-of-c' } },
      {},
    );
    const body = { status: { ...model.status, ...own.status } };
    await client.patch(kinds.pods, { namespace: 'default', name: 'c' }, { kind: 'merge', body }, { subresource: 'status' });
    const [loaded, created] = await Promise.all(['b', 'c'].map((name) => client.get(kinds.pods, { namespace: 'default', name })));
    expect({ ...loaded?.spec, nodeName: 'x' }).toEqual({ ...created?.spec, nodeName: 'x' });
    expect(loaded?.spec?.nodeName).toBe('node-of-b');
    const { conditions: _, ...status } = created?.status ?? {};
    expect(loaded?.status).toEqual(status);
    expect(loaded?.metadata?.labels).toEqual({ app: 'loaded' });
  });

  it('gives every object a uid and a version of its own, and tells watchers of each', async () => {
    const { client } = await startSimulator();
    await load(
      client,
      Array.from({ length: 300 }, (_, index) => variation(`pod-${index}`)),
    );
    const { items } = await client.list(kinds.pods, { namespace: 'default' });
    expect(items).toHaveLength(300);
    expect(new Set(items.map(({ metadata }) => metadata?.uid)).size).toBe(300);
    expect(new Set(items.map(({ metadata }) => metadata?.resourceVersion)).size).toBe(300);
  });

  it('leaves what exists as it is, so that it can be repeated', async () => {
    const { client } = await startSimulator();
    await load(client, [variation('a')]);
    const before = await client.get(kinds.pods, { namespace: 'default', name: 'a' });
    expect(await load(client, [variation('a'), variation('b')])).toEqual({ loaded: 1, present: 1 });
    expect(await client.get(kinds.pods, { namespace: 'default', name: 'a' })).toEqual(before);
  });

  it('makes objects that can be changed, one without the others', async () => {
    const { client } = await startSimulator();
    await load(client, [variation('a'), variation('b')]);
    const patch = { kind: 'strategic', body: { metadata: { labels: { app: 'changed' } } } } as const;
    const changed = await client.patch(kinds.pods, { namespace: 'default', name: 'a' }, patch);
    expect(changed.metadata?.labels).toEqual({ app: 'changed' });
    expect((await client.get(kinds.pods, { namespace: 'default', name: 'b' })).metadata?.labels).toEqual({ app: 'loaded' });
  });

  it('survives a restart', async () => {
    const dataDirectory = await temporaryDirectory();
    const { client, server } = await startSimulator({ dataDirectory });
    await load(client, [variation('a'), variation('b'), variation('c')]);
    const { items } = await client.list(kinds.pods);
    await server.stop();
    const { client: second } = await startSimulator({ dataDirectory });
    expect((await second.list(kinds.pods)).items).toEqual(items);
  });

  it('stores nothing when one of the objects is wrong', async () => {
    const { client } = await startSimulator();
    expect(await refusal(load(client, [variation('a'), variation('B!')]))).toMatch(/^invalid: .*metadata\.name/);
    expect(await refusal(load(client, [variation('a'), variation('a')]))).toMatch(/^bad-request: .*twice/);
    expect(await refusal(load(client, [variation('a'), { ...variation('b'), spec: { nodeName: 5 } }]))).toMatch(/^bad-request: .*nodeName/);
    expect(await refusal(load(client, [variation('a'), { ...variation('b'), spec: { nodeNam: 'x' } }]))).toMatch(/^bad-request: .*nodeNam/);
    const elsewhere = { ...variation('b'), metadata: { namespace: 'nowhere', name: 'b' } };
    expect(await refusal(load(client, [variation('a'), elsewhere]))).toMatch(/^bad-request: .*namespace that exists/);
    const named = { ...variation('b'), metadata: { namespace: 'default', name: 'b', uid: 'mine' } };
    expect(await refusal(load(client, [variation('a'), named]))).toMatch(/^bad-request: .*metadata\.uid cannot vary/);
    expect((await client.list(kinds.pods)).items).toEqual([]);
  });

  it.each([
    ['no model', { variations: [] }, 'model'],
    ['an unknown kind', { model: { apiVersion: 'v1', kind: 'Nothing' }, variations: [] }, 'Nothing'],
    ['variations that are none', { model, variations: [5] }, 'variations'],
  ])('refuses %s', async (_, body, word) => {
    const { client } = await startSimulator();
    const path = '/simulator/objects';
    const request = { what: 'load', method: 'POST', path, contentType: 'application/json', body: JSON.stringify(body) } as const;
    expect(await refusal(client.transport.json(request))).toMatch(new RegExp(`^bad-request: .*${word}`));
  });
});

describe('a bulk deletion', () => {
  const remove = (client: KubeClient, body: object) =>
    client.transport.json<{ deleted: number; absent: number }>({
      what: 'delete objects',
      method: 'DELETE',
      path: '/simulator/objects',
      contentType: 'application/json',
      body: JSON.stringify(body),
    });
  const of = (...names: string[]) => ({ apiVersion: 'v1', kind: 'Pod', objects: names.map((name) => ({ namespace: 'default', name })) });

  it('deletes those that are named, and says how many were not there', async () => {
    const { client } = await startSimulator();
    await load(client, ['a', 'b', 'c'].map(variation));
    expect(await remove(client, of('a', 'c', 'nobody'))).toEqual({ deleted: 2, absent: 1 });
    const { items } = await client.list(kinds.pods, { namespace: 'default' });
    expect(items.map(({ metadata }) => metadata?.name)).toEqual(['b']);
  });

  it('tells watchers of each', async () => {
    const { client } = await startSimulator();
    await load(client, ['a', 'b'].map(variation));
    const pods = startCache(client, { type: kinds.pods, project: () => undefined });
    await pods.whenSynced();
    const gone: string[] = [];
    const both = new Promise<void>((resolve) => {
      pods.subscribe({ deleted: ({ key }) => void (gone.push(key) === 2 && resolve()) });
    });
    await remove(client, of('a', 'b'));
    await both;
    await pods.stop();
    expect(gone).toEqual(['default/a', 'default/b']);
  });

  it('only marks one that waits for a finalizer', async () => {
    const { client } = await startSimulator();
    await load(client, [variation('a')]);
    const body = { metadata: { finalizers: ['example.com/hold'] } };
    await client.patch(kinds.pods, { namespace: 'default', name: 'a' }, { kind: 'merge', body }, {});
    await remove(client, of('a'));
    expect((await client.get(kinds.pods, { namespace: 'default', name: 'a' })).metadata?.deletionTimestamp).toBeDefined();
  });

  it('refuses a kind that is not served and a body that names none', async () => {
    const { client } = await startSimulator();
    expect(await refusal(remove(client, { apiVersion: 'v1', kind: 'Nothing', objects: [] }))).toContain('no kind "Nothing"');
    expect(await refusal(remove(client, { apiVersion: 'v1', kind: 'Pod' }))).toContain('objects: must be a list');
  });
});
