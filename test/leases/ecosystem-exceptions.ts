import { expect } from 'vitest';
import { namespaceOf } from './crash-state.ts';
import type { Fields } from './ecosystem-facts.ts';
import { order } from './ecosystem-lease.ts';

/** In what our objects differ from those of the ecosystem, and why. */
interface Exception {
  readonly why: string;
  /** Which objects. */
  readonly of: RegExp;
  /** What the object is with us: another one of these fields, where undefined is none. */
  readonly change: (object: Fields) => Fields;
}

const namespace = namespaceOf(order);

/** Of the cluster of this lease. They are public, and none of them is next to another: each shows by itself. */
export const networks = {
  ofServer: '203.0.113.10',
  ofNode: '203.0.113.20',
  ofPods: '203.0.113.64/27',
  ofServices: '203.0.113.128/27',
};

type Path = readonly (string | number)[];

/** The same with another value at a place. */
function put(object: unknown, [first, ...rest]: Path, make: (before: unknown) => unknown): unknown {
  if (first === undefined) return make(object);
  if (Array.isArray(object)) return object.map((each: unknown, at) => (at === first ? put(each, rest, make) : each));
  const fields = (object ?? {}) as Fields;
  const { [String(first)]: before, ...others } = fields;
  const after = put(before, rest, make);
  return after === undefined ? others : { ...others, [String(first)]: after };
}

const set =
  (value: unknown, ...path: Path) =>
  (object: Fields): Fields =>
    put(object, path, () => value) as Fields;
const add =
  (value: Fields, ...path: Path) =>
  (object: Fields): Fields =>
    put(object, path, (before) => ({ ...(before as Fields), ...value })) as Fields;
const pod = ['spec', 'template', 'spec'] as const;
const container = [...pod, 'containers', 0] as const;
const terms = [
  ...pod,
  'affinity',
  'nodeAffinity',
  'requiredDuringSchedulingIgnoredDuringExecution',
  'nodeSelectorTerms',
  0,
  'matchExpressions',
] as const;
const lease = {
  'akash.network/lease.id.owner': 'alice',
  'akash.network/lease.id.dseq': '7',
  'akash.network/lease.id.gseq': '1',
  'akash.network/lease.id.oseq': '2',
  'akash.network/lease.id.provider': 'provider',
};
const both =
  (...changes: readonly Exception['change'][]): Exception['change'] =>
  (object) =>
    changes.reduce((before, change) => change(before), object);
const withVariables =
  (...variables: readonly Fields[]): Exception['change'] =>
  (object) =>
    put(object, [...container, 'env'], (before) => [...(before as readonly unknown[]), ...variables]) as Fields;
export const fieldAt = (object: unknown, path: Path): unknown =>
  path.reduce<unknown>((found, field) => (found as Fields | undefined)?.[field], object);

export const exceptions: readonly Exception[] = [
  {
    why: 'no version of the Manifest in labels: it would restart everything with any change of it',
    of: /^(Namespace|NetworkPolicy|ServiceAccount|Role|RoleBinding|Secret|StatefulSet|Deployment|Service (db|web|web-np)$)/,
    change: (object) => {
      const path: Path = ['metadata', 'labels', 'akash.network/manifest.resource.version'];
      const inTemplate: Path = ['spec', 'template', ...path];
      const without = set(undefined, ...path)(object);
      return fieldAt(object, inTemplate) === undefined ? without : set(undefined, ...inTemplate)(without);
    },
  },
  {
    why: 'everything carries the labels of its lease, pods too: by these the inventory knows them',
    of: /^(NetworkPolicy|Secret|StatefulSet|Deployment|Service (db|web|web-np)$)/,
    change: (object) => {
      const labelled = add(lease, 'metadata', 'labels')(object);
      return fieldAt(object, ['spec', 'template']) === undefined
        ? labelled
        : add(lease, 'spec', 'template', 'metadata', 'labels')(labelled);
    },
  },
  {
    why: 'accounts and rights name their service',
    of: /^(ServiceAccount|Role|RoleBinding)/,
    change: add({ 'akash.network/manifest-service': 'web' }, 'metadata', 'labels'),
  },
  {
    why: 'Pod Security bounds what a tenant may run',
    of: /^Namespace/,
    change: add(
      Object.fromEntries(
        ['enforce', 'warn', 'audit'].flatMap((mode) => [
          [`pod-security.kubernetes.io/${mode}`, 'baseline'],
          [`pod-security.kubernetes.io/${mode}-version`, 'latest'],
        ]),
      ),
      ...['metadata', 'labels'],
    ),
  },
  {
    why: 'no service-target on plain Services: what is stale is known by what was applied',
    of: /^Service (db|web|web-np)$/,
    change: set(undefined, 'metadata', 'labels', 'akash.network/service-target'),
  },
  {
    why: 'a Service of an address names its service and selects pods of its own lease',
    of: /^Service web-ip/,
    change: both(
      add({ 'akash.network/manifest-service': 'web' }, 'metadata', 'labels'),
      add({ 'akash.network/namespace': namespace }, 'spec', 'selector'),
    ),
  },
  {
    why: 'a port of an address takes no port of the nodes',
    of: /^Service web-ip/,
    change: set(false, 'spec', 'allocateLoadBalancerNodePorts'),
  },
  {
    why: 'two leases never share an address: the key has the lease in it, and newer releases of MetalLB read another prefix as well',
    of: /^Service web-ip/,
    change: add(
      { 'metallb.universe.tf/allow-shared-ip': `${namespace}-ip-front`, 'metallb.io/allow-shared-ip': `${namespace}-ip-front` },
      'metadata',
      'annotations',
    ),
  },
  { why: 'the same for its declaration', of: /^ProviderLeasedIP/, change: set(`${namespace}-ip-front`, 'spec', 'sharing_key') },
  {
    why: 'the password is in a Secret, and the Manifest has a reference to it',
    of: /^Manifest/,
    change: both(
      set(undefined, 'spec', 'group', 'services', 2, 'credentials', 'password'),
      set(expect.any(String), 'spec', 'group', 'services', 2, 'credentials', 'password_key'),
    ),
  },
  {
    why: 'capabilities are labels that are there or not',
    of: /^(StatefulSet|Deployment ml)/,
    change: (object) => put(object, [...terms, 1], (before) => ({ key: (before as Fields)['key'], operator: 'Exists' })) as Fields,
  },
  {
    why: 'a pod waits for its place',
    of: /^(StatefulSet|Deployment)/,
    change: set([{ name: 'quartermaster.dev/placement' }], ...pod, 'schedulingGates'),
  },
  {
    why: 'seccomp of the runtime',
    of: /^(StatefulSet|Deployment)/,
    change: add({ seccompProfile: { type: 'RuntimeDefault' } }, ...pod, 'securityContext'),
  },
  {
    why: 'every service has an account of its own',
    of: /^(StatefulSet db|Deployment ml)/,
    change: (object) =>
      set(/db/.test(JSON.stringify(fieldAt(object, [...container, 'name']))) ? 'db' : 'ml', ...pod, 'serviceAccountName')(object),
  },
  { why: 'no variables of other Services', of: /^(StatefulSet|Deployment)/, change: set(false, ...pod, 'enableServiceLinks') },
  { why: 'a container is ready for a while before it counts', of: /^(StatefulSet|Deployment)/, change: set(10, 'spec', 'minReadySeconds') },
  {
    why: 'the end of a log tells why a container ended',
    of: /^(StatefulSet|Deployment)/,
    change: set('FallbackToLogsOnError', ...container, 'terminationMessagePolicy'),
  },
  {
    why: 'ports say their protocol',
    of: /^(StatefulSet|Deployment web)/,
    change: (object) =>
      put(object, [...container, 'ports'], (before) =>
        (before as readonly Fields[]).map((each) => ({ ...each, protocol: each['containerPort'] === 53 ? 'UDP' : 'TCP' })),
      ) as Fields,
  },
  {
    why: 'a name for the set, and volumes that outlive it until their loss was confirmed; servers differ in whether they store maxUnavailable',
    of: /^StatefulSet/,
    change: both(
      set('db', 'spec', 'serviceName'),
      set({ whenDeleted: 'Retain', whenScaled: 'Retain' }, 'spec', 'persistentVolumeClaimRetentionPolicy'),
      set({ partition: 0 }, 'spec', 'updateStrategy', 'rollingUpdate'),
    ),
  },
  {
    why: 'variables are in ConfigMaps and Secrets',
    of: /^Deployment web/,
    change: set({ name: 'GREETING', valueFrom: { configMapKeyRef: { name: 'web-env', key: 'GREETING' } } }, ...container, 'env', 0),
  },
  {
    why: 'the cards of others are hidden from services that ordered none',
    of: /^(StatefulSet db|Deployment web)/,
    change: withVariables({ name: 'NVIDIA_VISIBLE_DEVICES', value: 'void' }),
  },
  {
    why: 'no tenant and no image opens fabrics, divides cards or names cards of another vendor',
    of: /^(StatefulSet|Deployment)/,
    change: withVariables(
      ...['NVIDIA_GDS', 'NVIDIA_MOFED', 'NVIDIA_NVSWITCH', 'NVIDIA_GDRCOPY'].map((name) => ({ name, value: 'disabled' })),
      ...['NVIDIA_IMEX_CHANNELS', 'NVIDIA_MIG_CONFIG_DEVICES', 'NVIDIA_MIG_MONITOR_DEVICES'].map((name) => ({ name })),
      { name: 'AMD_VISIBLE_DEVICES', value: 'none' },
    ),
  },
  {
    why: 'no container sends packets in the name of others',
    of: /^(StatefulSet|Deployment)/,
    change: set({ drop: ['NET_RAW'] }, ...container, 'securityContext', 'capabilities'),
  },
  {
    why: 'the scheduler sees RAM volumes in the request of memory',
    of: /^Deployment web/,
    change: set('1280Mi', ...container, 'resources', 'requests', 'memory'),
  },
  {
    why: 'a lease is reached by its namespace’s own name, which nobody can label',
    of: /^NetworkPolicy akash-deployment/,
    change: both(
      set(namespace, 'spec', 'ingress', 0, 'from', 0, 'namespaceSelector', 'matchLabels', 'kubernetes.io/metadata.name'),
      set(namespace, 'spec', 'egress', 0, 'to', 0, 'namespaceSelector', 'matchLabels', 'kubernetes.io/metadata.name'),
    ),
  },
  {
    why: 'no tenant reaches what is no part of the internet (metadata of clouds, carrier-grade NAT, the machine itself, multicast), or of the cluster',
    of: /^NetworkPolicy akash-deployment/,
    change: set(
      [
        ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '168.63.129.16/32', '169.254.0.0/16', '172.16.0.0/12'],
        ...['192.0.0.0/24', '192.168.0.0/16', '198.18.0.0/15', networks.ofServer, networks.ofNode, networks.ofPods, networks.ofServices],
        '224.0.0.0/3',
      ].map((network) => (network.includes('/') ? network : `${network}/32`)),
      ...['spec', 'egress', 2, 'to', 0, 'ipBlock', 'except'],
    ),
  },
  {
    why: 'the internet by IPv6, too',
    of: /^NetworkPolicy akash-deployment/,
    change: (object) => {
      const except = [
        ...['::/64', '64:ff9b::/96', '64:ff9b:1::/48', '100::/64', '2001::/32', '2002::/16'],
        ...['fc00::/7', 'fe80::/9', 'ff00::/8'],
      ];
      const internet = { to: [{ ipBlock: { cidr: '::/0', except } }] };
      return put(object, ['spec', 'egress'], (before) => [...(before as readonly unknown[]), internet]) as Fields;
    },
  },
  {
    why: 'by IPv6, too',
    of: /^NetworkPolicy akash-web-ip/,
    change: set([{ ipBlock: { cidr: '0.0.0.0/0' } }, { ipBlock: { cidr: '::/0' } }], 'spec', 'ingress', 0, 'from'),
  },
  {
    why: 'in order, a replica that cannot start would keep a corrected template from itself for ever',
    of: /^StatefulSet /,
    change: set('Parallel', 'spec', 'podManagementPolicy'),
  },
  {
    why: 'StatefulSets are workloads as well, and events have a group of their own',
    of: /^Role web/,
    change: both(set(['deployments', 'statefulsets'], 'rules', 2, 'resources'), set(['', 'events.k8s.io'], 'rules', 3, 'apiGroups')),
  },
  {
    why: 'an account has no token unless its pod asks for one',
    of: /^ServiceAccount web/,
    change: set(false, 'automountServiceAccountToken'),
  },
];

/** By which names ours are found, where they are others. */
export const renamed: Readonly<Record<string, RegExp>> = {
  // Two endpoints may have the same port.
  'Service web-ip-53-udp': /^Service web-ip-[\da-f]{10}-53-udp$/,
  'ProviderLeasedIP alice-ip-front-udp-53': new RegExp(`^ProviderLeasedIP ${namespace}-ip-front-udp-53$`),
};

/** What the ecosystem does not have. */
export const ownObjects: readonly string[] = [
  // What is reserved bounds what there can be.
  'ResourceQuota akash-reservation',
  // Variables; those that are sensitive, and the password, are in Secrets.
  'ConfigMap web-env',
  'Secret of the manifest',
  'ServiceAccount db',
  'ServiceAccount ml',
  'TenantLease alice-7-1-2',
  'HostnameClaim of www.example.com',
];
