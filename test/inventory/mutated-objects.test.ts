import { toBinary, toJson } from '@bufbuild/protobuf';
import { SnapshotSchema } from '@quartermaster/api/inventory';
import type { Inventory } from '@quartermaster/inventory';
import { publishedOf } from '@quartermaster/inventory/testing';
import { seededRandom } from '@quartermaster/kernel';
import { KubeClient, type KubeObject, KubeTransport, staticCredentials } from '@quartermaster/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startInventory } from './fresh-inventory.ts';
import { MutantServer } from './mutant-server.ts';
import { mutant } from './mutants.ts';
import { samples } from './mutated-samples.ts';
import { patience } from './operator-cluster.ts';

const count = 2000;
const healthy = 'healthy';
const nodesPath = '/api/v1/nodes';

/** A good node that no mutant names, with what it must be found to have. */
const healthyNode = (cpu: string, resourceVersion: string): KubeObject => {
  const status = {
    capacity: { cpu: '64', memory: '512Gi', pods: '110' },
    allocatable: { cpu, memory: '500Gi', pods: '110' },
    conditions: [{ type: 'Ready', status: 'True' }],
  };
  return { metadata: { name: healthy, uid: healthy, resourceVersion }, status } as KubeObject;
};

function* amountsIn(value: unknown): Generator<number | bigint> {
  if (typeof value === 'number' || typeof value === 'bigint') yield value;
  else if (typeof value === 'object' && value !== null) for (const each of Object.values(value)) yield* amountsIn(each);
}

describe(`the inventory with ${count} mutated objects of every kind`, () => {
  let server: MutantServer;
  let client: KubeClient;
  let inventory: Inventory;

  beforeAll(async () => {
    server = await MutantServer.start();
    const random = seededRandom(20261116);
    for (const { path, object } of samples) {
      const mutants = Array.from({ length: count }, (_, index) => mutant(object, `mutant-${index}`, random));
      server.put(path, path === nodesPath ? [...mutants, healthyNode('8', '1')] : mutants);
    }
    client = new KubeClient(new KubeTransport({ credentials: staticCredentials({ server: server.url }) }));
    inventory = await startInventory(client, { clusterId: 'mutated', gpuDatabaseUrl: 'http://127.0.0.1:9/devices/gpus' });
  });

  afterAll(async () => {
    await inventory?.stop();
    await client?.close();
    await server?.stop();
  });

  const leftOut = () => new Map(inventory.completeness().leftOut.map((each) => [each.source, each]));

  it('publishes, and names what it left out of each kind, with the field that is wrong', async () => {
    await expect.poll(() => inventory.feed.state(), patience).toBeDefined();
    expect(inventory.feed.node(healthy)).toMatchObject({
      sellability: { state: 'sellable' },
      cpu: { capacity: 64_000, allocatable: 8000 },
    });
    await expect.poll(() => [...leftOut().keys()].toSorted(), patience).toEqual(samples.map(({ source }) => source).toSorted());
    for (const { source, count: found, named } of leftOut().values()) {
      expect([source, found > 0 && found < count]).toEqual([source, true]);
      for (const { name, reason } of named) {
        expect(name).toContain('mutant-');
        expect(reason).not.toMatch(/is not a function|undefined|Cannot (read|convert|mix)|iterable/);
      }
    }
    expect(inventory.completeness()).toMatchObject({ complete: false, stale: [] });
  });

  it('has every object that it did not leave out', () => {
    expect(inventory.sources.nodes.size + (leftOut().get('nodes')?.count ?? 0)).toBe(count + 1);
    expect(inventory.sources.pods.size + (leftOut().get('pods')?.count ?? 0)).toBe(count);
    expect(inventory.feed.current()?.nodes).toHaveLength(inventory.sources.nodes.size);
  });

  it('says it in every form in which it is read, with no amount below zero', () => {
    const { snapshot, akash, views } = publishedOf(inventory);
    expect(toBinary(SnapshotSchema, snapshot).length).toBeGreaterThan(0);
    expect(toJson(SnapshotSchema, snapshot)).toMatchObject({ clusterId: 'mutated' });
    expect(akash.length).toBeGreaterThan(0);
    expect([...amountsIn(snapshot), ...amountsIn(views)].filter((amount) => !(amount >= 0))).toEqual([]);
  });

  it('goes on while mutants replace good objects, which count as they last were', async () => {
    const random = seededRandom(7);
    for (const { path, object } of samples) {
      for (let index = 0; index < 100; index += 1) {
        const next = mutant(object, `mutant-${index}`, random);
        server.send(path, { ...next, metadata: { ...next.metadata, resourceVersion: String(2 + index) } });
      }
    }
    server.send(nodesPath, {
      metadata: { name: healthy, uid: healthy, resourceVersion: '900' },
      status: { conditions: 'none' },
    } as KubeObject);
    await expect.poll(() => inventory.sources.nodes.unreadable().map(({ key }) => key), patience).toContain(healthy);
    expect(inventory.feed.node(healthy)?.cpu.allocatable).toBe(8000);
    server.send(nodesPath, healthyNode('16', '901'));
    await expect.poll(() => inventory.feed.node(healthy)?.cpu.allocatable, patience).toBe(16_000);
    expect(inventory.sources.nodes.unreadable().map(({ key }) => key)).not.toContain(healthy);
    publishedOf(inventory);
  });
});
