import {
  InventoryService,
  InventoryViewsService,
  Sellability,
  type WatchInventoryResponse,
  type WatchViewsResponse,
} from '@quartermaster/api/inventory';
import { gpuGroup, nodeInventory, storageInventory } from '@quartermaster/inventory/testing';
import { openRpcChannel, type RpcChannel, type ServiceClient } from '@quartermaster/rpc';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ServedInventory, serveInventory } from './serve-inventory.ts';

const allocation = (pod: string) => ({
  podUid: `uid-${pod}`,
  namespace: 'lease-1',
  pod,
  node: 'n1',
  leaseLabels: { 'akash.network/lease.id.dseq': '7' },
  cpuMillis: 100,
  memoryBytes: 2 ** 40,
  ramBytes: 0,
  ephemeralStorageBytes: 0,
  extended: new Map([['nvidia.com/gpu', 2]]),
  devices: ['GPU-1'],
});

describe('the servers of the inventory', () => {
  let served: ServedInventory;
  let channel: RpcChannel;
  let client: ServiceClient<typeof InventoryService>;
  const filters: unknown[] = [];

  beforeEach(async () => {
    served = await serveInventory({
      allocations: (filter, { after, limit }) => {
        filters.push(filter);
        const later = ['a', 'b', 'c'].filter((pod) => `lease-1/${pod}/uid-${pod}` > after);
        return later.slice(0, limit).map(allocation);
      },
    });
    channel = openRpcChannel({ address: served.servers.grpc, tries: 1 });
    client = channel.client(InventoryService);
  });
  afterEach(async () => {
    channel.close();
    await served.stop();
    filters.length = 0;
  });

  const setNode = (name: string, pods = 0): void => {
    served.inventory.setNode(nodeInventory(name, { pods, gpus: [gpuGroup()] }));
    served.feed.touch('nodes');
  };
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${served.servers.rest}${path}`, { headers });
    return { status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() };
  };

  it('answers nothing but its status before everything was read once', async () => {
    await expect(client.getSnapshot({})).rejects.toMatchObject({ code: 'unavailable' });
    await expect(client.watchInventory({}).next()).rejects.toMatchObject({ code: 'unavailable' });
    expect(await client.getStatus({})).toMatchObject({ clusterId: 'c1', isLeader: true });
    expect((await get('/v1/inventory')).status).toBe(503);
    expect(await get('/readyz')).toMatchObject({ status: 503, text: 'failed\n' });
    expect((await get('/livez')).status).toBe(200);
  });

  it('gives the whole inventory with everything in it', async () => {
    setNode('n1', 4);
    served.inventory.classes.set('beta3', storageInventory('beta3'));
    served.feed.touch('storage');
    await expect.poll(async () => (await client.getSnapshot({})).snapshot?.storage.length).toBe(1);
    const { snapshot } = await client.getSnapshot({});
    expect(snapshot).toMatchObject({
      clusterId: 'c1',
      generation: { epoch: served.feed.epoch },
      nodes: [{ name: 'n1', sellability: Sellability.SELLABLE, pods: 4n, gpus: [{ model: 'h100', amount: { available: 6n } }] }],
      storage: [{ name: 'beta3', replicas: 3, nodeLocal: false }],
      totals: { sellableNodes: 1n, sellable: { gpus: { 'nvidia/h100/SXM5/80Gi': { capacity: 8n } } } },
    });
  });

  it('resumes a watch at a generation, sends deltas, and a snapshot to another epoch', async () => {
    setNode('n1');
    const first = client.watchInventory({});
    const { event } = (await first.next()).value as WatchInventoryResponse;
    expect(event.case).toBe('snapshot');
    await first.return();
    const generation = event.case === 'snapshot' ? event.value.generation : undefined;
    setNode('n2');
    await expect.poll(() => served.feed.state()?.generation.sequence).toBe(2);
    const second = client.watchInventory({ ...(generation === undefined ? {} : { resumeFrom: generation }) });
    expect((await second.next()).value).toMatchObject({
      event: { case: 'delta', value: { from: { sequence: 1n }, to: { sequence: 2n }, nodes: [{ name: 'n2' }] } },
    });
    await second.return();
    const third = client.watchInventory({ resumeFrom: { epoch: 'before the restart', sequence: 1n } });
    expect((await third.next()).value).toMatchObject({ event: { case: 'snapshot', value: { nodes: [{ name: 'n1' }, { name: 'n2' }] } } });
    await third.return();
    await expect.poll(() => served.feed.subscribers).toBe(0);
  });

  it('sends heartbeats with how stale it is while nothing changes', async () => {
    setNode('n1');
    const watch = client.watchInventory({ heartbeatInterval: { seconds: 1n } });
    await watch.next();
    expect((await watch.next()).value).toMatchObject({
      event: { case: 'heartbeat', value: { generation: { sequence: 1n }, completeness: { complete: true } } },
    });
    await watch.return();
  });

  it('lists allocations in pages and passes every filter on', async () => {
    const request = { node: 'n1', namespace: 'lease-1', leaseLabel: 'akash.network/lease.id.dseq=7', device: 'GPU-1', pageSize: 2 };
    const first = await client.listAllocations(request);
    expect(first.allocations.map(({ pod }) => pod)).toEqual(['a', 'b']);
    expect(first.allocations[0]).toMatchObject({ memoryBytes: 2n ** 40n, extended: { 'nvidia.com/gpu': 2n }, devices: ['GPU-1'] });
    const second = await client.listAllocations({ ...request, pageToken: first.nextPageToken });
    expect(second).toMatchObject({ allocations: [{ pod: 'c' }], nextPageToken: '' });
    expect(filters[0]).toEqual({
      node: 'n1',
      namespace: 'lease-1',
      leaseLabel: { key: 'akash.network/lease.id.dseq', value: '7' },
      device: 'GPU-1',
    });
    await expect(client.listAllocations({ pageSize: 100_000 })).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringMatching(/page_size/) as string,
    });
    await expect(client.listAllocations({ leaseLabel: '=x' })).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringMatching(/lease_label/) as string,
    });
  });

  it('explains by gRPC and by path', async () => {
    setNode('n1');
    expect(await client.explain({ subject: { case: 'gpu', value: 'h100' } })).toMatchObject({
      subject: 'gpu h100',
      places: [{ node: 'n1' }],
    });
    await expect(client.explain({})).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringMatching(/subject is missing/) as string,
    });
    expect(JSON.parse((await get('/v1/explain/node/n1')).text)).toMatchObject({ subject: 'node n1', sellability: 'SELLABILITY_SELLABLE' });
    expect(JSON.parse((await get('/v1/explain/gpu/nvidia/h100')).text)).toMatchObject({ subject: 'gpu nvidia/h100' });
    expect(JSON.parse((await get('/v1/explain/class/x')).text)).toEqual({
      code: 'not_found',
      message: 'storage class x does not exist: the cluster has no storage classes',
    });
  });

  it('serves the cluster and nodes as JSON, indented for people', async () => {
    setNode('n1');
    const { status, type, text } = await get('/v1/inventory');
    expect([status, type]).toEqual([200, 'application/json; charset=utf-8']);
    expect(JSON.parse(text)).toMatchObject({ nodes: [{ name: 'n1', resources: { gpu: { info: Array(8).fill({ vendor_id: '10de' }) } } }] });
    expect((await get('/v1/inventory?pretty')).text).toContain('\n  "nodes": [\n');
    expect(JSON.parse((await get('/v1/node/n1')).text)).toMatchObject({ name: 'n1' });
    expect(JSON.parse((await get('/v1/node')).text)).toMatchObject({ name: 'n1' });
    expect((await get('/v1/node/n9')).status).toBe(404);
  });

  it('names a parameter that there is not', async () => {
    setNode('n1');
    expect(JSON.parse((await get('/v1/allocations?nod=n1')).text)).toEqual({
      code: 'invalid_argument',
      message: 'unknown parameter "nod": must be one of node, namespace, lease_label, device, page_size, page_token',
    });
    expect(JSON.parse((await get('/v1/allocations?page_size=2&leaseLabel=a')).text)).toMatchObject({ nextPageToken: 'lease-1/b/uid-b' });
    expect((await get('/v1/allocations?page_size=many')).status).toBe(400);
    expect((await get('/v1/nothing')).status).toBe(404);
  });

  it('streams as lines of JSON and as server-sent events', async () => {
    setNode('n1');
    const read = async (accept: string): Promise<string> => {
      const stop = new AbortController();
      const answer = await fetch(`${served.servers.rest}/v1/watch`, { headers: { accept }, signal: stop.signal });
      const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
      let text = '';
      while (!text.includes('\n')) text += (await reader?.read())?.value ?? '\n';
      stop.abort();
      return text;
    };
    expect(JSON.parse(await read('application/json'))).toMatchObject({ snapshot: { nodes: [{ name: 'n1', pods: '0' }] } });
    expect(await read('text/event-stream')).toMatch(/^data: \{"snapshot":/);
    await expect.poll(() => served.feed.subscribers).toBe(0);
  });

  describe('views', () => {
    const views = () => channel.client(InventoryViewsService);

    it('are not known before everything was read once, and say so', async () => {
      expect(await views().getView({ view: 'nodes' })).toMatchObject({ sentAt: { seconds: expect.any(BigInt) as bigint } });
      expect((await views().getView({ view: 'nodes' })).state).toBeUndefined();
      const watch = views().watchViews({ views: ['nodes'] });
      expect((await watch.next()).value).toMatchObject({ view: 'nodes', change: { case: 'unknown', value: true } });
      await watch.return();
    });

    it('are the same by gRPC and by REST', async () => {
      setNode('n1', 4);
      setNode('n2');
      await expect.poll(() => served.feed.node('n2')?.name).toBe('n2');
      const { state } = await views().getView({ view: 'nodes?name=n1' });
      expect(state).toMatchObject({ head: { total: 2 }, rows: [{ name: 'n1', pods: 4, sale: { gpu: [8, 2, 6, 0, 0] } }] });
      const { status, text } = await get(`/v1/view?view=${encodeURIComponent('nodes?name=n1')}`);
      expect([status, (JSON.parse(text) as { state: unknown }).state]).toEqual([200, state]);
    });

    it('refuse an address that there is not, by name, and more than 16', async () => {
      setNode('n1');
      await expect(views().getView({ view: 'leases' })).rejects.toMatchObject({
        code: 'not_found',
        message: expect.stringMatching(/capacity, needs, trend/) as string,
      });
      await expect(
        views()
          .watchViews({ views: ['nodes', 'leases'] })
          .next(),
      ).rejects.toMatchObject({ code: 'not_found' });
      const many = Array.from({ length: 17 }, () => 'nodes');
      for (const asked of [[], many])
        await expect(views().watchViews({ views: asked }).next()).rejects.toMatchObject({
          code: 'invalid_argument',
          message: expect.stringMatching(/1 to 16 views/) as string,
        });
      await expect(views().getView({ view: 'node' })).rejects.toMatchObject({
        code: 'invalid_argument',
        message: expect.stringMatching(/name is missing/) as string,
      });
      await expect(views().search({ pageSize: 101 })).rejects.toMatchObject({
        code: 'invalid_argument',
        message: expect.stringMatching(/page_size/) as string,
      });
    });

    it('are followed with patches that make of the state what it is now', async () => {
      setNode('n1');
      const watch = views().watchViews({ views: ['nodes', 'capacity'] });
      const next = async () => (await watch.next()).value as WatchViewsResponse;
      expect([await next(), await next()]).toMatchObject([
        { view: 'nodes', change: { case: 'state' } },
        { view: 'capacity', change: { case: 'state' } },
      ]);
      setNode('n1', 7);
      expect(await next()).toMatchObject({ view: 'nodes', change: { case: 'patch', value: { changed: [['n1', { pods: 7 }]] } } });
      await watch.return();
    });

    it('are followed as server-sent events, which say that they are alive while nothing changes', async () => {
      setNode('n1');
      const stop = new AbortController();
      const answer = await fetch(`${served.servers.rest}/v1/views:watch?views=summary&views=storage`, {
        headers: { accept: 'text/event-stream' },
        signal: stop.signal,
      });
      const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
      let text = '';
      while (text.split('\n\n').length < 4) text += (await reader?.read())?.value ?? '';
      stop.abort();
      const events = text
        .split('\n\n')
        .slice(0, 3)
        .map((event) => JSON.parse(event.replace('data: ', '')) as Record<string, unknown>);
      expect(events[0]).toMatchObject({ view: 'summary', state: { head: { nodeCount: 1, needs: { all: 0 } } } });
      expect(events[1]).toMatchObject({ view: 'storage', state: { rows: [] } });
      // The summary is confirmed again every few seconds, which is news; nothing else is.
      expect(events[2]).toMatchObject({ view: 'summary', patch: { head: { observedAt: expect.any(Number) as number } } });
    });

    it('find things, and say where they looked', async () => {
      setNode('gpu-7');
      setNode('gpu-70');
      await expect.poll(() => served.feed.node('gpu-70')?.name).toBe('gpu-70');
      expect(JSON.parse((await get('/v1/search?query=GPU-7&page_size=1')).text)).toEqual({
        hits: [{ kind: 'node', id: 'gpu-7', label: 'gpu-7', detail: 'sellable' }],
        searched: ['node', 'gpu', 'class'],
      });
    });

    it('give the history as figures', async () => {
      setNode('n1');
      const { samples } = await views().getHistory({});
      expect(samples).toMatchObject([{ gpu: { allocated: 2n, sellable: 6n, heldBack: 0n, unknown: 0n }, cpu: { allocated: 3051n } }]);
      expect(JSON.parse((await get('/v1/history?since=2020-01-01T00:00:00Z')).text)).toMatchObject({
        samples: [{ memory: { heldBack: String(4 * 2 ** 30) } }],
      });
      expect((await get('/v1/history?since=2100-01-01T00:00:00Z')).text).toContain('"samples":[]');
    });
  });
});
