import { clusterTopic, nodesTopic, stateKey, storageTopic } from '@quartermaster/api/inventory-topics';
import { type Bus, createMemoryBus } from '@quartermaster/bus';
import { FakeClock, StatusError, seededRandom } from '@quartermaster/kernel';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeInventory } from '../../test/fake-inventory.ts';
import { gib, gpuGroup, nodeInventory, storageInventory } from '../../test/inventory-values.ts';
import { BusPublisher } from './bus-publisher.ts';
import { InventoryFeed } from './inventory-feed.ts';

describe('BusPublisher', () => {
  let clock: FakeClock;
  let inventory: FakeInventory;
  let feed: InventoryFeed;
  let bus: Bus;
  let stop: AbortController;
  let run: Promise<void>;
  let publisher: BusPublisher;

  const publishOn = (target: Pick<Bus, 'publish'>): void => {
    publisher = new BusPublisher({ feed, bus: target, clock, random: seededRandom(1) });
    run = publisher.run(stop.signal);
  };
  const node = async (name: string) => (await bus.current(nodesTopic, { key: stateKey('c1', name) }))?.value;

  beforeEach(() => {
    clock = new FakeClock();
    inventory = new FakeInventory();
    feed = new InventoryFeed({ clusterId: 'c1', source: inventory, clock, random: seededRandom(7) });
    bus = createMemoryBus();
    stop = new AbortController();
  });
  afterEach(async () => {
    stop.abort();
    await run;
    await bus.close();
  });

  it('keeps nodes, classes and totals as the feed has them', async () => {
    publishOn(bus);
    inventory.setNode(nodeInventory('n1', { gpus: [gpuGroup()] }));
    inventory.setNode(nodeInventory('n2'));
    inventory.classes.set('beta3', storageInventory('beta3'));
    feed.touch('nodes');
    await clock.advance(1000);
    expect(await node('n1')).toMatchObject({ clusterId: 'c1', node: { cpu: { capacity: 16_000n }, gpus: [{ model: 'h100' }] } });
    expect((await bus.current(storageTopic, { key: 'c1/beta3' }))?.value).toMatchObject({
      storageClass: { amount: { capacity: BigInt(1000 * gib) }, performance: 'beta3' },
    });
    expect((await bus.current(clusterTopic, { key: 'c1' }))?.value).toMatchObject({
      generation: { epoch: feed.epoch, sequence: 1n },
      totals: { sellableNodes: 2n },
      completeness: { complete: true },
    });
  });

  it('publishes everything anew when it begins again: another replica may have had the bus meanwhile', async () => {
    publishOn(bus);
    inventory.setNode(nodeInventory('n1'));
    feed.touch('nodes');
    await clock.advance(1000);
    stop.abort();
    await run;
    const other = new InventoryFeed({ clusterId: 'c1', source: new FakeInventory(), clock, random: seededRandom(8) });
    stop = new AbortController();
    const standIn = new BusPublisher({ feed: other, bus, clock, random: seededRandom(1) }).run(stop.signal);
    other.touch('nodes');
    await clock.advance(1000);
    stop.abort();
    await standIn;
    const epoch = async () => (await bus.current(clusterTopic, { key: 'c1' }))?.value.generation?.epoch;
    expect(await epoch()).toBe(other.epoch);
    stop = new AbortController();
    run = publisher.run(stop.signal);
    await clock.advance(1000);
    expect(await epoch()).toBe(feed.epoch);
  });

  it('publishes what changed and no more', async () => {
    const keys: string[] = [];
    publishOn({
      publish: ((topic: never, value: never, options: { key: string }) => {
        keys.push(options.key);
        return bus.publish(topic, value, options);
      }) as Bus['publish'],
    });
    for (let index = 0; index < 200; index += 1) inventory.setNode(nodeInventory(`n${index}`));
    feed.touch('nodes');
    await clock.advance(1000);
    expect(keys.splice(0)).toHaveLength(201);
    inventory.setNode(nodeInventory('n5', { pods: 3 }));
    inventory.removeNode('n6');
    feed.touch('nodes');
    await clock.advance(1000);
    expect(keys).toEqual(['c1/n5', 'c1/n6', 'c1']);
    expect(await node('n6')).toMatchObject({ name: 'n6' });
    expect((await node('n6'))?.node).toBeUndefined();
  });

  it('repeats a round that failed with what is true by then, and says so meanwhile', async () => {
    let isBroken = true;
    publishOn({
      publish: ((topic: never, value: never, options: never) =>
        isBroken ? Promise.reject(new StatusError('unavailable', 'bus is away')) : bus.publish(topic, value, options)) as Bus['publish'],
    });
    inventory.setNode(nodeInventory('n1'));
    feed.touch('nodes');
    await clock.advance(600);
    expect(publisher.status()).toEqual({ published: undefined, problem: 'bus is away' });
    inventory.setNode(nodeInventory('n1', { pods: 9 }));
    feed.touch('nodes');
    isBroken = false;
    await clock.advance(60_000);
    expect((await node('n1'))?.node?.pods).toBe(9n);
    expect(publisher.status()).toMatchObject({ published: { sequence: 2 }, problem: undefined });
  });
});
