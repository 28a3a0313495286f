import { readManifest } from '@quartermaster/api/lease-manifest';
import type { MarketOrder, ReceivedManifest } from '../src/market/market.ts';
import type { OrderId } from '../src/model/order.ts';
import type { Reservation } from '../src/model/reservation.ts';
import { orderName } from '../src/reservations/order-name.ts';
import { unitOf } from './lease-content.ts';
import { Gi } from './sample-facts.ts';
import { sampleOrder } from './sample-order.ts';

export interface TenantWish {
  readonly order: OrderId;
  readonly hosts: readonly string[];
  readonly version?: number | undefined;
  /** The service that keeps data; without it there is none. */
  readonly keeper?: string | undefined;
  /** The endpoint with an address of its own that the service with routes has; without it there is none. */
  readonly ip?: string | undefined;
  /** Reads what it may of its own lease in its first version, and something else later; a port for others of the lease is gone by then. */
  readonly reads?: boolean | undefined;
}

/** What a tenant wants to run: a service with routes, a port, credentials and secrets, and one that keeps data. */
export function tenantManifest({ hosts, version = 1, keeper, ip, reads = false }: TenantWish): ReceivedManifest {
  const amount = (value: number) => ({ val: String(value) });
  const resources = (id: number, cpuMillis: number, storage: readonly object[]) => ({
    ...{ id, cpu: { units: amount(cpuMillis) }, memory: { size: amount(Gi) }, gpu: { units: amount(0) }, endpoints: [] },
    storage: [{ name: 'default', size: amount(Gi) }, ...storage],
  });
  const persistent = [
    { key: 'class', value: 'beta3' },
    { key: 'persistent', value: 'true' },
  ];
  const local = { proto: 'TCP', global: false, hosts: [], ip: '', endpointSequenceNumber: 0 };
  const leased = { port: 8443, externalPort: 8443, proto: 'TCP', global: true, hosts: [], service: '', ip, endpointSequenceNumber: 1 };
  const services = [
    {
      name: 'web',
      image: `registry.example/web:${version}`,
      env: [`GREETING=hello ${version}`, `API_TOKEN=token-${version}`],
      count: 1,
      credentials: { host: 'registry.example', username: 'robot', password: `password-${version}`, email: '' },
      expose: [
        { port: 80, externalPort: 80, proto: 'TCP', global: true, hosts, service: '', ip: '', endpointSequenceNumber: 0 },
        { port: 7000, externalPort: 7000, proto: 'TCP', global: true, hosts: [], service: '', ip: '', endpointSequenceNumber: 0 },
        ...(ip === undefined ? [] : [leased]),
        ...(reads && version === 1 ? [{ ...local, port: 9000, externalPort: 9000, service: 'web' }] : []),
      ],
      ...(reads && { params: { storage: [], permissions: { read: [version === 1 ? 'logs' : 'events'] } } }),
      resources: resources(1, 5_000, []),
    },
  ];
  const keeping =
    keeper === undefined
      ? []
      : [
          {
            name: keeper,
            image: 'registry.example/keeper:1',
            count: 1,
            expose: [
              { port: 5432, externalPort: 0, proto: 'TCP', global: false, hosts: [], service: 'web', ip: '', endpointSequenceNumber: 0 },
            ],
            params: { storage: [{ name: 'data', mount: '/data', readOnly: false }] },
            resources: resources(2, 1_000, [{ name: 'data', size: amount(Gi), attributes: persistent }]),
          },
        ];
  return { json: JSON.stringify([{ name: 'eu', services: [...services, ...keeping] }]), confirmed: [] };
}

export function tenantOrder({ order, keeper, ip }: TenantWish): MarketOrder {
  const unit = { count: 1, memoryBytes: Gi };
  const scratch = { kind: 'ephemeral', name: 'default', bytes: Gi } as const;
  const data = { kind: 'persistent', name: 'data', class: 'beta3', bytes: Gi } as const;
  const keeping = keeper === undefined ? [] : [{ ...unit, id: 2, cpuMillis: 1_000, volumes: [scratch, data] }];
  const endpoints = ip === undefined ? { randomPorts: 1 } : { randomPorts: 2, leasedIps: [ip] };
  return sampleOrder({
    order,
    request: { units: [{ ...unit, id: 1, cpuMillis: 5_000, volumes: [scratch], ...endpoints }, ...keeping] },
    httpEndpoints: new Map([[1, 1]]),
    maxPrice: { denom: 'uakt', amount: '100000' },
    createdAt: Date.now(),
  });
}

/** What is promised to the tenant, once the bid has won. */
export function tenantReservation(wish: TenantWish): Reservation {
  const { order, request } = tenantOrder(wish);
  const [group] = readManifest(tenantManifest(wish).json);
  return {
    ...{ name: orderName(order), uid: `uid-of-${orderName(order)}`, resourceVersion: '1', order, owner: order.owner, request },
    plan: {
      units: (group?.services ?? []).map((service) => unitOf(service)).toSorted((a, b) => a.id - b.id),
      ...(wish.ip === undefined ? { ports: 1, ips: 0 } : { ports: 2, ips: 1 }),
    },
    ...{ phase: 'active', isConfirmed: true, createdAt: 0, bid: { denom: 'uakt', amount: '1' }, term: 1 },
  };
}
