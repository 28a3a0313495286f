import { fromBinary, toBinary, toJson } from '@bufbuild/protobuf';
import { SnapshotSchema } from '@quartermaster/api/inventory';
import type { HardwareFacts } from '@quartermaster/api/node-hardware';
import type { Inventory } from '@quartermaster/inventory';
import { publishedOf } from '@quartermaster/inventory/testing';
import { seededRandom, silentLog, systemClock } from '@quartermaster/kernel';
import { type CacheOpener, cacheOpener, KubeClient, type KubeObject, KubeTransport, staticCredentials } from '@quartermaster/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startInventory } from './fresh-inventory.ts';
import { MutantServer } from './mutant-server.ts';
import { mutant } from './mutants.ts';
import { samples } from './mutated-samples.ts';
import { hardwareOf, patience } from './operator-cluster.ts';

const count = 2000;
const healthy = 'healthy';
const nodesPath = '/api/v1/nodes';

const hardwarePath = '/apis/quartermaster.dev/v1alpha1/nodehardwares';
const slicesPath = '/apis/resource.k8s.io/v1/resourceslices';

/** A good node that no mutant names, with what it must be found to have. */
const healthyNode = (cpu: string, resourceVersion: string): KubeObject => {
  const status = {
    capacity: { cpu: '64', memory: '512Gi', pods: '110' },
    allocatable: { cpu, memory: '500Gi', pods: '110' },
    conditions: [{ type: 'Ready', status: 'True' }],
  };
  return { metadata: { name: healthy, uid: healthy, resourceVersion }, status } as KubeObject;
};

const hardwareObject = (name: string, facts: Partial<HardwareFacts> = {}): KubeObject =>
  ({ metadata: { name, uid: name, resourceVersion: '1' }, spec: { ...hardwareOf(name), ...facts } }) as KubeObject;

const sliceObject = (node: string, device: object = {}, more: object = {}): KubeObject => {
  const devices = [{ name: 'gpu-0', attributes: { uuid: { string: `GPU-of-${node}` } }, ...device }];
  const spec = { driver: 'gpu.nvidia.com', nodeName: node, pool: { name: node, generation: 1, resourceSliceCount: 1 }, devices, ...more };
  return { metadata: { name: node, uid: node, resourceVersion: '1' }, spec } as KubeObject;
};

const spoilt = samples.map(({ source }) => source);

/** What the good node has besides, by the list in which it is. */
const goodObjects: Readonly<Record<string, KubeObject>> = {
  [nodesPath]: healthyNode('8', '1'),
  [hardwarePath]: hardwareObject(healthy),
  [slicesPath]: sliceObject(healthy),
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
      server.put(path, [...mutants, ...[goodObjects[path] ?? []].flat()]);
    }
    client = new KubeClient(new KubeTransport({ credentials: staticCredentials({ server: server.url }) }));
    inventory = await startInventory(client, { clusterId: 'mutated', gpuDatabaseUrl: 'http://127.0.0.1:9/devices/gpus' });
  }, patience.timeout);

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
    await expect.poll(() => [...leftOut().keys()].toSorted(), patience).toEqual(spoilt.toSorted());
    for (const { source, count: found, named } of leftOut().values()) {
      expect([source, found > 0 && found < count]).toEqual([source, true]);
      for (const { name, reason } of named) {
        expect(name).toContain('mutant-');
        expect(reason).not.toMatch(/is not a function|undefined|Cannot (read|convert|mix)|iterable/);
      }
    }
    const { complete, stale } = inventory.completeness();
    expect(complete).toBe(false);
    // No agent measures the disks of Longhorn, which are larger than the kubelet's filesystem. All else is heard of.
    expect(stale.filter(({ source }) => !['longhorn-filesystems', 'longhorn-disks'].includes(source))).toEqual([]);
  });

  it('has every object that it did not leave out', async () => {
    expect(inventory.sources.nodes.size + (leftOut().get('nodes')?.count ?? 0)).toBe(count + 1);
    expect(inventory.sources.pods.size + (leftOut().get('pods')?.count ?? 0)).toBe(count);
    expect(inventory.feed.current()?.nodes).toHaveLength(inventory.sources.nodes.size);
    const devices = () => inventory.feed.current()?.nodes.flatMap((node) => node.devices.map(({ id }) => id)) ?? [];
    await expect.poll(() => devices().filter((id) => id.startsWith('GPU-of-mutant-')).length, patience).toBeGreaterThan(100);
    expect(devices()).toContain(`GPU-of-${healthy}`);
    expect(devices().filter((id) => id.startsWith('GPU-mutant-')).length).toBeGreaterThan(100);
    expect(devices()).toContain(`GPU-${healthy}-0`);
  });

  it('says it in every form in which it is read, with no amount below zero', () => {
    const { snapshot, packed, akash, views } = publishedOf(inventory);
    expect(toBinary(SnapshotSchema, snapshot).length).toBeGreaterThan(0);
    expect(snapshot.leasePods.length).toBeGreaterThan(100);
    expect(fromBinary(SnapshotSchema, packed)).toEqual(snapshot);
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
    // What lies behind the shapes had nothing to leave out.
    expect([...leftOut().keys()].toSorted()).toEqual(spoilt.toSorted());
  });
});

describe('the samples', () => {
  it('have every field that the inventory reads of an object, by a projection with a shape, from fields that it asks for', async () => {
    await using server = await MutantServer.start();
    const client = new KubeClient(new KubeTransport({ credentials: staticCredentials({ server: server.url }) }));
    const opened = new Map<string, { readonly paths: readonly string[] | undefined; readonly fields: SelectionTree }>();
    const real = cacheOpener(client, { clock: systemClock, random: seededRandom(1), log: silentLog });
    const open: CacheOpener['open'] = (options) => {
      const cache = real.open(options);
      const paths = 'paths' in options.project ? (options.project.paths as readonly string[]) : undefined;
      opened.set(cache.name, { paths, fields: options.fields ?? true });
      return cache;
    };
    const inventory = await startInventory(client, { clusterId: 'a', gpuDatabaseUrl: 'http://127.0.0.1:9/', caches: { open } });
    await inventory.stop();
    await client.close();
    const bySource = new Map(samples.map(({ source, object }) => [source, object]));
    expect([...opened.keys(), 'node-metrics'].toSorted()).toEqual([...bySource.keys()].toSorted());
    for (const [source, { paths, fields }] of opened) {
      const steps = paths?.map((path) => path.match(/\[\]|\{\}|[^.[{]+/g) ?? []) ?? [];
      expect([source, steps.length > 0]).toEqual([source, true]);
      for (const path of steps) {
        expect([source, path, isThere(bySource.get(source), path)]).toEqual([source, path, true]);
        const isIdentity = path[0] === 'metadata' && ['name', 'namespace', 'uid'].includes(path[1] ?? '');
        expect([source, path, isIdentity || isSelected(fields, path)]).toEqual([source, path, true]);
      }
    }
  });
});

function isThere(value: unknown, [step, ...rest]: readonly string[]): boolean {
  if (step === undefined) return value !== undefined;
  if (typeof value !== 'object' || value === null) return false;
  return step === '[]' || step === '{}'
    ? Object.values(value).some((each) => isThere(each, rest))
    : isThere(Reflect.get(value, step), rest);
}

type SelectionTree = true | { readonly [field: string]: SelectionTree | undefined };

function isSelected(fields: SelectionTree | undefined, [step, ...rest]: readonly string[]): boolean {
  if (fields === true) return true;
  if (fields === undefined || step === undefined) return false;
  // A map is asked for as a whole, or by those of its keys that are read.
  if (step === '{}') return Object.values(fields).every((below) => isSelected(below, rest)) && Object.keys(fields).length > 0;
  return step === '[]' ? isSelected(fields, rest) : isSelected(fields[step], rest);
}

describe('the inventory with objects that are almost right', () => {
  it('leaves out what cannot be counted, names the field, and counts what lies beside it', async () => {
    await using server = await MutantServer.start();
    const card = hardwareOf(healthy).gpus?.[0];
    const node = (name: string, nodeInfo = {}) => {
      const good = healthyNode('8', '1') as KubeObject & { readonly status: object };
      return { ...good, metadata: { name, uid: name, resourceVersion: '1' }, status: { ...good.status, nodeInfo } } as KubeObject;
    };
    const names = ['no-counters', 'no-total', 'null-attributes', 'null-counters', 'number-capability', 'no-instances'];
    server.put(nodesPath, [node('number-uuid', { systemUUID: 5 }), ...[healthy, ...names].map((name) => node(name))]);
    server.put(hardwarePath, [
      hardwareObject('number-capability', { gpus: [{ ...card, computeCapability: 9 } as never] }),
      hardwareObject('no-instances', { gpus: [{ ...card, mig: { enabled: true } } as never] }),
    ]);
    server.put(slicesPath, [
      sliceObject('no-counters', { consumesCounters: [{ counterSet: 'card' }] }),
      sliceObject('no-total', {}, { sharedCounters: [{ name: 'card' }] }),
      sliceObject('null-attributes', { attributes: null }),
      sliceObject('null-counters', { consumesCounters: null, taints: null }, { sharedCounters: null }),
      sliceObject(healthy),
    ]);
    const client = new KubeClient(new KubeTransport({ credentials: staticCredentials({ server: server.url }) }));
    const inventory = await startInventory(client, { clusterId: 'odd' });
    try {
      await expect.poll(() => inventory.feed.state(), patience).toBeDefined();
      const counted = () => inventory.feed.current()?.nodes.flatMap(({ name, devices }) => (devices.length === 0 ? [] : [name]));
      await expect.poll(counted, patience).toEqual([healthy, 'null-attributes', 'null-counters']);
      const reasons = inventory
        .completeness()
        .leftOut.flatMap(({ source, named }) => named.map((each) => [source, each.name, each.reason]));
      expect(reasons).toEqual([
        ['hardware', 'no-instances', 'spec.gpus[0].mig.instances must be there'],
        ['hardware', 'number-capability', 'spec.gpus[0].computeCapability must be a text'],
        ['nodes', 'number-uuid', 'status.nodeInfo.systemUUID must be a text'],
        ['resource-slices', 'no-counters', 'spec.devices[0].consumesCounters[0].counters must be there'],
        ['resource-slices', 'no-total', 'spec.sharedCounters[0].counters must be there'],
      ]);
      publishedOf(inventory);
    } finally {
      await inventory.stop();
      await client.close();
    }
  });
});
