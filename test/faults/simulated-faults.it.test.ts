import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Cache, failureOf, KubeClient, kinds, podExec, startCache } from '@quartermaster/kube';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { runKubectl } from '../kube/kubectl.ts';
import { RunningUp } from '../up/running-up.ts';

const patience = { timeout: 60_000, interval: 100 };
const namespace = 'default';

/** Heartbeats are quick, so that the loss of a node shows soon. */
const scenario = `description: two nodes that are soon missed
seed: 1
timing: { heartbeatMs: 500 }
hardware:
  small: { cpu: xeon-6130, sockets: 1, memoryGiB: 64, gpus: [{ model: t4, count: 2 }] }
racks:
  - name: rack-1
    nodes: [{ prefix: node, hardware: small, count: 2 }]
`;

describe('faults of a running simulation, through its HTTP endpoint', { timeout: 120_000 }, () => {
  let directory: string;
  let up: RunningUp;
  let client: KubeClient;
  let control: { readonly url: string; readonly token: string };

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'simulated-faults-'));
    const file = join(directory, 'scenario.yaml');
    await writeFile(file, scenario);
    const data = join(directory, 'data');
    up = new RunningUp(['--data-dir', data, '--port', '0', '--scenario', file]);
    const { kubeconfig } = await up.ready();
    client = await KubeClient.connect({ kubeconfig });
    control = JSON.parse(await readFile(join(data, 'simulator-control.json'), 'utf8')) as typeof control;
  });

  afterAll(async () => {
    await client?.close();
    await up?.stop();
    await rm(directory, { recursive: true, force: true });
  });

  async function ask(method: string, path: string, body?: unknown): Promise<{ readonly id?: string; readonly faults?: { id: string }[] }> {
    const answer = await fetch(new URL(path, control.url), {
      method,
      headers: { authorization: `Bearer ${control.token}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    expect(answer.status).toBe(200);
    return (await answer.json()) as { readonly id?: string };
  }

  const inflict = async (fault: { readonly kind: string } & Record<string, unknown>): Promise<string> =>
    (await ask('POST', '/faults', fault)).id ?? '';
  const mend = (id: string) => ask('DELETE', `/faults/${encodeURIComponent(id)}`);
  const put = (name: string, x: string) =>
    client.apply(kinds.configMaps, { metadata: { namespace, name }, data: { x } }, { fieldManager: 'test', force: true });
  const failureFrom = (request: Promise<unknown>) => request.catch(failureOf);

  async function configMapCache(): Promise<Cache<string | undefined>> {
    const backoff = { firstMs: 5, maxMs: 20, factor: 2 };
    const cache = startCache(client, { type: kinds.configMaps, namespace, project: ({ data }) => data?.['x'], backoff });
    onTestFinished(() => cache.stop());
    await cache.whenSynced();
    await expect.poll(() => cache.status().state, patience).toBe('watching');
    return cache;
  }

  afterEach(async () => {
    const { faults = [] } = await ask('GET', '/faults');
    if (faults.length > 0) throw new Error(`the test left ${JSON.stringify(faults)} behind`);
  });

  it('latency holds up what it is for, and nothing else', async () => {
    await put('slow', '1');
    const id = await inflict({ kind: 'latency', ms: 600_000, resource: 'configmaps', verbs: ['get'] });
    expect(await failureFrom(client.get(kinds.configMaps, { namespace, name: 'slow' }, { timeoutMs: 300 }))).toMatchObject({
      kind: 'timeout',
    });
    await client.list(kinds.configMaps, { namespace });
    await client.get(kinds.namespaces, { name: namespace });
    await mend(id);
    expect((await client.get(kinds.configMaps, { namespace, name: 'slow' })).data).toEqual({ x: '1' });
  });

  it('errors come for the kinds and verbs that they are for, to kubectl as well', async () => {
    const id = await inflict({ kind: 'error', code: 503, resource: 'secrets', verbs: ['create'] });
    const secret = { metadata: { namespace, name: 'never' } };
    expect(await failureFrom(client.create(kinds.secrets, secret))).toMatchObject({ kind: 'server', status: 503 });
    const { kubeconfig } = await up.ready();
    const target = { kubeconfig, cacheDirectory: join(directory, 'kubectl') };
    const created = await runKubectl(target, ['create', 'secret', 'generic', 'never']);
    expect(created.exitCode).toBe(1);
    expect(created.stderr).toContain('a simulated fault');
    expect((await runKubectl(target, ['get', 'secrets'])).exitCode).toBe(0);
    await mend(id);
    await client.create(kinds.secrets, secret);
  });

  it('throttling says when to come back', async () => {
    const id = await inflict({ kind: 'error', code: 429, resource: 'leases', verbs: ['list'], retryAfterSeconds: 60 });
    const request = client.list(kinds.leases, { namespace, timeoutMs: 3_000 });
    expect(await failureFrom(request)).toEqual({ kind: 'throttled', retryAfterMs: 60_000 });
    await mend(id);
  });

  it('cut watches begin again without losing a change', async () => {
    const cache = await configMapCache();
    const { watches, lists } = cache.status().counters;
    await inflict({ kind: 'cut-watches', resource: 'configmaps' });
    await put('cut', '1');
    await expect.poll(() => cache.get(`${namespace}/cut`)?.value, patience).toBe('1');
    expect(cache.status().counters.watches).toBeGreaterThan(watches);
    expect(cache.status().counters.lists).toBe(lists);
  });

  it('frozen watches say nothing, and then everything', async () => {
    const cache = await configMapCache();
    const other = startCache(client, { type: kinds.secrets, namespace, project: () => true });
    onTestFinished(() => other.stop());
    await other.whenSynced();
    const id = await inflict({ kind: 'frozen-watches', resource: 'configmaps' });
    await put('frozen', '1');
    await client.create(kinds.secrets, { metadata: { namespace, name: 'afterwards' } });
    await expect.poll(() => other.get(`${namespace}/afterwards`)?.value, patience).toBe(true);
    expect(cache.get(`${namespace}/frozen`)).toBeUndefined();
    expect(cache.status().state).toBe('watching');
    await mend(id);
    await expect.poll(() => cache.get(`${namespace}/frozen`)?.value, patience).toBe('1');
  });

  it('expired history makes pages of before end with 410, and caches list again', async () => {
    await put('page-1', '1');
    await put('page-2', '1');
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    const first = (await client.transport.json({ what: 'first page', method: 'GET', path, query: { limit: 1 } })) as {
      metadata: { continue: string; resourceVersion: string };
    };
    const cache = await configMapCache();
    const { lists } = cache.status().counters;
    await put('page-3', '1');
    await inflict({ kind: 'expire' });
    const query = { limit: 1, continue: first.metadata.continue };
    expect(await failureFrom(client.transport.json({ what: 'next page', method: 'GET', path, query }))).toMatchObject({ kind: 'expired' });
    // A watch that was cut in front of a change cannot go on where it was.
    const id = await inflict({ kind: 'frozen-watches', resource: 'configmaps' });
    await put('missed', '1');
    await inflict({ kind: 'expire' });
    await inflict({ kind: 'cut-watches', resource: 'configmaps' });
    await mend(id);
    await expect.poll(() => cache.get(`${namespace}/missed`)?.value, patience).toBe('1');
    expect(cache.status().counters.expirations).toBeGreaterThan(0);
    expect(cache.status().counters.lists).toBeGreaterThan(lists);
  });

  it('stale lists show what was, while objects are read as they are', async () => {
    await put('stale', 'before');
    const id = await inflict({ kind: 'stale-lists', resource: 'configmaps' });
    await put('stale', 'after');
    await put('unlisted', '1');
    const listed = async () =>
      (await client.list(kinds.configMaps, { namespace })).items.flatMap(({ metadata, data }) =>
        metadata?.name === 'stale' || metadata?.name === 'unlisted' ? [`${metadata.name} ${data?.['x']}`] : [],
      );
    expect(await listed()).toEqual(['stale before']);
    expect((await client.get(kinds.configMaps, { namespace, name: 'stale' })).data).toEqual({ x: 'after' });
    await mend(id);
    expect(await listed()).toEqual(['stale after', 'unlisted 1']);
  });

  it('a skewed clock shows in what its node writes', async () => {
    const renewed = async (name: string): Promise<number> =>
      Date.parse((await client.get(kinds.leases, { namespace: 'kube-node-lease', name })).spec?.renewTime ?? '');
    const aheadMs = async (): Promise<number> => (await renewed('node-1')) - (await renewed('node-2'));
    const id = await inflict({ kind: 'clock-skew', node: 'node-1', byMs: 7_200_000 });
    await expect.poll(aheadMs, patience).toBeGreaterThan(3_600_000);
    expect(Date.now() + 3_600_000).toBeGreaterThan(await renewed('node-2'));
    await mend(id);
    await expect.poll(aheadMs, patience).toBeLessThan(3_600_000);
  });

  it('a lost GPU can no longer be given away', async () => {
    const gpus = async (): Promise<unknown[]> => {
      const { status } = await client.get(kinds.nodes, { name: 'node-2' });
      return [status?.capacity?.['nvidia.com/gpu'], status?.allocatable?.['nvidia.com/gpu']];
    };
    expect(await gpus()).toEqual(['2', '2']);
    const id = await inflict({ kind: 'gpu-loss', node: 'node-2', count: 1 });
    await expect.poll(gpus, patience).toEqual(['2', '1']);
    await mend(id);
    await expect.poll(gpus, patience).toEqual(['2', '2']);
  });

  it('a lost node falls silent, its pods cannot be reached, and it comes back', async () => {
    const pod = { metadata: { namespace, name: 'pinned' }, spec: { nodeName: 'node-1', containers: [{ name: 'main', image: 'plain' }] } };
    await client.create(kinds.pods, pod);
    const ref = { namespace, name: 'pinned' };
    await expect.poll(async () => (await client.get(kinds.pods, ref)).status?.phase, patience).toBe('Running');
    expect((await podExec(client, ref, { command: ['hostname'] })).stdout).toBe('pinned\n');
    const ready = async () =>
      (await client.get(kinds.nodes, { name: 'node-1' })).status?.conditions?.find(({ type }) => type === 'Ready')?.status;
    const id = await inflict({ kind: 'node-loss', node: 'node-1' });
    await expect(podExec(client, ref, { command: ['hostname'] })).rejects.toThrow('exec in pods');
    await expect.poll(ready, patience).toBe('Unknown');
    await mend(id);
    await expect.poll(ready, patience).toBe('True');
    expect((await podExec(client, ref, { command: ['hostname'] })).stdout).toBe('pinned\n');
  });
});
