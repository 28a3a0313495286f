import { expect } from 'vitest';
import { namespaceOf } from './crash-state.ts';
import { order } from './ecosystem-lease.ts';

export type Fields = Readonly<Record<string, unknown>>;

const namespace = namespaceOf(order);
const base = { 'akash.network': 'true', 'akash.network/namespace': namespace };
const versioned = { ...base, 'akash.network/manifest.resource.version': 'VERSION' };
const provider = 'provider';
const lease = {
  'akash.network/lease.id.owner': 'alice',
  'akash.network/lease.id.dseq': '7',
  'akash.network/lease.id.gseq': '1',
  'akash.network/lease.id.oseq': '2',
  'akash.network/lease.id.provider': provider,
};
const leaseId = { owner: 'alice', dseq: '7', gseq: 1, oseq: 2, provider };
const selector = (service: string) => ({ ...base, 'akash.network/manifest-service': service });
const labels = (service: string) => ({ ...versioned, 'akash.network/manifest-service': service });
const ports = (...all: readonly (readonly [name: string, port: number, targetPort: number, protocol: string])[]) =>
  all.map(([name, port, targetPort, protocol]) => ({ name, port, targetPort, protocol }));
const isAkash = { key: 'akash.network', operator: 'In', values: ['true'] };
const has = (what: string) => ({ key: `akash.network/capabilities.${what}`, operator: 'Gt', values: ['0'] });
const read = ['get', 'list', 'watch'];
const here = { namespaceSelector: { matchLabels: { 'akash.network/namespace': namespace } } };

interface PodFacts {
  readonly image: string;
  readonly resources: Fields;
  readonly affinity: readonly object[];
  readonly container?: Fields;
  readonly pod?: Fields;
}

const template = (name: string, { image, resources, affinity, container = {}, pod = {} }: PodFacts) => ({
  metadata: { labels: labels(name) },
  spec: {
    securityContext: { runAsNonRoot: false },
    automountServiceAccountToken: false,
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [isAkash, ...affinity] }] },
      },
    },
    containers: [
      {
        name,
        image,
        imagePullPolicy: 'IfNotPresent',
        securityContext: { privileged: false, allowPrivilegeEscalation: false, runAsNonRoot: false },
        env: [
          ...((container['env'] ?? []) as readonly object[]),
          { name: 'AKASH_GROUP_SEQUENCE', value: '1' },
          { name: 'AKASH_DEPLOYMENT_SEQUENCE', value: '7' },
          { name: 'AKASH_ORDER_SEQUENCE', value: '2' },
          { name: 'AKASH_OWNER', value: 'alice' },
          { name: 'AKASH_PROVIDER', value: provider },
          { name: 'AKASH_CLUSTER_PUBLIC_HOSTNAME' },
        ],
        resources: { requests: resources, limits: resources },
        ...Object.fromEntries(Object.entries(container).filter(([field]) => field !== 'env')),
      },
    ],
    ...pod,
  },
});
const plain = { cpu: '500m', memory: '1Gi', 'ephemeral-storage': '1Gi' };
const deployment = (name: string, replicas: number, pod: PodFacts) => ({
  metadata: { labels: labels(name) },
  spec: {
    replicas,
    revisionHistoryLimit: 10,
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
    selector: { matchLabels: selector(name) },
    template: template(name, pod),
  },
});
const account = { metadata: { labels: { ...versioned, ...lease } } };

/** What an Akash provider writes for the lease of ecosystem-lease.ts, object by object, as the ecosystem knows it. */
export const facts: Readonly<Record<string, Fields>> = {
  [`Namespace ${namespace}`]: { metadata: { labels: { ...versioned, ...lease } } },
  [`Manifest ${namespace}`]: {
    metadata: { labels: { ...base, ...lease } },
    spec: {
      lease_id: leaseId,
      group: {
        name: 'eu',
        services: [
          { name: 'db', image: 'postgres:18', count: 1, params: { storage: [{ name: 'data', mount: '/var/lib/data', readOnly: false }] } },
          { name: 'ml', command: ['train'], args: ['--fast'], resources: { id: 2, gpu: { units: 1 } } },
          {
            name: 'web',
            env: ['GREETING=hello'],
            resources: {
              ...{ id: 3, cpu: { units: 500 }, memory: { size: '1073741824' } },
              storage: [
                { name: 'default', size: '1073741824' },
                { name: 'shm', size: '268435456' },
              ],
            },
            expose: [
              {
                port: 8080,
                external_port: 80,
                proto: 'TCP',
                global: true,
                hosts: ['www.example.com'],
                http_options: { max_body_size: 1048576 },
              },
              { port: 2222, external_port: 22, proto: 'TCP', global: true, hosts: [] },
              { port: 53, external_port: 53, proto: 'UDP', global: true, ip: 'front', endpoint_sequence_number: 1 },
            ],
            params: { permissions: { read: ['logs', 'events'] } },
            credentials: { host: 'registry.example', email: 'robot@example.com', username: 'robot', password: 'pass' },
          },
        ],
      },
    },
  },
  'ProviderHost www.example.com': {
    metadata: {
      labels: { ...base, ...lease },
      annotations: { 'akash.network/lease.updated_at': expect.stringMatching(/^[\d-]{10}T[\d:.]+Z$/) },
    },
    spec: { hostname: 'www.example.com', owner: 'alice', provider, dseq: 7, gseq: 1, oseq: 2, service_name: 'web', external_port: 80 },
  },
  'ProviderLeasedIP alice-ip-front-udp-53': {
    metadata: { labels: { ...base, ...lease, 'service-name': 'web', 'external-port': '53', proto: 'UDP' } },
    spec: { lease_id: leaseId, service_name: 'web', port: 53, external_port: 53, protocol: 'UDP', sharing_key: 'alice-ip-front' },
  },
  'NetworkPolicy akash-deployment-restrictions': {
    metadata: { labels: versioned },
    spec: {
      podSelector: {},
      policyTypes: ['Ingress', 'Egress'],
      ingress: [
        {
          from: [
            here,
            {
              namespaceSelector: { matchLabels: { 'app.kubernetes.io/name': 'ingress-nginx' } },
              podSelector: { matchLabels: { 'app.kubernetes.io/name': 'ingress-nginx' } },
            },
          ],
        },
      ],
      egress: [
        { to: [here] },
        {
          to: [
            {
              namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kube-system' } },
              podSelector: { matchLabels: { 'k8s-app': 'kube-dns' } },
            },
          ],
          ports: [
            { port: 53, protocol: 'UDP' },
            { port: 53, protocol: 'TCP' },
          ],
        },
        { to: [{ ipBlock: { cidr: '0.0.0.0/0', except: ['10.0.0.0/8', '192.168.0.0/16', '172.16.0.0/12'] } }] },
      ],
    },
  },
  'NetworkPolicy akash-web-np': {
    metadata: { labels: labels('web') },
    spec: {
      podSelector: { matchLabels: selector('web') },
      policyTypes: ['Ingress'],
      ingress: [{ ports: [{ port: 2222, protocol: 'TCP' }] }],
    },
  },
  'NetworkPolicy akash-web-ip': {
    metadata: { labels: labels('web') },
    spec: {
      podSelector: { matchLabels: selector('web') },
      policyTypes: ['Ingress'],
      ingress: [{ from: [{ ipBlock: { cidr: '0.0.0.0/0' } }], ports: [{ port: 53, protocol: 'UDP' }] }],
    },
  },
  'NetworkPolicy akash-apiserver-web': {
    metadata: { labels: labels('web') },
    spec: {
      podSelector: { matchLabels: selector('web') },
      policyTypes: ['Egress'],
      egress: [
        {
          to: [{ ipBlock: { cidr: expect.stringMatching(/^[\d.]+\/32$/) } }],
          ports: [{ port: expect.any(Number), protocol: 'TCP' }],
        },
      ],
    },
  },
  'ServiceAccount web': account,
  'Role web': {
    metadata: { labels: { ...versioned, ...lease } },
    rules: [
      { apiGroups: [''], resources: ['pods'], verbs: read },
      { apiGroups: [''], resources: ['pods/log'], verbs: ['get'] },
      { apiGroups: ['apps'], resources: ['deployments'], verbs: read },
      { apiGroups: [''], resources: ['events'], verbs: read },
    ],
  },
  'RoleBinding web': {
    metadata: { labels: { ...versioned, ...lease } },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'web' },
    subjects: [{ kind: 'ServiceAccount', name: 'web', namespace }],
  },
  'Secret docker-creds-web': {
    metadata: { labels: labels('web') },
    type: 'kubernetes.io/dockerconfigjson',
    data: {
      '.dockerconfigjson': Buffer.from(
        JSON.stringify({
          auths: { 'registry.example': { username: 'robot', password: 'pass', email: 'robot@example.com', auth: 'cm9ib3Q6cGFzcw==' } },
        }),
      ).toString('base64'),
    },
  },
  'StatefulSet db': {
    metadata: { labels: labels('db') },
    spec: {
      replicas: 1,
      revisionHistoryLimit: 1,
      podManagementPolicy: 'OrderedReady',
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0, maxUnavailable: 1 } },
      selector: { matchLabels: selector('db') },
      template: template('db', {
        ...{ image: 'postgres:18', resources: plain, affinity: [has('storage.class.beta3')] },
        container: { ports: [{ containerPort: 5432 }], volumeMounts: [{ name: 'db-data', mountPath: '/var/lib/data' }] },
      }),
      volumeClaimTemplates: [
        {
          metadata: { name: 'db-data' },
          spec: {
            ...{ accessModes: ['ReadWriteOnce'], volumeMode: 'Filesystem', storageClassName: 'beta3' },
            resources: { requests: { storage: '2Gi' } },
          },
        },
      ],
    },
  },
  'Deployment ml': deployment('ml', 1, {
    ...{ image: 'trainer:1', resources: { ...plain, 'nvidia.com/gpu': '1' }, affinity: [has('gpu.vendor.nvidia.model.a100')] },
    container: { command: ['train'], args: ['--fast'] },
  }),
  'Deployment web': deployment('web', 2, {
    ...{ image: 'registry.example/web:1', resources: plain, affinity: [] },
    container: {
      env: [{ name: 'GREETING', value: 'hello' }],
      ports: [{ containerPort: 8080 }, { containerPort: 2222 }, { containerPort: 53 }],
      volumeMounts: [{ name: 'web-shm', mountPath: '/dev/shm' }],
      resources: { requests: plain, limits: { ...plain, memory: '1280Mi' } },
    },
    pod: {
      automountServiceAccountToken: true,
      serviceAccountName: 'web',
      imagePullSecrets: [{ name: 'docker-creds-web' }],
      volumes: [{ name: 'web-shm', emptyDir: { medium: 'Memory', sizeLimit: '256Mi' } }],
    },
  }),
  'Service db': {
    metadata: { labels: { ...labels('db'), 'akash.network/service-target': 'true' } },
    spec: { type: 'ClusterIP', selector: selector('db'), ports: ports(['0-5432', 5432, 5432, 'TCP']) },
  },
  'Service web': {
    metadata: { labels: { ...labels('web'), 'akash.network/service-target': 'true' } },
    spec: { type: 'ClusterIP', selector: selector('web'), ports: ports(['0-80', 80, 8080, 'TCP']) },
  },
  'Service web-np': {
    metadata: { labels: { ...labels('web'), 'akash.network/service-target': 'true' } },
    spec: { type: 'NodePort', selector: selector('web'), ports: ports(['1-22', 22, 2222, 'TCP']) },
  },
  'Service web-ip-53-udp': {
    metadata: {
      labels: { ...base, ...lease, 'akash.network/service-target': 'metal-lb' },
      annotations: { 'metallb.universe.tf/allow-shared-ip': 'alice-ip-front' },
    },
    spec: {
      type: 'LoadBalancer',
      selector: { 'akash.network': 'true', 'akash.network/manifest-service': 'web' },
      ports: ports(['2-53', 53, 53, 'UDP']),
    },
  },
};
