import { readManifest } from '@quartermaster/api/lease-manifest';
import { type OrderId, orderName, type Reservation } from '@quartermaster/cluster';
import { sampleOrder, unitOf } from '@quartermaster/cluster/testing';

const Gi = 2 ** 30;
const amount = (value: number) => ({ val: String(value) });
const flags = (attributes: Readonly<Record<string, string>>) => Object.entries(attributes).map(([key, value]) => ({ key, value }));
const resources = (id: number, storage: readonly object[] = [], gpu: object = { units: amount(0) }) => ({
  ...{ id, cpu: { units: amount(500) }, memory: { size: amount(Gi) }, gpu, endpoints: [] },
  storage: [{ name: 'default', size: amount(Gi) }, ...storage],
});
const expose = (port: number, externalPort: number, changed: object = {}) => ({
  ...{ port, externalPort, proto: 'TCP', global: true, hosts: [], service: '', ip: '', endpointSequenceNumber: 0 },
  ...changed,
});

/** A manifest with something of everything that a lease can have. */
const services = [
  {
    name: 'db',
    image: 'postgres:18',
    count: 1,
    expose: [expose(5432, 0, { global: false, service: 'web' })],
    params: { storage: [{ name: 'data', mount: '/var/lib/data', readOnly: false }] },
    resources: resources(1, [{ name: 'data', size: amount(2 * Gi), attributes: flags({ class: 'beta3', persistent: 'true' }) }]),
  },
  {
    name: 'ml',
    image: 'trainer:1',
    command: ['train'],
    args: ['--fast'],
    count: 1,
    resources: resources(2, [], { units: amount(1), attributes: flags({ 'vendor/nvidia/model/a100': 'true' }) }),
  },
  {
    name: 'web',
    image: 'registry.example/web:1',
    env: ['GREETING=hello'],
    count: 2,
    credentials: { host: 'registry.example', username: 'robot', password: 'pass', email: 'robot@example.com' },
    expose: [
      expose(8080, 80, { hosts: ['www.example.com'] }),
      expose(2222, 22),
      expose(53, 53, { proto: 'UDP', ip: 'front', endpointSequenceNumber: 1 }),
    ],
    params: {
      storage: [{ name: 'shm', mount: '/dev/shm', readOnly: false }],
      permissions: { read: ['logs', 'events'] },
    },
    resources: resources(3, [{ name: 'shm', size: amount(Gi / 4), attributes: flags({ class: 'ram', persistent: 'false' }) }]),
  },
];

export const order: OrderId = { owner: 'alice', dseq: 7n, gseq: 1, oseq: 2 };
export const manifest = { json: JSON.stringify([{ name: 'eu', services }]), confirmed: [] };
const cards = {
  ...{ resource: 'nvidia.com/gpu', group: undefined, count: 1 },
  groups: [{ vendor: 'nvidia', model: 'a100', interface: 'SXM4', memoryBytes: 80 * Gi }],
};
const unit = { memoryBytes: Gi, cpuMillis: 500 };
const scratch = { kind: 'ephemeral', name: 'default', bytes: Gi } as const;

export const marketOrder = sampleOrder({
  order,
  request: {
    units: [
      { ...unit, id: 1, count: 1, volumes: [scratch, { kind: 'persistent', name: 'data', class: 'beta3', bytes: 2 * Gi }] },
      { ...unit, id: 2, count: 1, volumes: [scratch], gpus: { count: 1, wants: [{ vendor: 'nvidia', model: 'a100' }] } },
      { ...unit, id: 3, count: 2, volumes: [scratch, { kind: 'ram', name: 'shm', bytes: Gi / 4 }], randomPorts: 2, leasedIps: ['front'] },
    ],
  },
  httpEndpoints: new Map([[3, 1]]),
});

/** What is promised for it. */
export function promised(): Reservation {
  const [group] = readManifest(manifest.json);
  const units = (group?.services ?? []).map((service) => {
    const planned = unitOf(service, service.name === 'ml' ? { cards } : {});
    return { ...planned, volumes: planned.volumes.map((volume) => ({ ...volume, class: 'beta3' })) };
  });
  return {
    ...{ name: orderName(order), uid: 'uid-of-the-reservation', resourceVersion: '1', order, owner: order.owner },
    ...{ request: marketOrder.request, plan: { units: units.toSorted((a, b) => a.id - b.id), ports: 2, ips: 1 } },
    ...{ phase: 'active', isConfirmed: true, createdAt: 0, bid: { denom: 'uakt', amount: '1' }, term: 1 },
  };
}
