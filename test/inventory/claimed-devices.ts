import { type KubeClient, kinds } from '@quartermaster/kube';
import { tenant } from './operator-cluster.ts';

const driver = 'gpu.nvidia.com';

/** All cards of a node as its driver publishes them, in one slice of the node's name. */
export async function publishDevices(client: KubeClient, node: string, names: readonly string[]): Promise<void> {
  const devices = names.map((name) => ({
    name,
    attributes: { type: { string: 'gpu' }, uuid: { string: `GPU-${node}-${name}` }, productName: { string: 'NVIDIA H100 80GB HBM3' } },
    capacity: { memory: { value: '81559Mi' } },
  }));
  const pool = { name: node, generation: 1, resourceSliceCount: 1 };
  await client.create(kinds.resourceSlices, { metadata: { name: node }, spec: { driver, nodeName: node, pool, devices } });
}

export interface ClaimOptions {
  readonly reservedFor: string;
  /** The device is looked after, and not taken. */
  readonly adminAccess?: true;
}

/** A claim that has got a device, as the scheduler leaves it. */
export async function claimDevice(client: KubeClient, name: string, node: string, device: string, options: ClaimOptions): Promise<void> {
  const { reservedFor, ...access } = options;
  // Whoever looks after devices that others have needs a namespace that says so.
  const labels = { 'resource.kubernetes.io/admin-access': 'true' };
  if (access.adminAccess) await client.patch(kinds.namespaces, { name: tenant }, { kind: 'merge', body: { metadata: { labels } } });
  const exactly = { deviceClassName: driver, allocationMode: 'ExactCount', count: 1, ...access };
  const ref = { namespace: tenant, name };
  await client.create(kinds.resourceClaims, { metadata: ref, spec: { devices: { requests: [{ name: 'card', exactly }] } } });
  const status = {
    allocation: { devices: { results: [{ request: 'card', driver, pool: node, device, ...access }] } },
    reservedFor: [{ resource: 'pods', name: reservedFor, uid: `uid-of-${reservedFor}` }],
  };
  await client.patch(kinds.resourceClaims, ref, { kind: 'merge', body: { status } }, { subresource: 'status' });
}
