import { InventoryFeed } from '@quartermaster/inventory';
import { FakeInventory, gpuDevice, gpuGroup, nodeInventory, storageInventory } from '@quartermaster/inventory/testing';
import { FakeClock } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { InventoryView, type ViewedInventory } from './inventory-view.ts';

class Place {
  current: ViewedInventory | undefined;
  #listener = (): void => {};

  put(inventory: ViewedInventory): void {
    this.current = inventory;
    this.#listener();
  }

  subscribe(listener: () => void): () => void {
    this.#listener = listener;
    return () => {};
  }
}

const noAllocations = { allocations: () => [][Symbol.iterator]() as Generator<never, undefined> };

function start() {
  const clock = new FakeClock();
  const source = new FakeInventory();
  const place = new Place();
  const changedNodes: string[] = [];
  const view = new InventoryView({ place, clock, changed: () => {}, nodeChanged: (name) => changedNodes.push(name) });
  const follow = (): InventoryFeed => {
    const feed = new InventoryFeed({ clusterId: 'c', source, clock, minIntervalMs: 1 });
    place.put({ feed, ledger: noAllocations });
    return feed;
  };
  return { clock, source, view, changedNodes, follow };
}

const cordoned = { state: 'held-back', reasons: [{ code: 'Cordoned', message: 'cordoned', since: 5 }] } as const;

describe('InventoryView', () => {
  it('knows nothing before the inventory was read, which is not the same as nothing there', () => {
    const { view, follow, source } = start();
    expect([view.capacity(), view.needs(), view.storage(), view.node('a')]).toEqual([undefined, undefined, undefined, undefined]);
    source.isComplete = false;
    follow().touch('nodes');
    expect(view.capacity()).toBeUndefined();
  });

  it('tells of the nodes that changed, and of no others', async () => {
    const { view, follow, source, clock, changedNodes } = start();
    const feed = follow();
    source.setNode(nodeInventory('a'));
    source.setNode(nodeInventory('b'));
    feed.touch('nodes');
    expect(changedNodes.splice(0).toSorted()).toEqual(['a', 'b']);
    await clock.advance(10);
    source.setNode(nodeInventory('b', { sellability: cordoned }));
    feed.touch('nodes');
    expect(changedNodes.splice(0)).toEqual(['b']);
    expect(view.saleOf('b')).toMatchObject({ state: 'held-back', why: ['Cordoned'] });
    expect(view.capacity()?.nodes).toEqual({ sellable: 1, heldBack: 1, unknown: 0 });
    await clock.advance(10);
    source.removeNode('b');
    feed.touch('nodes');
    expect(changedNodes).toEqual(['b']);
    expect([view.saleOf('b'), view.needs()]).toEqual([undefined, []]);
  });

  it('lists what needs a person by how much it holds back', () => {
    const { view, follow, source } = start();
    const feed = follow();
    source.setNode(nodeInventory('small', { sellability: cordoned }));
    source.setNode(nodeInventory('large', { sellability: cordoned, gpus: [gpuGroup()] }));
    source.setNode(nodeInventory('sick', { devices: [gpuDevice('GPU-7', { state: 'quarantined' })] }));
    source.classes.set('nfs', storageInventory('nfs', { refusal: { code: 'NoQuerier', message: 'nobody knows' } }));
    source.classes.set('mine', storageInventory('mine', { refusal: { code: 'ClassOptedOut', message: 'on purpose' } }));
    feed.touch('storage');
    expect(view.needs()?.map(({ id, gpus }) => [id, gpus])).toEqual([
      ['large', 6],
      ['GPU-7', 1],
      ['small', 0],
      ['nfs', 0],
    ]);
    expect(view.capacity()).toMatchObject({ needCount: 4, storageNeedCount: 1 });
  });

  it('samples capacity every 10 s for an hour, with a gap while pods or nodes are not heard', async () => {
    const { view, follow, source, clock } = start();
    const feed = follow();
    source.setNode(nodeInventory('a'));
    feed.touch('nodes');
    expect(view.trend()).toHaveLength(1);
    await clock.advance(20_000);
    source.stale = [{ source: 'pods', lastContactAt: 1, reason: 'cut' }];
    feed.touch('completeness');
    await clock.advance(10_000);
    const samples = view.trend();
    expect(samples.map(({ cpu }) => cpu?.[0])).toEqual([3051, 3051, 3051, undefined]);
    expect(view.capacity()?.stale).toEqual([{ source: 'pods', since: 1, reason: 'cut' }]);
    await clock.advance(2 * 3_600_000);
    expect(view.trend()).toHaveLength(360);
  });

  it('finds cards by a part of their id, and no more than asked for', () => {
    const { view, follow, source } = start();
    const feed = follow();
    source.setNode(nodeInventory('a', { devices: ['GPU-AB1', 'GPU-AB2', 'GPU-CD'].map((id) => gpuDevice(id)) }));
    feed.touch('nodes');
    expect(view.findGpus('gpu-ab', 10).map(({ id, node }) => [id, node])).toEqual([
      ['GPU-AB1', 'a'],
      ['GPU-AB2', 'a'],
    ]);
    expect(view.findGpus('gpu', 1)).toHaveLength(1);
  });

  it('goes on with an inventory that was started again', () => {
    const { view, follow, source } = start();
    source.setNode(nodeInventory('a', { sellability: cordoned }));
    follow().touch('nodes');
    source.removeNode('a');
    source.setNode(nodeInventory('b'));
    follow().touch('nodes');
    expect(view.needs()).toEqual([]);
    expect(view.capacity()?.nodes).toEqual({ sellable: 1, heldBack: 0, unknown: 0 });
    view.stop();
  });
});
