import { clusterTopic } from '@quartermaster/api/inventory-topics';
import { createMemoryBus } from '@quartermaster/bus';
import { type KubeClient, kinds } from '@quartermaster/kube';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { addNode, addPod, hardwareOf, type OperatorCluster, operatorNamespace, patience, removePod, report } from './operator-cluster.ts';
import { type OperatorOptions, type RunningOperator, startOperator } from './running-operator.ts';

const prefix = 'akash.network/capabilities.gpu.';
const name = 'labelled';

/** Labels of nodes, and who writes them. The tests build on each other. */
export function describeLabels(cluster: () => OperatorCluster): void {
  describe('labels of nodes', () => {
    let client: KubeClient;

    beforeAll(async () => {
      ({ client } = cluster());
      await addNode(client, name, { labels: { 'example.org/rack': 'r1', 'akash.network/capabilities.gpu.note': 'by-hand' } });
      await report(client, name, hardwareOf(name));
    });

    afterAll(async () => {
      await client.delete(kinds.nodes, { name });
    });

    const labels = async () => (await client.get(kinds.nodes, { name })).metadata?.labels ?? {};
    const version = async () => (await client.get(kinds.nodes, { name })).metadata?.resourceVersion;

    /** A replica for the rest of the test, or until it is stopped. */
    async function replica(options: Partial<OperatorOptions> = {}): Promise<RunningOperator> {
      const started = await startOperator({ ...cluster(), ...options });
      onTestFinished(() => started.stop());
      return started;
    }

    const isLeader = async (operator: RunningOperator) => (await operator.grpc.getStatus({})).isLeader;

    /** A pod that comes and goes makes generations of this node: whatever the leader has to write by then, it has had reason to. */
    async function live(operator: RunningOperator): Promise<void> {
      await addPod(client, 'passing', name);
      await expect.poll(() => operator.inventory.feed.node(name)?.pods, patience).toBe(1);
      await removePod(client, 'passing');
      await expect.poll(() => operator.inventory.feed.node(name)?.pods, patience).toBe(0);
    }

    it('say what a node has in both forms, beside the labels of others', async () => {
      const operator = await replica();
      await expect.poll(labels, patience).toMatchObject({
        'akash.network': 'true',
        [`${prefix}vendor.nvidia`]: 'true',
        [`${prefix}model.h100`]: 'true',
        [`${prefix}vendor.nvidia.model.h100`]: '8',
        [`${prefix}vendor.nvidia.model.h100.ram.80Gi`]: '8',
        'nvidia.com/gpu.present': 'true',
      });
      expect(await labels()).toMatchObject({ 'example.org/rack': 'r1', 'akash.network/capabilities.gpu.note': 'by-hand' });
      const { metadata } = await client.get(kinds.nodes, { name });
      expect(metadata?.managedFields).toContainEqual(expect.objectContaining({ manager: 'quartermaster-inventory', operation: 'Apply' }));
      const before = await version();
      await live(operator);
      expect(await version()).toBe(before);
    });

    it('are not written again by an operator that starts anew and finds them right', async () => {
      const before = await version();
      const operator = await replica();
      await expect.poll(() => isLeader(operator), patience).toBe(true);
      await live(operator);
      // A node that needs labels gets them from the same queue, which was filled after the first one.
      await addNode(client, 'after', { resources: { cpu: '4', memory: '8Gi', pods: '10' } });
      await expect
        .poll(async () => (await client.get(kinds.nodes, { name: 'after' })).metadata?.labels?.['akash.network'], patience)
        .toBe('true');
      expect(await version()).toBe(before);
      await client.delete(kinds.nodes, { name: 'after' });
    });

    it('come back when somebody removes them, and go when what they say is no longer so', async () => {
      await replica();
      const gone = { metadata: { labels: { [`${prefix}model.h100`]: null } } };
      await client.patch(kinds.nodes, { name }, { kind: 'merge', body: gone });
      await expect.poll(async () => (await labels())[`${prefix}model.h100`], patience).toBe('true');
      await report(client, name, hardwareOf(name, '20b2'));
      await expect.poll(async () => (await labels())[`${prefix}model.a100`], patience).toBe('true');
      expect(await labels()).not.toHaveProperty([`${prefix}model.h100`]);
      expect(await labels()).toMatchObject({ 'example.org/rack': 'r1', 'akash.network/capabilities.gpu.note': 'by-hand' });
      await report(client, name, hardwareOf(name));
      await expect.poll(async () => (await labels())[`${prefix}model.h100`], patience).toBe('true');
    });

    it('are written by the leader alone while every replica serves, and by the next one when it ends', async () => {
      const bus = createMemoryBus();
      onTestFinished(() => bus.close());
      const replicas = [await replica({ bus, isBusShared: true }), await replica({ bus, isBusShared: true })];
      const published = async (key = replicas[0]?.inventory.feed.clusterId ?? '') =>
        (await bus.current(clusterTopic, { key }))?.value.generation?.epoch;
      const leading = async () => (await Promise.all(replicas.map(isLeader))).filter(Boolean).length;
      await expect.poll(leading, patience).toBe(1);
      const holder = (await client.get(kinds.leases, { namespace: operatorNamespace, name: 'quartermaster-inventory' })).spec
        ?.holderIdentity;
      for (const { grpc, get } of replicas) {
        // A standby learns who leads when it looks at the lease again.
        await expect.poll(() => grpc.getStatus({}), patience).toMatchObject({ leader: holder });
        expect((await grpc.getSnapshot({})).snapshot?.nodes.map((node) => node.name)).toEqual([name]);
        expect((await get('/v1/inventory')).status).toBe(200);
        expect((await get('/readyz')).status).toBe(200);
      }
      const leader = replicas[(await isLeader(replicas[0] as RunningOperator)) ? 0 : 1];
      const standby = replicas.find((each) => each !== leader);
      await expect.poll(() => published(), patience).toBe(leader?.inventory.feed.epoch);
      expect(standby?.inventory.publisher?.status().published).toBeUndefined();
      await leader?.stop();
      const gone = { metadata: { labels: { [`${prefix}vendor.nvidia`]: null } } };
      await client.patch(kinds.nodes, { name }, { kind: 'merge', body: gone });
      await expect.poll(async () => (await labels())[`${prefix}vendor.nvidia`], patience).toBe('true');
      expect(await isLeader(standby as RunningOperator)).toBe(true);
      await expect.poll(() => published(), patience).toBe(standby?.inventory.feed.epoch);
    });
  });
}
