import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { IpPoolService } from '@quartermaster/api/ip';
import { connectServer, type Knowledge, openKnowledge, soldOnce } from '@quartermaster/cluster/testing';
import { FakeClock, StatusError, seededRandom, silentLog } from '@quartermaster/kernel';
import { cacheOpener, kinds } from '@quartermaster/kube';
import { serve, startRpcServer } from '@quartermaster/rpc';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type OperatorCluster,
  patience,
  podOn,
  removePod,
  setPhase,
  startSimulatedCluster,
  tenant,
} from '../inventory/operator-cluster.ts';
import { RecordedBook } from './recorded-book.ts';
import { ScriptedInventory, scriptedNode } from './scripted-inventory.ts';

const at = (sequence: bigint, epoch = 'e') => ({ epoch, sequence });
const settings = { 'inventory-resource-poll-period': 5_000, 'inventory-resource-debug-frequency': 2, 'inventory-max-age': 30_000 };

describe('the knowledge of a replica', () => {
  let cluster: OperatorCluster;
  let clock: FakeClock;
  /** How long this process did not run. */
  let sleptMs: number;
  let server: ScriptedInventory;
  let book: RecordedBook;
  let knowledge: Knowledge;
  let running: Promise<void>;
  let end: AbortController;
  let logged: string[];
  /** The nodes in each complete picture. */
  let drawn: string[];
  let ipAddress: string | undefined;

  beforeAll(async () => {
    cluster = await startSimulatedCluster();
  });
  afterAll(() => cluster?.stop());

  beforeEach(async () => {
    clock = new FakeClock();
    sleptMs = 0;
    server = new ScriptedInventory();
    book = new RecordedBook();
    end = new AbortController();
    logged = [];
    drawn = [];
    ipAddress = undefined;
  });
  afterEach(async () => {
    end.abort();
    await running;
    await server.stop();
  });

  async function follow(speaks: 'deltas' | 'akash'): Promise<void> {
    await server.start(speaks);
    const record = (message: string) => void logged.push(message);
    knowledge = openKnowledge({
      connect: () => connectServer({ setting: 'cluster-inventory', address: () => server.address }),
      connectIpOperator: ipAddress === undefined ? undefined : () => connectServer({ setting: 'ip', address: () => ipAddress }),
      caches: cacheOpener(cluster.client),
      book,
      settings,
      storageLevel: soldOnce.storage,
      draw: ({ nodes }) => void drawn.push([...nodes.keys()].join()),
      clock: { now: () => clock.now(), monotonic: () => clock.monotonic() + sleptMs, schedule: (ms, call) => clock.schedule(ms, call) },
      random: seededRandom(1),
      log: { ...silentLog, error: record, debug: record },
    });
    running = knowledge.run(end.signal);
    await vi.waitUntil(() => server.asked.length === 1, patience);
  }

  /** Lets time pass in steps, between which what crosses the network gets its turn, until it is so. */
  async function passUntil(isSo: () => boolean): Promise<void> {
    const stepped = async (): Promise<boolean> => {
      if (!isSo()) await clock.advance(250);
      return isSo();
    };
    await vi.waitUntil(stepped, { ...patience, interval: 2 });
  }

  const sendSnapshot = (sequence: bigint, ...names: string[]): void => {
    server.snapshot = { generation: at(sequence), nodes: names.map((name) => scriptedNode(name)) };
    server.send({ case: 'snapshot', value: server.snapshot });
  };
  const sendDelta = (from: bigint, to: bigint, name: string, taken = 0): void => {
    server.snapshot = { generation: at(to) };
    server.send({ case: 'delta', value: { from: at(from), to: at(to), nodes: [scriptedNode(name, taken)] } });
  };
  const freeIs = async (expected: Record<string, number>): Promise<void> => {
    await expect.poll(() => book.freeCpu).toEqual(expected);
  };

  describe('by deltas', () => {
    let before: object;
    beforeEach(async () => {
      await follow('deltas');
      before = { problem: book.problem, asked: [...server.asked] };
      sendSnapshot(1n, 'a', 'b');
      await vi.waitUntil(() => book.picture.nodes.size === 2 && book.problem === undefined, patience);
    });

    it('is what it was told, generation by generation', async () => {
      expect(before).toEqual({ problem: 'InventoryUnknown', asked: [undefined] });
      expect(book.freeCpu).toEqual({ a: 16_000, b: 16_000 });
      const leasePods = [
        { uid: 'p', node: 'a', cpuMillis: 500n, namespaceUid: 'u' },
        { uid: 'broken', node: 'a', cpuMillis: 2n ** 60n },
      ];
      const change = { nodes: [scriptedNode('a', 500)], removedNodes: ['b'], storage: [{ name: 's', performance: 'beta2' }], leasePods };
      server.send({ case: 'delta', value: { from: at(1n), to: at(2n), ...change } });
      await freeIs({ a: 15_500 });
      const [first, second] = book.changes;
      expect([first?.kind, second?.kind, second?.generation]).toEqual(['whole', 'delta', at(2n)]);
      expect([...book.picture.pods.keys()]).toEqual(['p']);
      expect([...book.picture.classes.keys()]).toEqual(['s']);
      expect(knowledge.current()).toMatchObject({ protocol: 'deltas', generation: at(2n) });
      // One that was read and can no longer be is no longer a part of any promise.
      const broken = { leasePods: [{ uid: 'p', node: 'a', cpuMillis: 2n ** 60n }] };
      server.send({ case: 'delta', value: { from: at(2n), to: at(3n), ...broken } });
      await expect.poll(() => [...book.picture.pods.keys()]).toEqual([]);
    });

    it('has the claims of leases as it was told of them, without those that cannot be read', async () => {
      const told = { namespace: 'ns', namespaceUid: 'u', name: 'data', storageClass: 'disk', node: 'a' };
      const leaseVolumes = [
        { ...told, uid: 'c', bytes: 6n, requestedBytes: 5n },
        { ...told, uid: 'broken', bytes: 2n ** 60n, requestedBytes: 2n ** 60n },
      ];
      server.send({ case: 'delta', value: { from: at(1n), to: at(2n), leaseVolumes } });
      await expect.poll(() => book.changes.at(-1)?.volumes).toEqual([{ ...told, uid: 'c', bytes: 5 }]);
      server.send({ case: 'delta', value: { from: at(2n), to: at(3n), removedLeaseVolumes: ['c'] } });
      await expect.poll(() => book.changes.at(-1)?.removedVolumes).toContain('c');
      server.send({ case: 'snapshot', value: { generation: at(4n), nodes: [scriptedNode('a')], leaseVolumes: leaseVolumes.slice(0, 1) } });
      await expect.poll(() => book.changes.at(-1)).toMatchObject({ kind: 'whole', volumes: [{ uid: 'c', bytes: 5 }] });
    });

    it('is stale once the inventory is away for too long, never empty, and goes on where it ended', async () => {
      await server.stop();
      await passUntil(() => book.problem === 'InventoryStale');
      expect(book.freeCpu).toEqual({ a: 16_000, b: 16_000 });
      expect(knowledge.status()).toMatchObject({ nodes: 2, stream: { kind: 'reconnecting' } });
      await server.start('deltas');
      await passUntil(() => server.asked.length === 2);
      expect(server.asked[1]).toMatchObject(at(1n));
      expect(book.problem).toBe('InventoryStale');
      sendDelta(1n, 2n, 'b', 1_000);
      await freeIs({ a: 16_000, b: 15_000 });
      expect([book.problem, book.changes.length]).toEqual([undefined, 2]);
    });

    it('is read anew when the stream leaves something out', async () => {
      server.send({ case: 'delta', value: { from: at(7n), to: at(8n), removedNodes: ['a', 'b'] } });
      await passUntil(() => server.asked.length === 2);
      expect([server.asked[1], book.freeCpu]).toEqual([undefined, { a: 16_000, b: 16_000 }]);
      sendSnapshot(9n, 'c');
      await freeIs({ c: 16_000 });
    });

    it('is read anew when the server has more than the stream tells', async () => {
      server.snapshot = { generation: at(5n) };
      await passUntil(() => server.asked.length === 2);
      expect(server.asked[1]).toBeUndefined();
    });

    it('stays fresh by the poll while the stream is silent, which is opened again', async () => {
      await passUntil(() => server.asked.length === 2);
      expect(server.polls).toBeGreaterThanOrEqual(2);
      expect([book.problem, server.asked[1]]).toMatchObject([undefined, at(1n)]);
    });

    it('is replaced where the server has something else in the same generation, and that is told', async () => {
      server.snapshot = { generation: at(1n), nodes: [scriptedNode('a', 4_000)] };
      // The stream lives on by heartbeats.
      await passUntil(() => {
        if (clock.monotonic() % 5_000 === 0) server.send({ case: 'heartbeat', value: { generation: at(1n) } });
        return knowledge.status().drifts === 1;
      });
      expect([book.freeCpu, book.changes.length, server.asked.length]).toEqual([{ a: 12_000 }, 2, 1]);
      expect(logged).toContain('the inventory was not what its server has, and is taken anew');
      expect(drawn.at(-1)).toBe('a');
      sendDelta(1n, 2n, 'b');
      await freeIs({ a: 12_000, b: 16_000 });
    });

    it('is not fresh by what waited while this process slept', async () => {
      sleptMs = 60_000;
      expect(book.problem).toBe('InventoryStale');
      server.send({ case: 'heartbeat', value: { generation: at(1n) } });
      await expect.poll(() => knowledge.status().stream.kind).toBe('reconnecting');
      expect(book.problem).toBe('InventoryStale');
      await passUntil(() => server.asked.length === 2);
      expect(server.asked[1]).toMatchObject(at(1n));
      server.send({ case: 'heartbeat', value: { generation: at(1n) } });
      await expect.poll(() => book.problem).toBeUndefined();
    });

    it('is incomplete while the pods or nodes behind it are not heard of', async () => {
      const stale = (source: string, ageMs: number) => [{ source, lastContactAt: timestampFromMs(1_000_000 - ageMs) }];
      const heartbeat = (source: string, ageMs: number): void =>
        server.send({
          case: 'heartbeat',
          value: { generation: at(1n), sentAt: timestampFromMs(1_000_000), completeness: { stale: stale(source, ageMs) } },
        });
      heartbeat('hardware', 90_000);
      heartbeat('pods', 25_000);
      await expect.poll(() => knowledge.status().silent).toEqual(['pods']);
      expect(book.problem).toBeUndefined();
      heartbeat('pods', 31_000);
      await expect.poll(() => book.problem).toBe('InventoryIncomplete');
      server.send({ case: 'heartbeat', value: { generation: at(1n), completeness: { complete: true } } });
      await expect.poll(() => book.problem).toBeUndefined();
    });

    it('finds out which protocol its server speaks with every stream', async () => {
      await server.stop();
      await server.start('akash');
      await passUntil(() => server.asked.at(-1) === 'akash');
      server.sendCluster({ nodes: [akashNode('x', '2')] });
      await freeIs({ x: 14_000 });
      expect(knowledge.current()).toMatchObject({ protocol: 'snapshots', generation: undefined });
      await server.stop();
      await server.start('deltas');
      await passUntil(() => server.asked.length === 3);
      // It cannot go on from before what it was told meanwhile.
      sendDelta(1n, 2n, 'b');
      await passUntil(() => server.asked.length === 4);
      expect([server.asked[3], book.freeCpu]).toEqual([undefined, { x: 14_000 }]);
      sendSnapshot(3n, 'c');
      await freeIs({ c: 16_000 });
    });
  });

  const pair = (allocatable: string, allocated: string) => ({ allocatable: { string: allocatable }, allocated: { string: allocated } });
  function akashNode(name: string, allocatedCpu: string) {
    const resources = {
      cpu: { quantity: pair('16', allocatedCpu) },
      memory: { quantity: pair('64Gi', '0') },
      ephemeralStorage: pair('9Gi', '0'),
    };
    return { name, resources };
  }

  describe('by snapshots of akash.inventory.v1', () => {
    beforeEach(() => follow('akash'));

    it('counts a pod on its node from the moment on that it is told of, whatever the server has counted', async () => {
      const { client } = cluster;
      server.sendCluster({
        nodes: [akashNode('x', '1'), akashNode('y', '0')],
        storage: [{ info: { class: 'beta3' }, quantity: pair('9Gi', '0') }],
      });
      await freeIs({ x: 15_000, y: 16_000 });
      expect(book.problem).toBeUndefined();
      const { metadata } = await client.create(kinds.pods, podOn('web', 'x', { cpu: '4' }));
      await freeIs({ x: 12_000, y: 16_000 });
      expect(book.changes.at(-1)).toMatchObject({
        kind: 'delta',
        nodes: [{ facts: { name: 'x' } }],
        pods: [{ uid: metadata?.uid, cpuMillis: 4_000 }],
      });
      const uid = (await client.get(kinds.namespaces, { name: tenant })).metadata?.uid;
      await expect.poll(() => [...book.picture.pods.values()].map(({ namespaceUid }) => namespaceUid)).toEqual([uid]);
      // The server counts it as well, beside what it counted before.
      server.sendCluster({ nodes: [akashNode('x', '5'), akashNode('y', '0')] });
      await freeIs({ x: 11_000, y: 16_000 });
      // It is counted until the server no longer does.
      await setPhase(client, 'web', 'Succeeded');
      await expect.poll(() => book.picture.pods.size).toBe(0);
      expect(book.freeCpu).toEqual({ x: 11_000, y: 16_000 });
      server.sendCluster({ nodes: [akashNode('x', '1')] });
      await freeIs({ x: 15_000 });
      await removePod(client, 'web');
    });

    it('stays fresh by the poll of a server that never says that it lives, takes what that tells, and goes stale without', async () => {
      server.sendCluster({ nodes: [akashNode('x', '1')] });
      await freeIs({ x: 15_000 });
      server.cluster = { nodes: [akashNode('x', '3')] };
      await passUntil(() => book.freeCpu['x'] === 13_000);
      const told = book.changes.length;
      await passUntil(() => server.polls >= 12);
      expect([book.problem, server.asked.length, book.changes.length]).toEqual([undefined, 1, told]);
      await server.stop();
      await passUntil(() => book.problem === 'InventoryStale');
      expect(book.freeCpu).toEqual({ x: 13_000 });
      await server.start('akash');
    });
  });

  it('has the ports of nodes by who has them', async () => {
    const { client } = cluster;
    await follow('deltas');
    const ports = [
      { name: 'a', port: 1, nodePort: 30_001, protocol: 'TCP' },
      { name: 'b', port: 1, nodePort: 30_001, protocol: 'UDP' },
      { name: 'c', port: 2, nodePort: 30_002 },
    ];
    const metadata = { namespace: tenant, name: 'ports' };
    await client.create(kinds.services, { metadata, spec: { type: 'NodePort', ports } });
    const uid = (await client.get(kinds.namespaces, { name: tenant })).metadata?.uid ?? '';
    await expect
      .poll(async () => {
        await clock.advance(200);
        return book.ports?.byNamespace.get(uid);
      })
      .toBe(2);
    await client.delete(kinds.services, metadata);
    await expect
      .poll(async () => {
        await clock.advance(200);
        return book.ports?.byNamespace.get(uid);
      })
      .toBeUndefined();
  });

  it('has the pool of addresses as long as an answer is fresh', async () => {
    let pool: { readonly free: bigint; readonly ageMs: number } | undefined = { free: 7n, ageMs: 0 };
    const answer = () => {
      if (pool === undefined) throw new StatusError('unavailable', 'nobody can tell');
      const leases = [{ namespaceUid: 'u', inUse: 1n, reserved: 1n }, { inUse: 1n }];
      return {
        pool: { total: 10n, inUse: 2n, reserved: 1n, free: pool.free, observedAt: timestampFromMs(clock.now() - pool.ageMs), leases },
      };
    };
    const operator = await startRpcServer({ services: [serve(IpPoolService, { getPool: answer })] });
    ipAddress = operator.address;
    await follow('deltas');
    await expect.poll(() => book.pools.at(-1)).toMatchObject({ total: 10, free: 7, byNamespace: new Map([['u', 2]]) });
    pool = { free: 6n, ageMs: 31_000 };
    await passUntil(() => book.pools.length > 1 && book.pools.at(-1) === undefined);
    expect(book.pools.some((each) => each?.free === 6)).toBe(false);
    pool = { free: 5n, ageMs: 0 };
    await passUntil(() => book.pools.at(-1)?.free === 5);
    pool = undefined;
    await passUntil(() => book.pools.at(-1) === undefined);
    expect(knowledge.status().ipPoolError).toContain('nobody can tell');
    await operator.stop(0);
  });
});
