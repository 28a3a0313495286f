import type { Inventory } from '@quartermaster/inventory';
import { discover, KubeClient, type KubeObject, kinds, type ResourceType } from '@quartermaster/kube';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type ControlPlane, startControlPlane } from '../kube/control-plane.ts';
import { startInventory } from './fresh-inventory.ts';
import { addNode, patience, prepare, tenant } from './operator-cluster.ts';

/* Clusters serve devices in the versions of their Kubernetes: v1 since 1.34, v1beta2 in 1.33, v1beta1 in 1.32. Here one server is started with each alone. */

const driver = 'gpu.nvidia.com';
const versions = ['v1', 'v1beta2', 'v1beta1'] as const;
type Version = (typeof versions)[number];

interface Loose extends KubeObject {
  readonly spec?: object;
  readonly status?: object;
}

const kindsOf = (version: Version) => {
  const of = (type: ResourceType): ResourceType<Loose> => ({ ...type, version });
  return { slices: of(kinds.resourceSlices), claims: of(kinds.resourceClaims) };
};

const servingOnly = (version: Version): string =>
  `--runtime-config=${versions.map((each) => `resource.k8s.io/${each}=${each === version}`).join(',')}`;

/** Of a card that can be had as a whole or in two halves. */
function devicesIn(version: Version): readonly object[] {
  const device = (name: string, type: string, halves: readonly string[], more: object = {}) => {
    const facts = {
      attributes: { type: { string: type }, productName: { string: 'NVIDIA H100 80GB HBM3' }, ...more },
      capacity: { memory: { value: '81559Mi' } },
      consumesCounters: [{ counterSet: 'card', counters: Object.fromEntries(halves.map((half) => [half, { value: '1' }])) }],
    };
    return version === 'v1beta1' ? { name, basic: facts } : { name, ...facts };
  };
  return [
    device('gpu-0', 'gpu', ['left', 'right'], { uuid: { string: 'GPU-0' } }),
    device('mig-0', 'mig', ['left'], { profile: { string: '3g.40gb' } }),
    device('mig-1', 'mig', ['right'], { profile: { string: '3g.40gb' } }),
  ];
}

describe.each(versions)('devices of a server that serves resource.k8s.io/%s alone', (version) => {
  let controlPlane: ControlPlane | undefined;
  let client: KubeClient;
  let inventory: Inventory | undefined;

  beforeAll(async () => {
    controlPlane = await startControlPlane({ scheduler: false, controllers: false, apiserverArgs: [servingOnly(version)] });
    client = await KubeClient.connect({ kubeconfig: controlPlane.kubeconfig });
    await prepare(client);
  });

  afterEach(async () => {
    await inventory?.stop();
  });

  afterAll(async () => {
    await client?.close();
    await controlPlane?.stop();
  });

  it('are known with their claims, and a card of which one half is taken is not free', async () => {
    const { slices, claims } = kindsOf(version);
    const served = (await discover(client.transport)).filter(({ group }) => group === 'resource.k8s.io').map((each) => each.version);
    expect(new Set(served)).toEqual(new Set([version]));
    await addNode(client, 'n1', { resources: { cpu: '8', memory: '16Gi', pods: '110' } });
    const pool = { name: 'n1', generation: 1, resourceSliceCount: 2 };
    const sharedCounters = [{ name: 'card', counters: { left: { value: '1' }, right: { value: '1' } } }];
    await client.create(slices, { metadata: { name: 'counters' }, spec: { driver, nodeName: 'n1', pool, sharedCounters } });
    await client.create(slices, { metadata: { name: 'devices' }, spec: { driver, nodeName: 'n1', pool, devices: devicesIn(version) } });
    const running = await startInventory(client);
    inventory = running;
    const card = () =>
      running.ledger.nodeView('n1')?.gpus.map(({ model, amount }) => [model, amount.capacity, amount.allocated, amount.available]);
    const halves = () => running.ledger.nodeView('n1')?.extended.get(`${driver}/3g.40gb`);
    await expect.poll(card, patience).toEqual([['h100', 1, 0, 1]]);
    expect(halves()).toMatchObject({ capacity: 2, available: 2 });
    const wanted = { deviceClassName: driver, allocationMode: 'ExactCount', count: 1 };
    const request = version === 'v1beta1' ? { name: 'half', ...wanted } : { name: 'half', exactly: wanted };
    const ref = { namespace: tenant, name: 'half' };
    await client.create(claims, { metadata: ref, spec: { devices: { requests: [request] } } });
    const status = {
      allocation: { devices: { results: [{ request: 'half', driver, pool: 'n1', device: 'mig-0' }] } },
      reservedFor: [{ resource: 'pods', name: 'trainer-0', uid: 'u1' }],
    };
    await client.patch(claims, ref, { kind: 'merge', body: { status } }, { subresource: 'status' });
    await expect.poll(card, patience).toEqual([['h100', 1, 0, 0]]);
    expect(halves()).toMatchObject({ capacity: 2, allocated: 1, available: 1 });
    const [device] = running.ledger.nodeView('n1')?.devices ?? [];
    expect(device?.parts).toMatchObject([
      { kind: 'mig', profile: '3g.40gb', holder: { namespace: tenant, pod: 'trainer-0', source: 'claim' } },
    ]);
    // What could not be read at the first try is read soon after.
    await expect.poll(() => running.completeness().complete, patience).toBe(true);
  });
});
