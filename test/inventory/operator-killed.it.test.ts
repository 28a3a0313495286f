import { InventoryService, type Node } from '@quartermaster/api/inventory';
import { definedSteps, seededRandom, silentLog, systemClock } from '@quartermaster/kernel';
import { type Cache, kinds, startCache } from '@quartermaster/kube';
import type { RpcChannel } from '@quartermaster/rpc';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { InventorySubscriber } from './inventory-subscriber.ts';
import {
  addNode,
  addPod,
  hardwareOf,
  type OperatorCluster,
  operatorNamespace,
  patience,
  removePod,
  report,
  setPhase,
  startSimulatedCluster,
} from './operator-cluster.ts';
import { type RunningOperator, startOperator } from './running-operator.ts';
import { type SteppedOperator, startSteppedOperator } from './start-stepped-operator.ts';

const names = Array.from({ length: 5 }, (_, index) => `gpu-${index}`);
const model = (name: string): string => `akash.network/capabilities.gpu.vendor.nvidia.model.${name}`;
const a100 = '20b0';
/** Between which the leader may die, with whatever only the leader does. */
const steps = definedSteps('leader-write');

it('has steps between the writes of a leader', () => {
  expect(steps).toEqual(['leader-write/decided', 'leader-write/written']);
});

describe('a leader that is killed while pods come and go', () => {
  let cluster: OperatorCluster;
  let process: SteppedOperator;
  let channel: RpcChannel;
  let leader: Pick<RunningOperator, 'grpc'>;
  let standby: RunningOperator;
  let fresh: RunningOperator | undefined;
  let nodes: Cache<Readonly<Record<string, string>>>;
  /** Nobody but the operator writes nodes here: node -> how often its labels were written. */
  const writes = new Map<string, number>();

  beforeEach(async () => {
    writes.clear();
    cluster = await startSimulatedCluster();
    const { client } = cluster;
    for (const name of names) {
      await addNode(client, name);
      await report(client, name, hardwareOf(name));
    }
    nodes = startCache(client, {
      type: kinds.nodes,
      fields: { metadata: { labels: true } },
      project: ({ metadata }) => metadata?.labels ?? {},
      clock: systemClock,
      random: seededRandom(1),
      log: silentLog,
    });
    nodes.subscribe({ updated: ({ key }) => void writes.set(key, (writes.get(key) ?? 0) + 1) });
    process = await startSteppedOperator({ kubeconfig: cluster.kubeconfig, args: ['--inventory-publish-period=5ms'] });
    channel = process.connect();
    leader = { grpc: channel.client(InventoryService) };
    await vi.waitUntil(async () => (await leader.grpc.getStatus({})).isLeader, patience);
    standby = await startOperator(cluster);
  });

  afterEach(async () => {
    channel?.close();
    await process?.kill();
    await standby?.stop();
    await fresh?.stop();
    await nodes?.stop();
    await cluster?.stop();
  });

  /** Pods come and go until it is told to end, and at least so many. */
  class Churn {
    pods = 0;
    readonly done: Promise<void>;

    constructor(atLeast: number, isOver: () => boolean) {
      this.done = this.#run(atLeast, isOver);
    }

    async #run(atLeast: number, isOver: () => boolean): Promise<void> {
      const { client } = cluster;
      const random = seededRandom(3);
      while (this.pods < atLeast || !isOver()) {
        const pod = this.pods;
        const node = names[Math.floor(random.next() * names.length)] ?? '';
        await addPod(client, `pod-${pod}`, node, {
          cpu: `${Math.ceil(random.next() * 50)}m`,
          memory: '1Mi',
          gpus: pod % 100 === 0 ? 1 : 0,
        });
        if (pod % 5 === 2) await setPhase(client, `pod-${pod - 1}`, 'Succeeded');
        if (pod % 3 === 2) await removePod(client, `pod-${pod - 2}`);
        this.pods += 1;
      }
    }
  }

  const hasLabel = (node: string, key: string): boolean => nodes.get(node)?.value[key] !== undefined;
  const stated = (all: Iterable<Node>) =>
    [...all].map((node) => ({ ...node, observedAt: undefined })).toSorted((a, b) => (a.name < b.name ? -1 : 1));

  it.each(steps.map((step, index) => [step, index === 0 ? 'runs out' : 'is deleted'] as const))(
    'at %s is followed by its standby when its lease %s: subscribers go on, nothing is lost, and each label is written once',
    { timeout: 180_000 },
    async (step, lease) => {
      const { client } = cluster;
      await vi.waitUntil(() => names.every((name) => hasLabel(name, model('h100'))), patience);
      const written = new Map(writes);
      const follower = new InventorySubscriber();
      const reader = new InventorySubscriber();
      let following = follower.follow(leader);
      let reading = reader.follow(standby);
      await expect.poll(() => [follower.nodes.size, reader.nodes.size], patience).toEqual([names.length, names.length]);
      const epoch = follower.generation?.epoch;
      let isOver = false;
      const churn = new Churn(200, () => isOver);
      await vi.waitUntil(() => churn.pods >= 100, patience);

      process.dieAt(step);
      await report(client, 'gpu-2', hardwareOf('gpu-2', a100));
      expect(await process.ended).toBe('SIGKILL');
      // Nobody leads now: the hardware of a node changes, and nothing may write its labels yet.
      await report(client, 'gpu-3', hardwareOf('gpu-3', a100));
      // The dead one does not come back, so one case that waits for its lease is enough.
      if (lease === 'is deleted') await client.delete(kinds.leases, { namespace: operatorNamespace, name: 'quartermaster-inventory' });
      await following;
      following = follower.follow(standby);
      // One who followed the standby and lost its connection has its epoch, and is told only what changed since.
      reader.stop();
      await reading;
      await vi.waitUntil(() => (standby.inventory.feed.state()?.generation.sequence ?? 0) > Number(reader.generation?.sequence), patience);
      reading = reader.follow(standby);
      await expect.poll(async () => (await standby.grpc.getStatus({})).isLeader, patience).toBe(true);
      await vi.waitUntil(() => hasLabel('gpu-2', model('a100')) && hasLabel('gpu-3', model('a100')), patience);
      // The same queue as that of the first look at all nodes: once this is written, whatever that had to write is written.
      await report(client, 'gpu-4', hardwareOf('gpu-4', a100));
      await vi.waitUntil(() => hasLabel('gpu-4', model('a100')), patience);
      isOver = true;
      await churn.done;

      fresh = await startOperator(cluster);
      const expected = (await fresh.grpc.getSnapshot({})).snapshot?.nodes ?? [];
      for (const subscriber of [follower, reader]) {
        await expect.poll(() => stated(subscriber.nodes.values()), patience).toEqual(stated(expected));
        expect(subscriber.gaps).toBe(0);
      }
      expect(follower.firstEvents).toEqual(['snapshot', 'snapshot']);
      expect(follower.generation?.epoch).not.toBe(epoch);
      expect(reader.firstEvents).toEqual(['snapshot', 'delta']);
      const writesSince = names.map((name) => (writes.get(name) ?? 0) - (written.get(name) ?? 0));
      expect(writesSince).toEqual([0, 0, 1, 1, 1]);
      follower.stop();
      reader.stop();
      await Promise.all([following, reading]);
    },
  );
});
