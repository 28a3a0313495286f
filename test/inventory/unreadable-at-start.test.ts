import type { Inventory } from '@quartermaster/inventory';
import { LabelReconciler } from '@quartermaster/inventory/testing';
import { KubeClient, type KubeObject, KubeTransport, staticCredentials } from '@quartermaster/kube';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { startInventory } from './fresh-inventory.ts';
import { MutantServer } from './mutant-server.ts';
import { gib, hardwareOf, operatorNamespace, patience } from './operator-cluster.ts';

const paths = {
  nodes: '/api/v1/nodes',
  hardware: '/apis/quartermaster.dev/v1alpha1/nodehardwares',
  slices: '/apis/resource.k8s.io/v1/resourceslices',
  claims: '/apis/resource.k8s.io/v1/resourceclaims',
  classes: '/apis/storage.k8s.io/v1/storageclasses',
  cephClusters: '/apis/ceph.rook.io/v1/cephclusters',
  cephPools: '/apis/ceph.rook.io/v1/cephblockpools',
  overrides: `/api/v1/namespaces/${operatorNamespace}/configmaps?metadata.name=quartermaster-gpu-overrides`,
};
type Kind = keyof typeof paths;
type Labels = Readonly<Record<string, string>>;

const [agent, driver, nextDriver, override] = ['by-agent', 'by-driver', 'by-driver-too', 'by-override'];
const names = [agent, driver, nextDriver, override];
const object = (name: string, more: object): KubeObject => ({ metadata: { name, uid: `uid-of-${name}`, resourceVersion: '1' }, ...more });

function node(name: string, labels: Labels = {}): KubeObject {
  const cards = name.startsWith(driver) ? {} : { 'nvidia.com/gpu': '8' };
  const resources = { cpu: '64', memory: '512Gi', pods: '110', ...cards };
  const conditions = [{ type: 'Ready', status: 'True' }];
  return object(name, {
    metadata: { name, uid: `uid-of-${name}`, resourceVersion: '1', labels },
    status: { capacity: resources, allocatable: resources, conditions },
  });
}

function slice(nodeName: string): KubeObject {
  const pool = { name: nodeName, generation: 1, resourceSliceCount: 1 };
  const attributes = { type: { string: 'gpu' }, uuid: { string: `GPU-${nodeName}` }, productName: { string: 'NVIDIA A100-SXM4-80GB' } };
  return object(nodeName, { spec: { driver: 'gpu.nvidia.com', nodeName, pool, devices: [{ name: 'gpu-0', attributes }] } });
}

const rook = 'rook-ceph';
const ofRook = (name: string, more: object): KubeObject => object(name, { metadata: { name, namespace: rook, uid: name }, ...more });
const health = { health: 'HEALTH_OK', capacity: { bytesTotal: 3000 * gib, bytesUsed: 300 * gib, lastUpdated: '2026-01-01T00:00:00Z' } };
const overridden = JSON.stringify({ '10de': { name: 'nvidia', devices: { 1234: { name: 'house' } } } });

/** A node whose agent tells of its cards, two whose drivers do, and one whose cards have a name by an override. */
const good: Readonly<Record<Kind, readonly KubeObject[]>> = {
  nodes: names.map((name) => node(name)),
  hardware: [object(agent, { spec: hardwareOf(agent) }), object(override, { spec: hardwareOf(override, '1234') })],
  slices: [slice(driver), slice(nextDriver)],
  claims: [],
  classes: [object('beta3', { provisioner: 'rook-ceph.rbd.csi.ceph.com', parameters: { clusterID: rook, pool: 'blocks' } })],
  cephClusters: [ofRook('main', { spec: {}, status: { phase: 'Ready', ceph: health } })],
  cephPools: [ofRook('blocks', { spec: { replicated: { size: 3 } } })],
  overrides: [object('quartermaster-gpu-overrides', { data: { 'gpus.json': overridden } })],
};

describe('an inventory that starts again and cannot read an object', () => {
  let server: MutantServer;
  let client: KubeClient;
  let labels: ReadonlyMap<string, Labels> = new Map();

  beforeAll(async () => {
    server = await MutantServer.start();
    client = new KubeClient(new KubeTransport({ credentials: staticCredentials({ server: server.url }) }));
    const { inventory, applied } = await started(good);
    labels = await applied();
    await inventory.stop();
  });

  afterAll(async () => {
    await client?.close();
    await server?.stop();
  });

  /** With what the leader of the replicas applies to nodes then. */
  async function started(objects: Readonly<Record<Kind, readonly KubeObject[]>>) {
    for (const kind of Object.keys(paths) as Kind[]) server.put(paths[kind], objects[kind]);
    const inventory = await startInventory(client, { clusterId: 'again' });
    await vi.waitUntil(() => inventory.feed.state() !== undefined, patience);
    return { inventory, applied: () => appliedBy(inventory) };
  }

  async function appliedBy(inventory: Inventory): Promise<ReadonlyMap<string, Labels>> {
    const applied = new Map<string, Labels>();
    const reconciler = new LabelReconciler({
      nodes: inventory.sources.nodes,
      view: (name) => inventory.feed.node(name),
      reader: {
        find: async (_type, { name }) => {
          const fields = Object.fromEntries(Object.keys(labels.get(name) ?? {}).map((key) => [`f:${key}`, {}]));
          const fieldsV1 = { 'f:metadata': { 'f:labels': fields } };
          const managedFields = [{ manager: 'quartermaster-inventory', operation: 'Apply', fieldsV1 }];
          return object(name, { metadata: { name, managedFields } }) as never;
        },
      },
      writer: {
        apply: async (_type, written) => {
          applied.set(written.metadata?.name ?? '', written.metadata?.labels ?? {});
          return written;
        },
      },
    });
    for (const { key } of inventory.sources.nodes.entries()) await reconciler.reconcile(key, AbortSignal.timeout(60_000));
    return applied;
  }

  async function startedWith(changes: Partial<Record<Kind, readonly KubeObject[]>>) {
    const nodes = names.map((name) => node(name, labels.get(name)));
    const again = await started({ ...good, nodes, ...changes });
    onTestFinished(() => again.inventory.stop());
    return again;
  }

  const prefix = 'akash.network/capabilities.gpu.model';

  it('labelled the cards before, and writes nothing when all is as it was', async () => {
    expect(labels.get(agent)).toHaveProperty([`${prefix}.h100`]);
    for (const name of [driver, nextDriver]) expect(labels.get(name)).toHaveProperty([`${prefix}.a100`]);
    expect(labels.get(override)).toHaveProperty([`${prefix}.house`]);
    expect(labels.get(agent)).toHaveProperty(['akash.network/capabilities.storage.class.beta3']);
    const { applied } = await startedWith({});
    expect([...(await applied())]).toEqual([]);
  });

  it.each<[string, Kind, readonly KubeObject[]]>([
    ['the report of an agent', 'hardware', [object(agent, { spec: { gpus: 'eight' } }), ...good.hardware.slice(1)]],
    ['a slice of a driver', 'slices', [good.slices[0] ?? {}, object(nextDriver, { spec: { driver: 7 } })]],
    ['a storage class', 'classes', [object('beta3', { provisioner: 3 })]],
    ['a Ceph cluster', 'cephClusters', [ofRook('main', { status: 'fine' })]],
    ['a pool of Ceph', 'cephPools', [ofRook('blocks', { spec: 'none' })]],
    ['the overrides', 'overrides', [object('quartermaster-gpu-overrides', { data: 'none' })]],
  ])('writes nothing without %s', async (_, kind, objects) => {
    const { inventory, applied } = await startedWith({ [kind]: objects });
    expect(inventory.completeness().leftOut).toMatchObject([{ count: 1 }]);
    expect([...(await applied())]).toEqual([]);
  });

  it('labels nodes whose own cards are known, whatever else could not be read', async () => {
    const nodes = names.map((name) => node(name, name === agent ? {} : labels.get(name)));
    const { applied } = await startedWith({ nodes, slices: [object(driver, { spec: {} })] });
    expect([...(await applied())]).toEqual([[agent, labels.get(agent)]]);
  });

  it('sells no claimable device while a claim cannot be read, and does again once it can', async () => {
    const claim = object('one', { status: { allocation: { devices: { results: 'some' } } } });
    const { inventory, applied } = await startedWith({ claims: [claim] });
    const available = () => inventory.feed.node(driver)?.gpus.map(({ amount }) => amount.available);
    expect(available()).toEqual([0]);
    expect([...(await applied())]).toEqual([]);
    // Again and again: the watch may not be open yet.
    const after = (next: KubeObject) => () => {
      server.send(paths.claims, next);
      return available();
    };
    await expect.poll(after(object('one', { status: {} })), patience).toEqual([1]);
    await expect.poll(after(claim), patience).toEqual([0]);
  });
});
