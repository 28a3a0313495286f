import type { ManifestGroup, ManifestService } from '@quartermaster/api/lease-manifest';
import type { SeenLeasePod, SeenWorkload } from '../src/health/lease-health.ts';
import type { LeaseRecord } from '../src/known-leases/lease-record.ts';
import type { LeaseSight } from '../src/known-leases/lease-sight.ts';
import { orderName } from '../src/reservations/order-name.ts';
import { order } from './filled-book.ts';

const Mi = 2 ** 20;

/** One replica of an image, with nothing that anybody could reach, unless changed. */
export const leaseServiceOf = (name: string, changed: Partial<ManifestService> = {}): ManifestService => ({
  name,
  image: `registry.example/${name}:1`,
  command: [],
  args: [],
  env: [],
  resources: { id: 1, cpuMillis: 500, memoryBytes: 512 * Mi, gpus: 0, gpuAttributes: [], volumes: [] },
  count: 1,
  exposes: [],
  mounts: [],
  permissions: [],
  ...changed,
});

export const groupOf = (...services: readonly ManifestService[]): ManifestGroup => ({ name: 'main', services });

/** Runs on n-1 and is ready, unless changed. */
export const leasePodOf = (name: string, changed: Partial<SeenLeasePod> = {}): SeenLeasePod => ({
  name,
  uid: `uid-${name}`,
  service: 'web',
  node: 'n-1',
  assignedTo: 'n-1',
  isGated: false,
  isDeleting: false,
  phase: 'Running',
  isReady: true,
  restarts: 0,
  createdAt: 1_000,
  reason: '',
  message: '',
  unschedulable: '',
  claims: [],
  gpus: 0,
  ...changed,
});

export const workloadOf = (service: string, available: number, changed: Partial<SeenWorkload> = {}): SeenWorkload => ({
  service,
  kind: 'Deployment',
  available,
  ready: available,
  updated: available,
  isObserved: true,
  ...changed,
});

/** Of a lease that runs, unless changed. */
export function leaseRecord(owner: string, dseq: bigint, changed: Partial<LeaseRecord> = {}): LeaseRecord {
  const name = orderName(order(owner, dseq));
  return {
    name,
    uid: `uid-${name}`,
    lease: { ...order(owner, dseq), provider: 'akash1provider' },
    namespace: `lease-${name}`,
    state: 'Active',
    reason: 'Running',
    message: 'all replicas are available',
    since: 6_000,
    wonAt: 3_000,
    manifestAt: 4_000,
    deployedAt: 5_000,
    runningAt: 6_000,
    leftovers: [],
    ...changed,
  };
}

/** A lease that runs one service, unless changed. */
export function leaseSight(owner: string, dseq: bigint, changed: Partial<LeaseSight> = {}): LeaseSight {
  const name = orderName(order(owner, dseq));
  return {
    name,
    lease: { ...order(owner, dseq), provider: 'akash1provider' },
    record: leaseRecord(owner, dseq),
    manifest: { group: groupOf(leaseServiceOf('web')), hash: 'cafe' },
    namespace: { name: `lease-${name}`, uid: `uid-lease-${name}` },
    market: { state: 'active' },
    pods: [],
    claims: [],
    ports: [],
    hostnames: [],
    addressNotes: [],
    devices: new Map(),
    ...changed,
  };
}
