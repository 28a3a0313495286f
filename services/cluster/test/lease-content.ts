import type { Expose, ManifestService } from '@quartermaster/api/lease-manifest';
import type { KubeObject, ResourceType } from '@quartermaster/kube';
import type { DesiredObject, LeaseContent, ObjectSettings } from '../src/objects/desired.ts';
import type { PlannedCards, PlannedUnit } from '../src/placement/plan.ts';
import { Gi } from './sample-facts.ts';

export const expose = (changed: Partial<Expose> = {}): Expose => ({
  port: 8080,
  externalPort: 80,
  protocol: 'TCP',
  service: '',
  global: true,
  hosts: [],
  ip: '',
  endpointNumber: 0,
  http: { maxBodySize: 1_048_576, readTimeout: 60_000, sendTimeout: 60_000, nextTries: 3, nextTimeout: 0, nextCases: ['error', 'timeout'] },
  ...changed,
});

type ServiceChange = Partial<Omit<ManifestService, 'resources'>> & { readonly resources?: Partial<ManifestService['resources']> };

export const service = ({ resources, ...changed }: ServiceChange = {}): ManifestService => ({
  name: 'web',
  image: 'nginx:1.29',
  command: [],
  args: [],
  env: [],
  count: 2,
  exposes: [expose()],
  mounts: [],
  permissions: [],
  resources: {
    id: 1,
    cpuMillis: 1500,
    memoryBytes: Gi,
    gpus: 0,
    gpuAttributes: [],
    volumes: [{ name: 'default', bytes: 5 * Gi, kind: 'ephemeral', class: '' }],
    ...resources,
  },
  ...changed,
});

/** What each replica of the service gets where nothing is sold twice. */
export function unitOf(
  { resources, count }: ManifestService,
  changed: Partial<PlannedUnit> & { readonly cards?: PlannedCards } = {},
): PlannedUnit {
  const { cards, ...rest } = changed;
  const bytes = (kind: string): number => resources.volumes.reduce((sum, each) => (each.kind === kind ? sum + each.bytes : sum), 0);
  return {
    id: resources.id,
    cpuMillis: resources.cpuMillis,
    memoryBytes: resources.memoryBytes + bytes('ram'),
    ephemeralBytes: bytes('ephemeral'),
    volumes: resources.volumes.flatMap((each) =>
      each.kind === 'persistent' ? [{ name: each.name, class: 'ceph-nvme', bytes: each.bytes }] : [],
    ),
    replicas: Array.from({ length: count }, (_, at) => ({ node: `node-${at}`, uid: `uid-${at}`, cards })),
    ...rest,
  };
}

export const settings: ObjectSettings = {
  hasNetworkPolicies: true,
  publicHostname: 'provider.example.com',
  pullSecret: '',
  gpuRuntimeClass: 'nvidia',
  sensitiveEnv: ['*PASSWORD*', '*SECRET*', '*TOKEN*', '*_KEY'],
  ingressControllers: ['ingress-nginx'],
  ingressNamespaces: [],
  addressPool: '',
};

/** A lease of these services, each with a plan of its own unit. */
export function leaseContent(services: readonly ManifestService[], changed: Partial<LeaseContent> = {}): LeaseContent {
  return {
    lease: { owner: 'alice', dseq: 7n, gseq: 1, oseq: 2, provider: 'acme' },
    namespace: 'lease-alice-7-1-2',
    group: { name: 'dcloud', services },
    plan: { units: services.map((each) => unitOf(each)), ports: 0, ips: 0 },
    salt: 'salt',
    settings,
    networks: { blocked: [] },
    apiServers: [{ address: '203.0.113.10', port: 6443 }],
    addresses: { taken: new Map(), given: new Set() },
    ...changed,
  };
}

/** The one object of a kind and name. */
export function named<T extends KubeObject>(objects: readonly DesiredObject[], type: ResourceType<T>, name: string): T {
  const found = objects.filter(({ type: each, object }) => each.plural === type.plural && object.metadata?.name === name);
  const [only] = found;
  if (only === undefined || found.length > 1) throw new Error(`there are ${found.length} ${type.plural} with the name ${name}`);
  return only.object as T;
}

export const namesOf = (objects: readonly DesiredObject[], { plural }: ResourceType): readonly string[] =>
  objects.flatMap(({ type, object }) => (type.plural === plural ? (object.metadata?.name ?? '') : []));
