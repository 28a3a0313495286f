import { readManifest } from '@quartermaster/api/lease-manifest';
import { type Manifest, manifestType } from '@quartermaster/api/manifest';
import { type ProviderHost, providerHostType } from '@quartermaster/api/provider-host';
import { tenantManifest } from '@quartermaster/cluster/testing';
import { type KubeObject, kinds, type ResourceType } from '@quartermaster/kube';
import type { Deployment, Namespace, NetworkPolicy, Secret, Service } from '@quartermaster/kube/shapes';
import { wishOf } from './sample-lease.ts';

/** An object that is to be there. */
export interface Wanted<T extends KubeObject = KubeObject> {
  readonly type: ResourceType<T>;
  readonly object: T;
}

/** What one manager keeps of its lease in memory. */
export interface PolledLease {
  readonly namespace: string;
  readonly services: readonly { readonly name: string; readonly count: number }[];
  /** In the order in which they are written: the manifest and the namespace, then policies. */
  readonly before: readonly Wanted[];
  /** After what is stale was deleted: credentials, workload, Services. */
  readonly workload: readonly Wanted[];
  readonly hosts: readonly Wanted[];
}

const manifestNamespace = 'lease';
const provider = 'provider';
const internal = ['10.0.0.0/8', '192.168.0.0/16', '172.16.0.0/12'];

const wanted = <T extends KubeObject>(type: ResourceType<T>, object: T): Wanted => ({ type, object });

/** The objects of one lease, as many and about as large as ours are where both have them. */
export function polledLease(index: number): PolledLease {
  const wish = wishOf(index);
  const { owner, dseq, gseq, oseq } = wish.order;
  const namespace = `polled-${owner}-${dseq}-${gseq}-${oseq}`;
  const [group] = readManifest(tenantManifest(wish).json);
  const [web] = group?.services ?? [];
  if (web === undefined) throw new Error('the manifest has no service');
  const labels = {
    'akash.network': 'true',
    'akash.network/namespace': namespace,
    'akash.network/lease.id.owner': owner,
    'akash.network/lease.id.dseq': String(dseq),
    'akash.network/lease.id.gseq': String(gseq),
    'akash.network/lease.id.oseq': String(oseq),
    'akash.network/lease.id.provider': provider,
  };
  const selector = { 'akash.network': 'true', 'akash.network/manifest-service': web.name, 'akash.network/namespace': namespace };
  const meta = (name: string) => ({ namespace, name, labels: { ...labels, ...selector, 'akash.network/service-target': 'true' } });
  const manifest: Manifest = {
    metadata: { namespace: manifestNamespace, name: namespace, labels },
    spec: {
      lease_id: { owner, dseq: String(dseq), gseq, oseq, provider },
      group: {
        name: group?.name,
        services: [
          {
            ...{ name: web.name, image: web.image, env: web.env.map(({ name, value }) => `${name}=${value}`), count: web.count },
            resources: { id: 1, cpu: { units: web.resources.cpuMillis }, memory: { size: String(web.resources.memoryBytes) } },
            expose: web.exposes.map(({ port, externalPort, hosts }) => ({
              port,
              external_port: externalPort,
              proto: 'TCP',
              global: true,
              hosts,
            })),
          },
        ],
      },
    },
  };
  const place: Namespace = { metadata: { name: namespace, labels } };
  const restrictions: NetworkPolicy = {
    metadata: meta('akash-deployment-restrictions'),
    spec: {
      podSelector: {},
      policyTypes: ['Ingress', 'Egress'],
      ingress: [{ from: [{ namespaceSelector: { matchLabels: { 'akash.network/namespace': namespace } } }] }],
      egress: [{ to: [{ ipBlock: { cidr: '0.0.0.0/0', except: internal } }] }],
    },
  };
  const ports: NetworkPolicy = {
    metadata: meta(`akash-${web.name}-np`),
    spec: { podSelector: { matchLabels: selector }, policyTypes: ['Ingress'], ingress: [{ ports: [{ port: 7000, protocol: 'TCP' }] }] },
  };
  const credentials: Secret = {
    metadata: meta(`docker-creds-${web.name}`),
    type: 'kubernetes.io/dockerconfigjson',
    data: { '.dockerconfigjson': Buffer.from(JSON.stringify({ auths: {} })).toString('base64') },
  };
  const amounts = { cpu: `${web.resources.cpuMillis}m`, memory: String(web.resources.memoryBytes) };
  const deployment: Deployment = {
    metadata: meta(web.name),
    spec: {
      replicas: web.count,
      selector: { matchLabels: selector },
      template: {
        metadata: { labels: { ...labels, ...selector } },
        spec: {
          automountServiceAccountToken: false,
          imagePullSecrets: [{ name: `docker-creds-${web.name}` }],
          containers: [
            {
              ...{ name: web.name, image: web.image },
              env: web.env.map(({ name, value }) => ({ name, value })),
              resources: { requests: amounts, limits: amounts },
              ports: web.exposes.map(({ port }) => ({ containerPort: port })),
            },
          ],
        },
      },
    },
  };
  const service = (name: string, type: string, port: number): Service => ({
    metadata: meta(name),
    spec: { type, selector, ports: [{ name: `0-${port}`, port, targetPort: port, protocol: 'TCP' }] },
  });
  const hosts = wish.hosts.map(
    (hostname): ProviderHost => ({
      metadata: { namespace: manifestNamespace, name: hostname, labels },
      spec: { hostname, owner, provider, dseq: Number(dseq), gseq, oseq, service_name: web.name, external_port: 80 },
    }),
  );
  return {
    namespace,
    services: [{ name: web.name, count: web.count }],
    before: [
      wanted(manifestType, manifest),
      wanted(kinds.namespaces, place),
      wanted(kinds.networkPolicies, restrictions),
      wanted(kinds.networkPolicies, ports),
    ],
    workload: [
      wanted(kinds.secrets, credentials),
      wanted(kinds.deployments, deployment),
      wanted(kinds.services, service(web.name, 'ClusterIP', 80)),
      wanted(kinds.services, service(`${web.name}-np`, 'NodePort', 7000)),
    ],
    hosts: hosts.map((host) => wanted(providerHostType, host)),
  };
}
