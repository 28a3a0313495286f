import { FakeClock, seededRandom } from '@quartermaster/kernel';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { applyDelta } from '../../test/apply-delta.ts';
import { FakeInventory } from '../../test/fake-inventory.ts';
import { leasePod, leaseVolume, nodeInventory, storageInventory } from '../../test/inventory-values.ts';
import { amount } from '../model/amount.ts';
import type { InventorySnapshot } from '../model/snapshot.ts';
import { type FeedEvent, InventoryFeed, type InventoryFeedOptions, snapshotOf } from './inventory-feed.ts';

describe('InventoryFeed', () => {
  let clock: FakeClock;
  let inventory: FakeInventory;
  let seed = 0;

  const feedOf = (options: Partial<InventoryFeedOptions> = {}): InventoryFeed => {
    seed += 1;
    return new InventoryFeed({ clusterId: 'c1', source: inventory, clock, random: seededRandom(seed), ...options });
  };
  const withPods = (name: string, millicores: number) => nodeInventory(name, { cpu: amount(16_000, 16_000, millicores) });

  beforeEach(() => {
    clock = new FakeClock();
    inventory = new FakeInventory();
  });

  it('publishes nothing before everything was read once, then everything', () => {
    const feed = feedOf();
    inventory.isComplete = false;
    inventory.setNode(nodeInventory('n1'));
    feed.touch('nodes');
    expect(feed.current()).toBeUndefined();
    expect(() => snapshotOf(feed)).toThrow(expect.objectContaining({ code: 'unavailable' }));
    inventory.isComplete = true;
    return clock.advance(50).then(() => {
      feed.touch('completeness');
      expect(feed.current()?.nodes.map((node) => node.name)).toEqual(['n1']);
      expect(feed.current()?.generation).toEqual({ epoch: feed.epoch, sequence: 1 });
    });
  });

  it('is immediate after a pause and coalesces what follows', async () => {
    const feed = feedOf();
    inventory.setNode(withPods('n1', 1));
    feed.touch('nodes');
    expect(feed.state()?.generation.sequence).toBe(1);
    for (let millicores = 2; millicores <= 100; millicores += 1) {
      inventory.setNode(withPods('n1', millicores));
      feed.touch('nodes');
    }
    expect(feed.state()?.generation.sequence).toBe(1);
    await clock.advance(50);
    expect(feed.state()?.generation.sequence).toBe(2);
    expect(feed.current()?.nodes[0]?.cpu.allocated).toBe(100);
    await clock.advance(60_000);
    expect(feed.state()?.generation.sequence).toBe(2);
  });

  it('makes no generation of a change that changed nothing', async () => {
    const feed = feedOf();
    inventory.setNode(nodeInventory('n1'));
    feed.touch('nodes');
    await clock.advance(50);
    inventory.setNode(nodeInventory('n1'));
    feed.touch('nodes');
    feed.touch('storage');
    await clock.advance(50);
    expect(feed.state()?.generation.sequence).toBe(1);
  });

  it('publishes that a source went silent, with the same nodes', async () => {
    const feed = feedOf();
    inventory.setNode(nodeInventory('n1'));
    feed.touch('nodes');
    await clock.advance(50);
    inventory.stale = [{ source: 'pods', lastContactAt: 5, reason: 'connection refused' }];
    feed.touch('completeness');
    expect(feed.current()).toMatchObject({ generation: { sequence: 2 }, completeness: { complete: false }, nodes: [{ name: 'n1' }] });
    inventory.stale = [{ source: 'pods', lastContactAt: 5, reason: 'connection reset' }];
    feed.touch('completeness');
    await clock.advance(50);
    expect(feed.state()?.generation.sequence).toBe(2);
    inventory.stale = [{ source: 'pods', lastContactAt: 6, reason: 'connection reset' }];
    feed.touch('completeness');
    await clock.advance(50);
    expect(feed.state()?.generation.sequence).toBe(3);
  });

  it('looks at what changed only, however many nodes there are', async () => {
    const feed = feedOf();
    for (let index = 0; index < 2000; index += 1) inventory.setNode(nodeInventory(`n${index}`));
    feed.touch('nodes');
    await clock.advance(50);
    inventory.views = 0;
    inventory.storageReads = 0;
    inventory.setNode(withPods('n7', 9));
    feed.touch('nodes');
    expect([inventory.views, inventory.storageReads]).toEqual([1, 0]);
    expect(feed.deltaSince({ epoch: feed.epoch, sequence: 1 })?.nodes).toHaveLength(1);
  });

  it('gives a new subscriber a snapshot and then deltas', async () => {
    const feed = feedOf();
    inventory.setNode(nodeInventory('n1'));
    feed.touch('nodes');
    const reader = feed.subscribe(undefined, new AbortController().signal);
    expect((await reader.next()).value).toMatchObject({ kind: 'snapshot', snapshot: { generation: { sequence: 1 } } });
    const next = reader.next();
    await clock.advance(50);
    inventory.setNode(nodeInventory('n2'));
    feed.touch('nodes');
    expect((await next).value).toMatchObject({
      kind: 'delta',
      delta: { nodes: [{ name: 'n2' }], from: { sequence: 1 }, to: { sequence: 2 } },
    });
    expect(feed.subscribers).toBe(1);
    await reader.return();
    expect(feed.subscribers).toBe(0);
  });

  it('resumes from a known generation, and sends a snapshot for another epoch or one that is too old', async () => {
    const feed = feedOf({ maxGenerations: 3 });
    for (let index = 0; index < 6; index += 1) {
      inventory.setNode(nodeInventory(`n${index}`));
      feed.touch('nodes');
      await clock.advance(50);
    }
    const first = async (epoch: string, sequence: number): Promise<FeedEvent | undefined> =>
      (await feed.subscribe({ epoch, sequence }, new AbortController().signal).next()).value ?? undefined;
    expect(await first(feed.epoch, 4)).toMatchObject({ kind: 'delta', delta: { nodes: [{ name: 'n4' }, { name: 'n5' }] } });
    expect(await first(feed.epoch, 3)).toMatchObject({ kind: 'delta', delta: { from: { sequence: 3 }, to: { sequence: 6 } } });
    expect(await first(feed.epoch, 2)).toMatchObject({ kind: 'snapshot' });
    expect(await first(feed.epoch, 7)).toMatchObject({ kind: 'snapshot' });
    expect(await first('another', 6)).toMatchObject({ kind: 'snapshot' });
  });

  it('takes a slow subscriber to the newest generation in one delta', async () => {
    const feed = feedOf();
    inventory.setNode(nodeInventory('n1'));
    feed.touch('nodes');
    const reader = feed.subscribe(undefined, new AbortController().signal);
    await reader.next();
    for (let index = 0; index < 100; index += 1) {
      await clock.advance(50);
      inventory.setNode(withPods('n1', index));
      if (index === 50) inventory.setNode(nodeInventory('n2'));
      if (index === 60) inventory.removeNode('n2');
      feed.touch('nodes');
    }
    const { value } = await reader.next();
    expect(value).toMatchObject({
      kind: 'delta',
      delta: { from: { sequence: 1 }, to: { sequence: 101 }, nodes: [{ name: 'n1', cpu: { allocated: 99 } }], removedNodes: ['n2'] },
    });
    await reader.return();
  });

  it('tells of lease pods that changed, and of no others', async () => {
    const feed = feedOf();
    inventory.setNode(nodeInventory('n1'));
    for (let index = 0; index < 100; index += 1) inventory.setLeasePod(leasePod(`pod-${index}`));
    feed.touch('nodes');
    await clock.advance(50);
    expect(feed.current()?.leasePods).toHaveLength(100);
    inventory.setLeasePod(leasePod('pod-1'));
    feed.touch('nodes');
    await clock.advance(50);
    expect(feed.state()?.generation.sequence).toBe(1);
    inventory.setLeasePod(leasePod('pod-1', { leaseLabels: { 'akash.network/lease.id.dseq': '8' } }));
    inventory.removeLeasePod('pod-2');
    feed.touch('nodes');
    const delta = feed.deltaSince({ epoch: feed.epoch, sequence: 1 });
    expect(delta).toMatchObject({ nodes: [], leasePods: [{ uid: 'pod-1' }], removedLeasePods: ['pod-2'], to: { sequence: 2 } });
    await clock.advance(50);
    inventory.setLeasePod(leasePod('pod-2'));
    inventory.setLeasePod(leasePod('brief'));
    feed.touch('nodes');
    await clock.advance(50);
    inventory.removeLeasePod('brief');
    feed.touch('nodes');
    await clock.advance(50);
    const over = feed.deltaSince({ epoch: feed.epoch, sequence: 1 });
    expect([over?.leasePods.map(({ uid }) => uid), over?.removedLeasePods, over?.to.sequence]).toEqual([['pod-1', 'pod-2'], ['brief'], 4]);
  });

  it('tells of lease volumes with the classes that count them, not before', async () => {
    const feed = feedOf();
    const storage = (promisedBytes: number) => inventory.classes.set('beta2', storageInventory('beta2', { promisedBytes }));
    storage(2);
    inventory.setLeaseVolume(leaseVolume('a', { bytes: 1 }));
    inventory.setLeaseVolume(leaseVolume('b', { bytes: 1 }));
    feed.touch('storage');
    await clock.advance(50);
    expect(feed.current()?.leaseVolumes).toHaveLength(2);
    storage(3);
    inventory.setLeaseVolume(leaseVolume('a', { bytes: 3 }));
    inventory.removeLeaseVolume('b');
    inventory.setNode(nodeInventory('n1'));
    feed.touch('nodes');
    await clock.advance(50);
    const first = { epoch: feed.epoch, sequence: 1 };
    expect(feed.deltaSince(first)).toMatchObject({ storage: [], leaseVolumes: [], removedLeaseVolumes: [], to: { sequence: 2 } });
    feed.touch('storage');
    await clock.advance(50);
    expect(feed.deltaSince({ ...first, sequence: 2 })).toMatchObject({
      nodes: [],
      storage: [{ promisedBytes: 3 }],
      leaseVolumes: [{ uid: 'a', bytes: 3 }],
      removedLeaseVolumes: ['b'],
    });
    // Alone, where the figures of the class stay as they are.
    inventory.setLeaseVolume(leaseVolume('a', { bytes: 3, namespaceUid: 'another' }));
    feed.touch('storage');
    await clock.advance(50);
    expect(feed.deltaSince({ ...first, sequence: 3 })).toMatchObject({ storage: [], leaseVolumes: [{ namespaceUid: 'another' }] });
    feed.touch('storage');
    await clock.advance(50);
    expect(feed.state()?.generation.sequence).toBe(4);
  });

  it('ends subscriptions when the signal aborts and when it stops', async () => {
    const feed = feedOf();
    const stop = new AbortController();
    const aborted = feed.subscribe(undefined, stop.signal).next();
    const ended = feed.subscribe(undefined, new AbortController().signal).next();
    stop.abort();
    expect((await aborted).done).toBe(true);
    feed.stop();
    expect((await ended).done).toBe(true);
  });

  it('gives, from any generation on, deltas that lead to the snapshot', async () => {
    const change = fc.oneof(
      fc.record({ kind: fc.constant('set' as const), node: fc.nat(5), millicores: fc.nat(20_000) }),
      fc.record({ kind: fc.constant('remove' as const), node: fc.nat(5) }),
      fc.record({ kind: fc.constant('class' as const), node: fc.nat(2), bytes: fc.nat(1000) }),
      fc.record({ kind: fc.constant('no class' as const), node: fc.nat(2) }),
      fc.record({ kind: fc.constant('pod' as const), node: fc.nat(5), millicores: fc.nat(3) }),
      fc.record({ kind: fc.constant('no pod' as const), node: fc.nat(5) }),
      fc.record({ kind: fc.constant('volume' as const), node: fc.nat(5), bytes: fc.nat(3) }),
      fc.record({ kind: fc.constant('no volume' as const), node: fc.nat(5) }),
      fc.record({ kind: fc.constant('stale' as const), node: fc.nat(1) }),
      fc.record({ kind: fc.constant('pause' as const), node: fc.integer({ min: 1, max: 120 }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 40 }), fc.integer({ min: 1, max: 8 }), async (changes, maxGenerations) => {
        clock = new FakeClock();
        inventory = new FakeInventory();
        inventory.setNode(nodeInventory('n0'));
        const feed = feedOf({ maxGenerations });
        const seen: InventorySnapshot[] = [];
        feed.onGeneration(() => seen.push(snapshotOf(feed)));
        feed.touch('nodes');
        for (const each of changes) {
          const name = `n${each.node}`;
          if (each.kind === 'set') inventory.setNode(withPods(name, each.millicores));
          else if (each.kind === 'remove') inventory.removeNode(name);
          else if (each.kind === 'class') inventory.classes.set(name, storageInventory(name, { promisedBytes: each.bytes }));
          else if (each.kind === 'no class') inventory.classes.delete(name);
          else if (each.kind === 'pod') inventory.setLeasePod(leasePod(name, { node: `n${each.millicores}` }));
          else if (each.kind === 'no pod') inventory.removeLeasePod(name);
          else if (each.kind === 'volume') inventory.setLeaseVolume(leaseVolume(name, { bytes: each.bytes }));
          else if (each.kind === 'no volume') inventory.removeLeaseVolume(name);
          else if (each.kind === 'stale') inventory.stale = each.node === 0 ? [] : [{ source: 'pods', lastContactAt: 1, reason: 'x' }];
          else await clock.advance(each.node);
          if (each.kind !== 'pause') {
            const isStorage = ['class', 'no class', 'volume', 'no volume'].includes(each.kind);
            feed.touch(isStorage ? 'storage' : each.kind === 'stale' ? 'completeness' : 'nodes');
          }
        }
        await clock.advance(50);
        const now = snapshotOf(feed);
        expect(now.nodes).toEqual([...inventory.nodes.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1)));
        expect(now.storage.map((each) => each.class)).toEqual([...inventory.classes.keys()].toSorted());
        expect(now.completeness).toEqual(inventory.completeness());
        expect(sorted(now.leasePods)).toEqual(sorted([...inventory.leasePods.values()]));
        expect(sorted(now.leaseVolumes)).toEqual(sorted([...inventory.leaseVolumes.values()]));
        expect(seen.map((each) => each.generation.sequence)).toEqual(seen.map((_each, index) => index + 1));
        for (const old of seen) {
          const delta = feed.deltaSince(old.generation);
          const isKept = now.generation.sequence - old.generation.sequence <= maxGenerations;
          expect(delta !== undefined).toBe(isKept);
          if (delta === undefined) continue;
          expect(inOrder(applyDelta(old, delta))).toEqual(inOrder(now));
        }
      }),
      { numRuns: 60 },
    );
  });
});

const sorted = <T extends { readonly uid: string }>(records: readonly T[]): T[] => records.toSorted((a, b) => (a.uid < b.uid ? -1 : 1));
const inOrder = (snapshot: InventorySnapshot): InventorySnapshot => ({
  ...snapshot,
  leasePods: sorted(snapshot.leasePods),
  leaseVolumes: sorted(snapshot.leaseVolumes),
});
