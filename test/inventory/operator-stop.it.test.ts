import { InventoryService } from '@quartermaster/api/inventory';
import { createMemoryBus } from '@quartermaster/bus';
import { openRpcChannel } from '@quartermaster/rpc';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { addNode, addPod, type OperatorCluster, patience, startSimulatedCluster } from './operator-cluster.ts';
import { startOperator } from './running-operator.ts';

describe('an operator whose API server goes away', () => {
  it('names each of its caches once in its health and in its metrics', async () => {
    const cluster = await startSimulatedCluster();
    const operator = await startOperator(cluster);
    onTestFinished(() => operator.stop());
    const check = async () => (await operator.health.report('ready')).checks.find(({ name }) => name.endsWith('/caches'));
    await expect.poll(check, patience).toMatchObject({ state: 'ok' });
    await cluster.stop();
    const names = ['nodes', 'pods', 'namespaces', 'hardware', 'storage-classes', 'ceph-toolbox', 'gpu-overrides', 'discovery-agents'];
    for (const name of names) {
      await expect.poll(check, patience).toMatchObject({ state: 'degraded', reason: expect.stringContaining(` ${name} (`) });
      expect((await operator.metrics.scrape()).text).toContain(`quartermaster_stale_caches{role="inventory",cache="${name}"} 1`);
    }
  });
});

describe('an operator that is told to stop', () => {
  let cluster: OperatorCluster;

  beforeAll(async () => {
    cluster = await startSimulatedCluster();
    await addNode(cluster.client, 'n1');
  });

  afterAll(async () => {
    await cluster?.stop();
  });

  it('wants nothing more of a bus that closes while readers are still there', async () => {
    const bus = createMemoryBus();
    const operator = await startOperator({ ...cluster, bus });
    const published = operator.inventory.publisher;
    await expect.poll(() => published?.status().published, patience).toBeDefined();
    // Its calls are given time to end, in which the inventory goes on.
    const channel = openRpcChannel({ address: operator.served.grpc, token: () => operator.token, tries: 1 });
    onTestFinished(() => channel.close());
    const { subscribers } = operator.inventory.feed;
    void readAll(channel.client(InventoryService).watchInventory({}));
    await expect.poll(() => operator.inventory.feed.subscribers, patience).toBeGreaterThan(subscribers);

    const before = published?.status().published?.sequence;
    const stopped = operator.stop();
    await bus.close();
    await addPod(cluster.client, 'late', 'n1');
    await expect.poll(() => operator.inventory.feed.node('n1')?.pods, patience).toBe(1);
    await stopped;
    expect(operator.complaints).toEqual([]);
    expect(published?.status()).toEqual({ published: expect.objectContaining({ sequence: before }), problem: undefined });
  });
});

async function readAll(events: AsyncIterable<unknown>): Promise<void> {
  try {
    for await (const _event of events);
  } catch {
    // The server went away.
  }
}
