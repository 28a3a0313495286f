import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Sellability, type WatchInventoryResponse } from '@quartermaster/api/inventory';
import { clusterTopic, nodesTopic, stateKey, storageTopic } from '@quartermaster/api/inventory-topics';
import * as views from '@quartermaster/api/inventory-views';
import { createMemoryBus } from '@quartermaster/bus';
import { overridesName } from '@quartermaster/inventory';
import { type KubeClient, kinds } from '@quartermaster/kube';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { FollowedViews } from './followed-views.ts';
import { addNode, addPod, hardwareOf, type OperatorCluster, operatorNamespace, patience, removePod, report } from './operator-cluster.ts';
import { type RunningOperator, startOperator } from './running-operator.ts';

const name = 'served';

/** What readers of the operator get, and what its configuration changes in that. The tests build on each other. */
export function describeServing(cluster: () => OperatorCluster): void {
  describe('readers of the inventory', () => {
    const bus = createMemoryBus();
    let client: KubeClient;
    let directory: string;
    let configFile: string;
    let operator: RunningOperator;

    beforeAll(async () => {
      ({ client } = cluster());
      directory = await mkdtemp(join(tmpdir(), 'operator-config-'));
      configFile = join(directory, 'inventory.yaml');
      await writeFile(configFile, 'version: v1\n');
      await addNode(client, name);
      operator = await startOperator({ ...cluster(), bus, args: [`--inventory-config=${configFile}`] });
      await report(client, name, hardwareOf(name));
      await vi.waitUntil(() => operator.inventory.feed.node(name)?.devices.length === 8, patience);
    });

    afterAll(async () => {
      await operator?.stop();
      await bus.close();
      await client.delete(kinds.nodes, { name });
      await rm(directory, { recursive: true, force: true });
    });

    const model = () => operator.inventory.feed.node(name)?.gpus.map((gpu) => gpu.model);

    it('follow generations that only grow, each delta from where the last one ended', async () => {
      const watch = operator.grpc.watchInventory({});
      const next = async () => ((await watch.next()).value as WatchInventoryResponse).event;
      const first = await next();
      expect(first.case).toBe('snapshot');
      let at = first.case === 'snapshot' ? first.value.generation : undefined;
      expect(at?.epoch).toBe(operator.inventory.feed.epoch);
      for (const pod of ['a', 'b', 'c']) {
        await addPod(client, pod, name);
        for (let seen = false; !seen; ) {
          const event = await next();
          // While nothing comes for a while, there is a sign of life.
          if (event.case === 'heartbeat') continue;
          if (event.case !== 'delta') throw new Error(`${event.case} is not a delta`);
          expect(event.value.from).toEqual(at);
          expect(event.value.to?.sequence).toBeGreaterThan(at?.sequence ?? 0n);
          at = event.value.to;
          seen = event.value.nodes.some((node) => node.pods === BigInt('abc'.indexOf(pod) + 1));
        }
      }
      await watch.return();
      expect((await operator.grpc.listAllocations({ node: name })).allocations.map(({ pod, cpuMillis }) => [pod, cpuMillis])).toEqual([
        ['a', 500n],
        ['b', 500n],
        ['c', 500n],
      ]);
      for (const pod of ['a', 'b', 'c']) await removePod(client, pod);
    });

    it('read gRPC and REST alike, with metrics and probes', async () => {
      await expect.poll(() => operator.inventory.feed.node(name)?.pods, patience).toBe(0);
      const { snapshot } = await operator.grpc.getSnapshot({});
      expect(snapshot).toMatchObject({ completeness: { complete: true }, nodes: [{ name, cpu: { available: 64_000n } }] });
      const answer = await operator.get(`/v1/node/${name}`);
      expect(JSON.parse(answer.text)).toMatchObject({ name, resources: { cpu: { quantity: { allocatable: '64', allocated: '0' } } } });
      expect(JSON.parse((await operator.get('/v1/inventory')).text)).toMatchObject({ nodes: [{ name }] });
      expect((await operator.get('/v1/node/nobody')).status).toBe(404);
      expect((await operator.get('/metrics')).text).toContain('quartermaster_inventory_nodes{share="sellable"} 1');
      expect(await operator.get('/readyz')).toMatchObject({ status: 200, text: expect.stringMatching(/^ok\n/) as string });
      expect(await operator.grpc.explain({ subject: { case: 'node', value: name } })).toMatchObject({ sellability: Sellability.SELLABLE });
    });

    it('follow views that agree with each other, while a card falls sick and the node falls silent', async () => {
      const about = `node?name=${name}`;
      const followed = new FollowedViews(operator.views, ['nodes', 'capacity', about]);
      const row = () => followed.of(views.nodesTopic, 'nodes')?.rows.find((each) => each.name === name);
      const detail = () => followed.of(views.nodeTopic, about)?.head.detail;
      const gpus = () =>
        followed.of(views.capacityTopic, 'capacity')?.rows.find(({ kind, name: line }) => kind === 'resource' && line === 'gpu');
      const agree = (allocated: number, sellable: number, heldBack: number, unknown: number) => {
        expect(row()?.sale?.gpu).toEqual([8, allocated, sellable, heldBack, unknown]);
        expect(gpus()?.division).toEqual({ allocated, sellable, heldBack, unknown });
      };
      await expect.poll(row, patience).toMatchObject({ name, isReady: true, state: 'Ready' });
      await addPod(client, 'viewed', name, { gpus: 2 });
      await vi.waitFor(() => agree(2, 6, 0, 0), patience);
      await expect.poll(() => followed.of(views.nodeTopic, about)?.rows.map((pod) => pod.name), patience).toEqual(['viewed']);

      const { gpus: cards = [], ...facts } = hardwareOf(name);
      const sick = { state: 'unhealthy', reason: 'XID 79' } as const;
      await report(client, name, { ...facts, gpus: cards.map((card, index) => (index === 7 ? { ...card, health: sick } : card)) });
      await vi.waitFor(() => agree(2, 5, 1, 0), patience);
      await expect
        .poll(
          () =>
            detail()
              ?.gpus.map(({ fill }) => fill)
              .toSorted()
              .at(0),
          patience,
        )
        .toBe('held-back');

      const lastTransitionTime = '2026-01-01T00:20:00Z';
      const ready = { type: 'Ready', reason: 'NodeStatusUnknown', message: 'Kubelet stopped posting', lastTransitionTime };
      const become = (condition: object) =>
        client.patch(kinds.nodes, { name }, { kind: 'merge', body: { status: { conditions: [condition] } } }, { subresource: 'status' });
      await become({ ...ready, status: 'Unknown', lastHeartbeatTime: '2026-01-01T00:16:00Z' });
      await vi.waitFor(() => agree(0, 0, 0, 8), patience);
      const since = Date.parse(lastTransitionTime);
      expect(row()).toMatchObject({ isReady: false, state: 'NotReady: Kubelet stopped posting', silentSince: since });
      await expect
        .poll(detail, patience)
        .toMatchObject({ state: 'unknown', reasons: [{ code: 'ReadyUnknown', since }], stale: [{ source: 'kubelet', since }] });

      await become({ ...ready, status: 'True', lastHeartbeatTime: lastTransitionTime });
      await report(client, name, hardwareOf(name));
      await removePod(client, 'viewed');
      await expect.poll(() => row()?.silentSince, patience).toBeUndefined();
      await followed.stop();
    });

    it('find a card by its UUID without dashes, and see how capacity was since the start', async () => {
      const answer = JSON.parse((await operator.get(`/v1/search?query=gpu${name}3`)).text) as object;
      expect(answer).toMatchObject({ hits: [{ kind: 'gpu', id: `${name} GPU-${name}-3` }], searched: ['node', 'gpu', 'class'] });
      const { samples } = await operator.views.getHistory({});
      expect(samples[0]?.at).toBeDefined();
      const { state } = await operator.views.getView({ view: 'summary' });
      expect(state).toMatchObject({ head: { nodeCount: 1, observedAt: expect.any(Number) as number, stale: [] } });
    });

    it('find the newest state of nodes, classes and totals on the bus', async () => {
      const { clusterId } = operator.inventory.feed;
      const key = stateKey(clusterId, name);
      await addPod(client, 'bussed', name);
      await expect.poll(async () => (await bus.current(nodesTopic, { key }))?.value.node?.pods, patience).toBe(1n);
      await expect
        .poll(async () => (await bus.current(clusterTopic, { key: clusterId }))?.value.totals?.sellable?.cpu?.allocated, patience)
        .toBe(500n);
      await removePod(client, 'bussed');
      await client.create(kinds.storageClasses, { metadata: { name: 'nobodys' }, provisioner: 'example.org/none' });
      const refusal = async () =>
        (await bus.current(storageTopic, { key: stateKey(clusterId, 'nobodys') }))?.value.storageClass?.refusal?.code;
      await expect.poll(refusal, patience).toBeDefined();
      const reason = await refusal();
      await expect
        .poll(async () => (await operator.get('/metrics')).text, patience)
        .toContain(`quartermaster_inventory_storage_offered{class="nobodys",reason="${reason}"} 0`);
      await client.delete(kinds.storageClasses, { name: 'nobodys' });
    });

    it('see what the configuration file says while it changes, and a broken one changes nothing but says so', async () => {
      const state = () => operator.inventory.feed.node(name)?.sellability;
      const readiness = async () => {
        const { checks } = await operator.health.report('ready');
        return checks.find(({ name: check }) => check.endsWith('/configuration'));
      };
      await writeFile(configFile, `version: v1\nexclude:\n  nodes: ["^${name}$"]\n`);
      await expect.poll(state, patience).toMatchObject({ state: 'held-back', reasons: [{ code: 'Excluded' }] });
      await expect
        .poll(async () => (await client.get(kinds.nodes, { name })).metadata?.labels, patience)
        .not.toHaveProperty(['akash.network']);
      for (const [broken, problem] of [
        ['version: v1\nexclude: [', 'is not YAML'],
        ['', 'is empty'],
      ] as const) {
        await writeFile(configFile, broken);
        await expect.poll(readiness, patience).toMatchObject({ state: 'degraded', reason: expect.stringContaining(problem) });
        // Whoever may probe need not know why.
        expect((await operator.get('/readyz')).text).not.toContain(problem);
        expect(state()).toMatchObject({ state: 'held-back' });
        expect((await operator.get('/readyz')).status).toBe(200);
      }
      await writeFile(configFile, 'version: v1\ncluster_storage: [ghost, ram]\n');
      await expect.poll(state, patience).toMatchObject({ state: 'sellable' });
      await expect.poll(() => operator.inventory.feed.storageClass('ghost')?.refusal?.code, patience).toBe('ClassMissing');
      expect(operator.inventory.feed.storageClass('ram')).toBeUndefined();
      await writeFile(configFile, 'version: v1\n');
      await expect.poll(() => operator.inventory.feed.storageClass('ghost'), patience).toBeUndefined();
      const { parts } = await operator.grpc.getStatus({});
      // Not every machine that runs tests has names of PCI devices.
      expect(parts.filter((part) => part.message !== '' && part.name !== 'pci.ids')).toEqual([]);
    });

    it('know a card by the local override, and by the database when it is withdrawn', async () => {
      const metadata = { namespace: operatorNamespace, name: overridesName };
      const data = { 'gpus.json': JSON.stringify({ '10de': { name: 'nvidia', devices: { '2330': { name: 'h100-house' } } } }) };
      await client.create(kinds.configMaps, { metadata, data });
      await expect.poll(model, patience).toEqual(['h100-house']);
      const broken = { data: { 'gpus.json': '{"10de": 1}' } };
      await client.patch(kinds.configMaps, metadata, { kind: 'merge', body: broken });
      const problem = async () => (await operator.grpc.getStatus({})).parts.find((part) => part.name === 'gpu database')?.message;
      await expect.poll(problem, patience).toContain('10de');
      expect(model()).toEqual(['h100-house']);
      await client.delete(kinds.configMaps, metadata);
      await expect.poll(model, patience).toEqual(['h100']);
    });
  });
}
