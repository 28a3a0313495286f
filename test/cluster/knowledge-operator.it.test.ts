import { ClusterRPC } from '@quartermaster/api/akash-inventory';
import { connectServer, openKnowledge, soldOnce } from '@quartermaster/cluster/testing';
import { seededRandom, silentLog, systemClock } from '@quartermaster/kernel';
import { cacheOpener } from '@quartermaster/kube';
import { openRpcChannel, type RpcChannel, type RpcServer, serve, startRpcServer } from '@quartermaster/rpc';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { InventorySubscriber } from '../inventory/inventory-subscriber.ts';
import { addNode, addPod, type OperatorCluster, removePod, setPhase, startSimulatedCluster } from '../inventory/operator-cluster.ts';
import { type RunningOperator, startOperator } from '../inventory/running-operator.ts';
import { RecordedBook } from './recorded-book.ts';

const nodes = ['n1', 'n2'];
const settings = { 'inventory-resource-poll-period': 250, 'inventory-resource-debug-frequency': 0, 'inventory-max-age': 30_000 };

/** Of a node: millicores, bytes and cards. */
type Figures = readonly number[];

describe('the knowledge of a replica that follows the real operator', () => {
  let cluster: OperatorCluster;
  let operator: RunningOperator;
  let akash: RpcServer;
  let channel: RpcChannel;
  const end = new AbortController();
  const running: Promise<void>[] = [];
  const wrong: string[] = [];

  const published = new Map<bigint, readonly Figures[]>(); // generation -> figures
  const subscriber = new InventorySubscriber(() => {
    const figures = nodes.map((name): Figures => {
      const node = subscriber.nodes.get(name);
      const cards = node?.gpus.reduce((sum, { amount }) => sum + (amount?.available ?? 0n), 0n);
      return [node?.cpu?.available, node?.memory?.available, node?.ephemeralStorage?.available, cards].map(Number);
    });
    published.set(subscriber.generation?.sequence ?? 0n, figures);
  });

  const figuresOf = (book: RecordedBook, name: string): Figures => {
    const facts = book.picture.nodes.get(name)?.facts;
    const cards = facts?.cards.reduce((sum, pool) => sum + (pool.assignedBy === 'plugin' ? pool.free : 0), 0);
    return [facts?.cpuMillis, facts?.memoryBytes, facts?.ephemeralBytes, cards].map(Number);
  };
  /** What the node counts as allocated, and what its pods that were told have. */
  const countedOf = (book: RecordedBook, name: string): readonly (readonly [number, number])[] => {
    const pods = [...book.picture.pods.values()].filter(({ node }) => node === name);
    const { allocatable, facts } = book.picture.nodes.get(name) ?? {};
    return [
      [(allocatable?.cpuMillis ?? 0) - (facts?.cpuMillis ?? 0), pods.reduce((sum, { cpuMillis }) => sum + cpuMillis, 0)],
      [(allocatable?.memoryBytes ?? 0) - (facts?.memoryBytes ?? 0), pods.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0)],
    ];
  };

  /** The same of pod slots, of which akash.inventory.v1 says nothing. */
  const slotsOf = (book: RecordedBook, name: string): readonly [number, number] => {
    const { allocatable, facts } = book.picture.nodes.get(name) ?? {};
    const pods = [...book.picture.pods.values()].filter(({ node }) => node === name);
    return [(allocatable?.pods ?? 0) - (facts?.podSlots ?? 0), pods.length];
  };

  const byDeltas = new Map<bigint, readonly Figures[]>();
  const deltas = new RecordedBook(({ generation }) => {
    byDeltas.set(
      generation?.sequence ?? 0n,
      nodes.map((name) => figuresOf(deltas, name)),
    );
    for (const name of nodes) {
      const counted = [...countedOf(deltas, name), slotsOf(deltas, name)];
      if (counted.some(([allocated, told]) => allocated !== told))
        wrong.push(`deltas ${generation?.sequence} ${name}: ${counted.join(' ')}`);
    }
  });
  const snapshots = new RecordedBook(() => {
    for (const name of nodes) {
      const counted = countedOf(snapshots, name);
      if (counted.some(([allocated, told]) => allocated < told)) wrong.push(`snapshots ${name}: ${counted.join(' ')}`);
    }
  });

  beforeAll(async () => {
    cluster = await startSimulatedCluster();
    for (const name of nodes) await addNode(cluster.client, name);
    operator = await startOperator(cluster);
    channel = openRpcChannel({ address: operator.served.grpc, token: () => operator.token });
    const upstream = channel.client(ClusterRPC);
    akash = await startRpcServer({
      services: [
        serve(ClusterRPC, {
          queryCluster: (request, { signal }) => upstream.queryCluster(request, { signal }),
          streamCluster: (request, { signal }) => upstream.streamCluster(request, { signal }),
        }),
      ],
    });
    void subscriber.follow(operator);
    follow(deltas, operator.served.grpc, operator.token);
    follow(snapshots, akash.address);
  });

  afterAll(async () => {
    end.abort();
    await Promise.all(running);
    subscriber.stop();
    channel?.close();
    await akash?.stop(0);
    await operator?.stop();
    await cluster?.stop();
  });

  function follow(book: RecordedBook, address: string, token?: string): void {
    const knowledge = openKnowledge({
      connect: () =>
        connectServer({ setting: 'cluster-inventory', address: () => address, token: token === undefined ? undefined : () => token }),
      caches: cacheOpener(cluster.client),
      book,
      settings,
      storageLevel: soldOnce.storage,
      clock: systemClock,
      random: seededRandom(3),
      log: silentLog,
    });
    running.push(knowledge.run(end.signal));
  }

  it('is in every generation what the operator has, with each pod counted once; by snapshots at least once', async () => {
    const { client } = cluster;
    await expect.poll(() => [deltas.problem, snapshots.problem]).toEqual([undefined, undefined]);
    for (let index = 0; index < 24; index += 1) {
      await addPod(client, `pod-${index}`, nodes[index % 2] ?? '', { cpu: `${100 + index}m`, gpus: index % 3 === 0 ? 1 : 0 });
      if (index % 4 === 2) await setPhase(client, `pod-${index - 1}`, 'Succeeded');
      if (index % 4 === 3) await removePod(client, `pod-${index - 1}`);
    }
    const now = () =>
      operator.inventory.feed
        .current()
        ?.nodes.map(
          ({ cpu, memory, ephemeralStorage, gpus }): Figures => [
            cpu.available,
            memory.available,
            ephemeralStorage.available,
            gpus.reduce((sum, { amount }) => sum + amount.available, 0),
          ],
        );
    // Of each four the second has finished and the third is gone.
    const left = Array.from({ length: 24 }, (_, index) => index).filter((index) => index % 4 === 0 || index % 4 === 3);
    const names = (book: RecordedBook) => Array.from(book.picture.pods.values(), ({ name }) => name).toSorted();
    for (const book of [deltas, snapshots]) {
      await expect.poll(() => names(book)).toEqual(left.map((index) => `pod-${index}`).toSorted());
      await vi.waitFor(() => expect(nodes.map((name) => figuresOf(book, name))).toEqual(now()), { timeout: 20_000 });
    }
    const both = [...byDeltas.keys()].filter((generation) => published.has(generation));
    expect(both.length).toBeGreaterThan(5);
    expect(both.map((generation) => byDeltas.get(generation))).toEqual(both.map((generation) => published.get(generation)));
    expect(wrong).toEqual([]);
    expect(deltas.knowledge).toMatchObject({ protocol: 'deltas' });
    expect(snapshots.knowledge).toMatchObject({ protocol: 'snapshots' });
  });
});
