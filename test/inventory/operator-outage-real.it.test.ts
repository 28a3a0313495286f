import { InventoryService, type Node } from '@quartermaster/api/inventory';
import { kinds } from '@quartermaster/kube';
import type { RpcChannel, ServiceClient } from '@quartermaster/rpc';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { InventorySubscriber } from './inventory-subscriber.ts';
import {
  addNode,
  addPod,
  hardwareOf,
  operatorNamespace,
  patience,
  type RealCluster,
  removePod,
  report,
  startRealCluster,
} from './operator-cluster.ts';
import { startOperator } from './running-operator.ts';
import { type SteppedOperator, startSteppedOperator } from './start-stepped-operator.ts';

const nodes = ['gpu-0', 'gpu-1', 'gpu-2'];
/** Written in one go with the others. */
const gpuLabel = 'akash.network/capabilities.gpu.vendor.nvidia.model.h100';

describe('an operator, as a process, whose API server is killed', () => {
  let cluster: RealCluster;
  let operator: SteppedOperator;
  let channel: RpcChannel;
  let grpc: ServiceClient<typeof InventoryService>;
  let hasEnded = false;
  let versionsBefore: readonly unknown[];
  const subscriber = new InventorySubscriber();
  let following: Promise<void>;

  beforeAll(async () => {
    cluster = await startRealCluster();
    for (const name of nodes) {
      await addNode(cluster.client, name);
      await report(cluster.client, name, hardwareOf(name));
      await addPod(cluster.client, `pod-of-${name}`, name, { gpus: 3 });
    }
    operator = await startSteppedOperator({ kubeconfig: cluster.kubeconfig, args: ['--inventory-publish-period=5ms'] });
    void operator.ended.then(() => {
      hasEnded = true;
    });
    channel = operator.connect();
    grpc = channel.client(InventoryService);
    following = subscriber.follow({ grpc });
    const isLabelled = async () => (await labels()).every((each) => each?.['akash.network'] === 'true' && gpuLabel in each);
    await vi.waitUntil(async () => (await grpc.getStatus({})).isLeader && (await isLabelled()), patience);
  });

  afterAll(async () => {
    subscriber.stop();
    await following;
    channel?.close();
    await operator?.kill();
    await cluster?.stop();
  });

  const labels = async () => (await cluster.client.list(kinds.nodes)).items.map(({ metadata }) => metadata?.labels);
  const versions = async () => (await cluster.client.list(kinds.nodes)).items.map(({ metadata }) => metadata?.resourceVersion);
  const snapshot = async () => (await grpc.getSnapshot({})).snapshot;
  const stated = (all: Iterable<Node> | undefined) =>
    [...(all ?? [])].map((node) => ({ ...node, observedAt: undefined })).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const staleSources = async () => (await snapshot())?.completeness?.stale.map(({ source }) => source) ?? [];

  it('goes on serving what it knew, says what it does not hear, and leads no more', { timeout: 90_000 }, async () => {
    const before = stated((await snapshot())?.nodes);
    expect(before.map(({ name, pods }) => [name, Number(pods)])).toEqual(nodes.map((name) => [name, 1]));
    versionsBefore = await versions();
    await cluster.controlPlane.process('kube-apiserver').kill('SIGKILL');
    await expect.poll(staleSources, patience).toEqual(expect.arrayContaining(['nodes', 'pods', 'hardware', 'storage-classes']));
    // The lease cannot be renewed: the outage has lasted longer than a leader may lead without it.
    await expect.poll(async () => (await grpc.getStatus({})).isLeader, patience).toBe(false);
    const now = await snapshot();
    expect(stated(now?.nodes)).toEqual(before);
    expect(now?.completeness?.complete).toBe(false);
    const heard = now?.completeness?.stale.filter(({ source }) => ['nodes', 'pods', 'hardware'].includes(source)) ?? [];
    expect(heard.map(({ lastContactAt, reason }) => [lastContactAt !== undefined, reason !== ''])).toEqual(heard.map(() => [true, true]));
    expect(stated(subscriber.nodes.values())).toEqual(before);
  });

  it('catches up by itself when the server is back, leads again, and has written nothing meanwhile', { timeout: 90_000 }, async () => {
    const epoch = subscriber.generation?.epoch;
    await cluster.controlPlane.process('kube-apiserver').start();
    await removePod(cluster.client, 'pod-of-gpu-0');
    await addPod(cluster.client, 'meanwhile', 'gpu-1', { gpus: 4 });
    await expect.poll(staleSources, patience).toEqual([]);
    // Waiting until the old lease has run out is no part of this.
    await cluster.client.delete(kinds.leases, { namespace: operatorNamespace, name: 'quartermaster-inventory' });
    await expect.poll(async () => (await grpc.getStatus({})).isLeader, patience).toBe(true);
    const fresh = await startOperator(cluster);
    try {
      const expected = stated((await fresh.grpc.getSnapshot({})).snapshot?.nodes);
      expect(expected.map(({ pods }) => Number(pods))).toEqual([0, 2, 1]);
      await expect.poll(async () => stated((await snapshot())?.nodes), patience).toEqual(expected);
      await expect.poll(() => stated(subscriber.nodes.values()), patience).toEqual(expected);
    } finally {
      await fresh.stop();
    }
    expect(await versions()).toEqual(versionsBefore);
    expect(hasEnded).toBe(false);
    // The same stream all the time: one snapshot at its begin, and no node was ever gone.
    expect(subscriber.firstEvents).toEqual(['snapshot']);
    expect(subscriber.generation?.epoch).toBe(epoch);
    expect(subscriber.gaps).toBe(0);
  });
});
