import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { knowledge, testGpu, testHardware, testNode, testPod } from '../../test/ledger-fixtures.ts';
import { defaultInventoryConfig } from '../config/inventory-config.ts';
import { parseInventoryConfig } from '../config/parse-inventory-config.ts';
import type { Amount, TotalAmount } from '../model/amount.ts';
import type { NodeInventory } from '../model/node-inventory.ts';
import type { ObservedNode, ObservedPod } from '../model/observed.ts';
import type { LeasePod, ResourceTotals } from '../model/snapshot.ts';
import { gpuKey } from './amounts/totals-keeper.ts';
import { InventoryLedger } from './inventory-ledger.ts';

/*
 * Random lives of a small cluster: pods of the same name in two namespaces come, change, move, finish and go; nodes come, go, are cordoned
 * and fall silent; cards fall sick and recover; leases and their namespaces come and go. A naive copy of the inputs says what must come out.
 */

type Event =
  | { readonly kind: 'pod'; readonly pod: number; readonly node: number; readonly size: number; readonly gpus: number }
  | { readonly kind: 'pod-gone'; readonly pod: number }
  | { readonly kind: 'node'; readonly node: number; readonly shape: number }
  | { readonly kind: 'node-gone'; readonly node: number }
  | { readonly kind: 'hardware'; readonly node: number; readonly sick: number; readonly held: number }
  | { readonly kind: 'namespace'; readonly namespace: number; readonly uid: number }
  | { readonly kind: 'config'; readonly which: number }
  | { readonly kind: 'time'; readonly ms: number };

const index = (max: number) => fc.integer({ min: 0, max });
const event: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({ kind: fc.constant('pod' as const), pod: index(15), node: index(4), size: index(6), gpus: index(3) }),
  },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('pod-gone' as const), pod: index(15) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('node' as const), node: index(3), shape: index(7) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('node-gone' as const), node: index(3) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('hardware' as const), node: index(3), sick: index(15), held: index(15) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('namespace' as const), namespace: index(1), uid: index(2) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('config' as const), which: index(2) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('time' as const), ms: fc.constantFrom(10, 1000, 2000, 70_000) }) },
);

const sizes = [0, 100, 1500, 7000, 20_000, 2 ** 40, Number.MAX_SAFE_INTEGER];
const gpuCount = { 'nvidia.com/gpu': '4' };
const gpuNode = (name: string, more: Partial<ObservedNode> = {}): ObservedNode => testNode(name, gpuCount, more);
const shapes: readonly ((name: string) => ObservedNode)[] = [
  (name) => testNode(name),
  (name) => gpuNode(name),
  (name) => ({ ...gpuNode(name), allocatable: { ...gpuNode(name).allocatable, 'nvidia.com/gpu': '3' } }),
  (name) => gpuNode(name, { unschedulable: true }),
  (name) => gpuNode(name, { conditions: [{ type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown' }] }),
  (name) => testNode(name, { 'amd.com/gpu': '2', 'hugepages-2Mi': '1Gi' }),
  (name) => ({ ...testNode(name), allocatable: { cpu: '1', memory: 'nonsense', 'ephemeral-storage': '-5' } }),
  (name) => testNode(name, { pods: '3' }),
];
const configs = [
  defaultInventoryConfig,
  parseInventoryConfig('exclude: { nodes: ["[01]$"] }'),
  parseInventoryConfig('cluster_storage: [beta2]'),
];

const podOf = ({ pod, node, size, gpus }: Event & { kind: 'pod' }): ObservedPod => {
  const amount = sizes[size] ?? 0;
  const requests = {
    cpuMillis: amount,
    memoryBytes: amount,
    ephemeralStorageBytes: amount,
    ramBytes: amount % 1000,
    extended: gpus === 0 ? {} : { 'nvidia.com/gpu': gpus },
  };
  return testPod(`uid-${pod}`, node === 4 ? '' : `node-${node}`, requests, {
    namespace: `lease-${pod % 2}`,
    name: `web-${Math.floor(pod / 2)}`,
    leaseLabels: gpus === 3 ? {} : { 'akash.network/lease.id.dseq': String(size % 2) },
  });
};

class Cluster {
  readonly ledger = new InventoryLedger(knowledge);
  readonly pods = new Map<string, ObservedPod>();
  readonly nodes = new Map<string, ObservedNode>();
  readonly hardware = new Map<string, Parameters<InventoryLedger['setHardware']>>();
  readonly namespaces = new Map<string, string>();
  readonly published = new Map<string, NodeInventory>();
  readonly publishedPods = new Map<string, LeasePod>();
  config = defaultInventoryConfig;
  now = 1_000_000;

  apply(each: Event): void {
    switch (each.kind) {
      case 'pod': {
        const pod = podOf(each);
        if (pod.node === '') this.pods.delete(pod.uid);
        else this.pods.set(pod.uid, pod);
        return this.ledger.setPod(pod, this.now);
      }
      case 'pod-gone':
        this.pods.delete(`uid-${each.pod}`);
        return this.ledger.removePod(`uid-${each.pod}`, this.now);
      case 'node': {
        const node = (shapes[each.shape] ?? testNode)(`node-${each.node}`);
        this.nodes.set(node.name, node);
        return this.ledger.setNode(node, this.now);
      }
      case 'node-gone':
        this.nodes.delete(`node-${each.node}`);
        return this.ledger.removeNode(`node-${each.node}`, this.now);
      case 'hardware': {
        const gpus = [0, 1, 2, 3].map((i) =>
          testGpu(i, i < 2 ? '2330' : '1eb8', {
            uuid: `GPU-${each.node}-${i}`,
            health: { state: (each.sick >> i) % 2 === 1 ? 'unhealthy' : 'healthy' },
          }),
        );
        const devices = gpus
          .filter((_, i) => (each.held >> i) % 2 === 1)
          .map(({ uuid = '' }, i) => ({
            resource: 'nvidia.com/gpu',
            deviceId: uuid,
            namespace: `lease-${i % 2}`,
            pod: `web-${i}`,
            container: 'app',
          }));
        const told: Parameters<InventoryLedger['setHardware']> = [`node-${each.node}`, testHardware(gpus), { devices }, this.now];
        this.hardware.set(`node-${each.node}`, told);
        return this.ledger.setHardware(...told);
      }
      case 'namespace': {
        const name = `lease-${each.namespace}`;
        if (each.uid === 0) this.namespaces.delete(name);
        else this.namespaces.set(name, `uid-${each.uid}`);
        return this.ledger.leasePods.setNamespace(name, this.namespaces.get(name));
      }
      case 'config':
        this.config = configs[each.which] ?? defaultInventoryConfig;
        return this.ledger.setConfig(this.config, this.now);
      case 'time':
        this.now += each.ms;
    }
  }

  /** Takes the changes, and checks that nothing outside of them changed. */
  publish(): void {
    const { nodes, removed } = this.ledger.takeChanges(this.now);
    for (const name of removed) this.published.delete(name);
    for (const name of nodes) {
      const view = this.ledger.nodeView(name);
      if (view !== undefined) this.published.set(name, view);
    }
    assert.deepEqual([...this.published.keys()].toSorted(), [...this.nodes.keys()].toSorted());
    for (const [name, view] of this.published) assert.equal(this.ledger.nodeView(name), view);
    for (const uid of this.ledger.leasePods.take()) {
      const pod = this.ledger.leasePods.get(uid);
      if (pod === undefined) this.publishedPods.delete(uid);
      else this.publishedPods.set(uid, pod);
    }
    const leased = [...this.pods.values()].filter(({ node, leaseLabels }) => this.nodes.has(node) && Object.keys(leaseLabels).length > 0);
    assert.deepEqual(new Map(this.publishedPods), new Map(leased.map((pod) => [pod.uid, this.#leasePodOf(pod)])));
  }

  #leasePodOf({ createdAt: _createdAt, ...pod }: ObservedPod): LeasePod {
    const devices = this.published.get(pod.node)?.devices.filter(({ holder }) => holder?.podUid === pod.uid) ?? [];
    return { ...pod, namespaceUid: this.namespaces.get(pod.namespace), devices: devices.map(({ id }) => id) };
  }

  check(): void {
    for (const name of this.nodes.keys()) {
      const view = this.ledger.nodeView(name);
      assert.ok(view);
      this.#checkNode(view);
    }
    this.#checkTotals();
    assert.equal(this.ledger.pods, this.pods.size);
  }

  #checkNode(view: NodeInventory): void {
    const pods = [...this.pods.values()].filter(({ node }) => node === view.name);
    const sum = (amountOf: (pod: ObservedPod) => number): number => {
      const exact = pods.reduce((total, pod) => total + BigInt(amountOf(pod)), 0n);
      return Number(exact > BigInt(Number.MAX_SAFE_INTEGER) ? BigInt(Number.MAX_SAFE_INTEGER) : exact);
    };
    assert.equal(
      view.cpu.allocated,
      sum(({ requests }) => requests.cpuMillis),
    );
    assert.equal(
      view.memory.allocated,
      sum(({ requests }) => requests.memoryBytes),
    );
    assert.equal(
      view.ephemeralStorage.allocated,
      sum(({ requests }) => requests.ephemeralStorageBytes),
    );
    assert.equal(
      view.ram,
      sum(({ ramBytes }) => ramBytes),
    );
    assert.equal(view.pods, pods.length);
    const amounts = [view.cpu, view.memory, view.ephemeralStorage, ...view.extended.values(), ...view.gpus.map((group) => group.amount)];
    for (const each of amounts) checkAmount(each, each === view.memory ? view.ram : 0);
    const named = (name: string) => view.conditions.filter(({ code }) => code === name).length;
    assert.equal(named('OverAllocated'), amounts.filter((each) => each.overcommitted > 0).length);
    assert.equal(named('PodsFull') > 0, pods.length >= Number(this.nodes.get(view.name)?.allocatable['pods'] ?? 110));
    assert.equal(view.sellability.state === 'sellable', view.sellability.reasons.length === 0);
    for (const group of view.gpus) {
      const healthy = view.devices.filter(({ model, state }) => model === group.model && state !== 'quarantined').length;
      if (view.devices.some(({ vendor }) => vendor === group.vendor)) assert.ok(group.amount.allocatable <= healthy);
    }
    const requested = sum(({ requests }) => requests.extended.get('nvidia.com/gpu') ?? 0);
    const offered = this.nodes.get(view.name)?.allocatable['nvidia.com/gpu'] ?? '0';
    const available = view.gpus.filter(({ vendor }) => vendor === 'nvidia').reduce((total, { amount }) => total + amount.available, 0);
    assert.ok(available <= Math.max(Number(offered) - requested, 0));
  }

  #checkTotals(): void {
    const totals = this.ledger.totals();
    const views = [...this.nodes.keys()].map((name) => this.ledger.nodeView(name)).filter((view) => view !== undefined);
    assert.equal(totals.nodes.sellable + totals.nodes.heldBack + totals.nodes.unknown, views.length);
    const shares = [totals.sellable, totals.heldBack, totals.unknown];
    const states = ['sellable', 'held-back', 'unknown'] as const;
    for (const [i, share] of shares.entries()) {
      const members = views.filter(({ sellability }) => sellability.state === states[i]);
      checkTotal(
        share.cpu,
        members.map(({ cpu }) => cpu),
      );
      checkTotal(
        share.memory,
        members.map(({ memory }) => memory),
      );
      checkTotal(
        share.ephemeralStorage,
        members.map(({ ephemeralStorage }) => ephemeralStorage),
      );
      checkGpuTotals(share, members);
    }
  }
}

function checkAmount({ capacity, allocatable, allocated, available, overcommitted }: Amount, ram: number): void {
  for (const each of [capacity, allocatable, allocated, available, overcommitted]) {
    assert.equal(Number.isSafeInteger(each) && each >= 0, true);
  }
  assert.ok(allocatable <= capacity);
  assert.equal(available, Math.max(Math.max(allocatable - allocated, 0) - ram, 0));
  assert.equal(overcommitted, Math.max(allocated - allocatable, 0));
}

function checkTotal(total: TotalAmount | undefined, amounts: readonly Amount[]): void {
  for (const field of ['capacity', 'allocatable', 'allocated', 'available', 'overcommitted'] as const) {
    assert.equal(
      total?.[field],
      amounts.reduce((sum, each) => sum + BigInt(each[field]), 0n),
    );
  }
}

function checkGpuTotals(share: ResourceTotals, members: readonly NodeInventory[]): void {
  const groups = Map.groupBy(
    members.flatMap(({ gpus }) => gpus),
    gpuKey,
  );
  assert.deepEqual([...share.gpus.keys()].toSorted(), [...groups.keys()].toSorted());
  for (const [key, each] of groups)
    checkTotal(
      share.gpus.get(key),
      each.map(({ amount }) => amount),
    );
}

/** `npm run soak` takes more. */
const numRuns = process.env['QUARTERMASTER_TEST_SOAK'] === 'true' ? 2_000 : 60;

describe('the ledger over random events', () => {
  it(`equals a full recompute after every event of ${numRuns} sequences, in totals too, and tells of every change`, () => {
    let events = 0;
    fc.assert(
      fc.property(fc.array(event, { minLength: 200, maxLength: 300, size: 'max' }), (sequence) => {
        const cluster = new Cluster();
        for (const [i, each] of sequence.entries()) {
          cluster.apply(each);
          if (i % 7 === 0) cluster.publish();
          cluster.check();
          assert.deepEqual(cluster.ledger.audit(cluster.now, 10).drifts, []);
        }
        cluster.publish();
        cluster.check();
        expect(cluster.ledger.drifts).toBe(0);
        events += sequence.length;
      }),
      { numRuns, endOnFailure: true },
    );
    expect(events).toBeGreaterThanOrEqual(numRuns * 200);
  }, 600_000);

  it('ends where a ledger that is told only the final state ends, once everything has calmed down', () => {
    let events = 0;
    fc.assert(
      fc.property(fc.array(event, { minLength: 100, maxLength: 200, size: 'max' }), (sequence) => {
        const cluster = new Cluster();
        for (const each of sequence) cluster.apply(each);
        const later = cluster.now + 600_000;
        cluster.ledger.takeChanges(later);
        const fresh = new InventoryLedger(knowledge);
        fresh.setConfig(cluster.config, later);
        for (const [name, facts, status] of cluster.hardware.values()) fresh.setHardware(name, facts, status, later);
        for (const pod of cluster.pods.values()) fresh.setPod(pod, later);
        for (const node of cluster.nodes.values()) fresh.setNode(node, later);
        expect([...fresh.names()].toSorted()).toEqual([...cluster.ledger.names()].toSorted());
        for (const name of fresh.names()) assert.deepEqual(timeless(fresh.nodeView(name)), timeless(cluster.ledger.nodeView(name)));
        expect(fresh.totals()).toEqual(cluster.ledger.totals());
        events += sequence.length;
      }),
      { numRuns: 200, endOnFailure: true },
    );
    expect(events).toBeGreaterThanOrEqual(20_000);
  }, 120_000);
});

function timeless(view: NodeInventory | undefined): unknown {
  if (view === undefined) return undefined;
  const devices = view.devices.map((device) => ({ ...device, reason: device.reason?.code }));
  return { ...view, observedAt: 0, devices };
}
