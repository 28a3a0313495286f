import { FakeClock } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { FakeInventory } from '../../test/fake-inventory.ts';
import { gpuDevice, gpuGroup, nodeInventory, storageInventory } from '../../test/inventory-values.ts';
import type { NodeInventory } from '../model/node-inventory.ts';
import type { ObservedNode } from '../model/observed.ts';
import { observeNode } from '../observe/observe-node.ts';
import { InventoryFeed } from '../publish/inventory-feed.ts';
import { InventoryViews } from './inventory-views.ts';
import { viewsByAddress } from './open-view.ts';

function start() {
  const clock = new FakeClock();
  const source = new FakeInventory();
  const feed = new InventoryFeed({ clusterId: 'c', source, clock, minIntervalMs: 1 });
  const observed = new Map<string, ObservedNode>();
  const contact = { confirmedAt: 0 };
  const views = new InventoryViews({
    feed,
    allocations: () => [],
    observed: (name) => observed.get(name),
    confirmedAt: () => contact.confirmedAt,
    clock,
  });
  const set = (node: NodeInventory): void => {
    source.setNode(node);
    const conditions = [{ type: 'Ready', status: 'True' }];
    if (!observed.has(node.name)) observed.set(node.name, observeNode({ metadata: { name: node.name }, status: { conditions } }));
  };
  return { clock, source, feed, views, observed, contact, set, open: viewsByAddress(views.named) };
}

const cordoned = { state: 'held-back', reasons: [{ code: 'Cordoned', message: 'cordoned', since: 5 }] } as const;
const sick = gpuDevice('GPU-7', { state: 'quarantined' });

describe('InventoryViews', () => {
  it('knows nothing before the inventory was read, which is not the same as nothing there', async () => {
    const { clock, open, feed, source } = start();
    const addresses = ['summary', 'capacity', 'needs', 'nodes', 'node?name=a', 'storage'];
    source.isComplete = false;
    feed.touch('nodes');
    const unknown = () => addresses.filter((address) => open(address).read() === undefined);
    expect(unknown()).toEqual(addresses);
    source.isComplete = true;
    feed.touch('nodes');
    await clock.advance(10);
    expect(unknown()).toEqual([]);
    expect(open('node?name=a').read()).toEqual({ head: {}, rows: [] });
  });

  it('looks at nothing while nobody asks, except for the history', async () => {
    const { clock, source, feed, observed, set } = start();
    let asked = 0;
    const get = observed.get.bind(observed);
    observed.get = (name) => {
      asked += 1;
      return get(name);
    };
    set(nodeInventory('a'));
    feed.touch('nodes');
    await clock.advance(60_000);
    expect(asked).toBe(0);
    expect(source.nodes.size).toBe(1);
  });

  it('gives rows that did not change as the same objects, so that comparing 5 000 of them costs next to nothing', async () => {
    const { clock, views, feed, observed, set } = start();
    for (const name of ['a', 'b', 'c']) set(nodeInventory(name));
    feed.touch('nodes');
    const before = views.nodes();
    expect(views.nodes()).toBe(before);
    await clock.advance(10);
    set(nodeInventory('b', { pods: 4 }));
    observed.set('c', observeNode({ metadata: { name: 'c', labels: { 'topology.kubernetes.io/rack': 'r9' } } }));
    feed.touch('nodes');
    const after = views.nodes();
    expect(after?.[0]).toBe(before?.[0]);
    expect(after?.slice(1)).toMatchObject([
      { name: 'b', pods: 4 },
      { name: 'c', rack: 'r9' },
    ]);
  });

  it('lists what needs a person by how much it holds back', () => {
    const { views, feed, source, set } = start();
    set(nodeInventory('small', { sellability: cordoned }));
    set(nodeInventory('large', { sellability: cordoned, gpus: [gpuGroup()] }));
    set(nodeInventory('sick', { devices: [sick] }));
    source.classes.set('nfs', storageInventory('nfs', { refusal: { code: 'NoQuerier', message: 'nobody knows' } }));
    source.classes.set('mine', storageInventory('mine', { refusal: { code: 'ClassOptedOut', message: 'on purpose' } }));
    feed.touch('storage');
    expect(views.needs()?.map(({ id, gpus }) => [id, gpus])).toEqual([
      ['large', 6],
      ['GPU-7', 1],
      ['small', 0],
      ['nfs', 0],
    ]);
    expect(views.capacity()).toMatchObject({ needCount: 4, storageNeedCount: 1 });
    expect(views.summary()?.needs).toEqual({ all: 4, storage: 1 });
  });

  it('names the first ten of what is left out of a source', () => {
    const { views, feed, source, set } = start();
    set(nodeInventory('a'));
    const named = Array.from({ length: 12 }, (_, at) => ({ name: `n-${at + 10}`, reason: 'spec is odd' }));
    source.leftOut = [{ source: 'nodes', count: 12, named }];
    feed.touch('nodes');
    expect(views.capacity()?.leftOut).toEqual([{ source: 'nodes', count: 12, named: named.slice(0, 10) }]);
  });

  it('sums the cluster up in the figures that every other view has', () => {
    const { views, feed, set } = start();
    set(nodeInventory('a', { gpus: [gpuGroup()], devices: [sick], pods: 2 }));
    set(
      nodeInventory('b', { gpus: [gpuGroup()], sellability: { state: 'unknown', reasons: [{ code: 'ReadyUnknown', message: 'silent' }] } }),
    );
    feed.touch('nodes');
    const model = 'nvidia h100 SXM5 80Gi';
    expect(views.summary()).toMatchObject({ nodeCount: 2, podCount: 2, gpuModels: [{ model, total: 16, usable: 7, nodes: 2 }] });
    expect(views.capacity()?.lines.find(({ name }) => name === model)?.division).toEqual({
      allocated: 2,
      sellable: 5,
      heldBack: 1,
      unknown: 8,
    });
    expect(views.nodes()?.map(({ sale }) => sale?.gpu)).toEqual([
      [8, 2, 5, 1, 0],
      [8, 0, 0, 0, 8],
    ]);
    expect(views.node('a')?.lines[0]).toMatchObject({ name: 'gpu', division: { allocated: 2, sellable: 5, heldBack: 1, unknown: 0 } });
    expect(views.node('a')?.gpus).toMatchObject([{ id: 'GPU-7', fill: 'held-back' }]);
  });

  it('says when the API server last confirmed it: by an answer while it is followed, and else by its last contact', async () => {
    const { clock, views, feed, source, contact, set } = start();
    set(nodeInventory('a'));
    feed.touch('nodes');
    await clock.advance(30_000);
    contact.confirmedAt = clock.now();
    expect(views.summary()?.observedAt).toBe(clock.now());
    await clock.advance(30_000);
    set(nodeInventory('a', { pods: 3 }));
    feed.touch('nodes');
    expect(views.summary()).toMatchObject({ podCount: 3, observedAt: clock.now() - 30_000 });
    source.stale = [{ source: 'pods', lastContactAt: 11, reason: 'cut' }];
    await clock.advance(10);
    feed.touch('completeness');
    expect(views.summary()).toMatchObject({ observedAt: 11, stale: [{ source: 'pods', since: 11, reason: 'cut' }] });
  });

  it('samples capacity as soon as there is any and every 10 s, with a gap while pods or nodes are not heard', async () => {
    const { views, feed, source, clock, set } = start();
    set(nodeInventory('a'));
    feed.touch('nodes');
    expect(views.trend()).toHaveLength(1);
    await clock.advance(20_000);
    source.stale = [{ source: 'pods', lastContactAt: 1, reason: 'cut' }];
    feed.touch('completeness');
    await clock.advance(10_000);
    expect(views.trend().map(({ cpu }) => cpu?.[0])).toEqual([3051, 3051, 3051, undefined]);
    expect(views.history(0)).toEqual(views.trend());
    views.stop();
  });
});
