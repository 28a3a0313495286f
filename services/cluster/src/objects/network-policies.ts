import { isIP } from 'node:net';
import type { ManifestService } from '@quartermaster/api/lease-manifest';
import { kinds } from '@quartermaster/kube';
import type { IPBlock, NetworkPolicy, NetworkPolicyPeer, NetworkPolicyPort, NetworkPolicySpec } from '@quartermaster/kube/shapes';
import { namespaceLabel } from '../model/lease-labels.ts';
import { aggregated, cidrText, parseCidr } from '../networks/cidr.ts';
import type { ClusterNetworks } from '../networks/cluster-networks.ts';
import { standingNetworks } from '../networks/standing-networks.ts';
import type { DesiredObject, LeaseContent } from './desired.ts';
import { desiredObject } from './desired-object.ts';
import { leasedPorts } from './leased-ips.ts';
import { objectMeta, selectorLabels } from './object-labels.ts';
import { apiServerPolicyName, portPolicyName } from './object-names.ts';
import { isNodePort } from './service-objects.ts';

/*
 * Policies add up: one that holds for all pods of the lease allows what all may do and denies the rest; each of the others allows one thing more to one service.
 */

const namespaceName = 'kubernetes.io/metadata.name';

/** None where the provider has switched them off. */
export function networkPolicies(content: LeaseContent): readonly DesiredObject<NetworkPolicy>[] {
  if (!content.settings.hasNetworkPolicies) return [];
  const restrictions: NetworkPolicySpec = {
    podSelector: {},
    policyTypes: ['Ingress', 'Egress'],
    ingress: [{ from: [ownNamespace(content), ...routes(content)] }],
    egress: [
      { to: [ownNamespace(content)] },
      { to: [dns], ports: dnsPorts },
      ...internet(content.networks).map((ipBlock) => ({ to: [{ ipBlock }] })),
    ],
  };
  return [
    desiredObject(kinds.networkPolicies, { metadata: objectMeta(content, 'akash-deployment-restrictions'), spec: restrictions }),
    ...content.group.services.flatMap((service) => servicePolicies(content, service)),
  ];
}

function servicePolicies(content: LeaseContent, service: ManifestService): readonly DesiredObject<NetworkPolicy>[] {
  const make = (name: string, spec: Omit<NetworkPolicySpec, 'podSelector'>): DesiredObject<NetworkPolicy> =>
    desiredObject(kinds.networkPolicies, {
      metadata: objectMeta(content, name, service.name),
      spec: { podSelector: { matchLabels: selectorLabels(content, service.name) }, ...spec },
    });
  const nodePorts = portsOf(service.exposes.filter(isNodePort));
  const addressPorts = portsOf(leasedPorts(service).map(({ expose }) => expose));
  const anywhere = ['0.0.0.0/0', '::/0'].map((cidr) => ({ ipBlock: { cidr } }));
  const servers = service.permissions.length > 0 ? content.apiServers : [];
  const reached = servers.map(({ address, port }) => ({
    to: [{ ipBlock: { cidr: `${address}/${isIP(address) === 6 ? 128 : 32}` } }],
    ports: [{ port, protocol: 'TCP' }],
  }));
  return [
    ...(nodePorts.length > 0
      ? [make(portPolicyName(service.name, 'np'), { policyTypes: ['Ingress'], ingress: [{ ports: nodePorts }] })]
      : []),
    ...(addressPorts.length > 0
      ? [make(portPolicyName(service.name, 'ip'), { policyTypes: ['Ingress'], ingress: [{ from: anywhere, ports: addressPorts }] })]
      : []),
    ...(reached.length > 0 ? [make(apiServerPolicyName(service.name), { policyTypes: ['Egress'], egress: reached })] : []),
  ];
}

/** By its label, as the ecosystem has it, and by its name, which nobody can give to another namespace. */
const ownNamespace = ({ namespace }: LeaseContent): NetworkPolicyPeer => ({
  namespaceSelector: { matchLabels: { [namespaceLabel]: namespace, [namespaceName]: namespace } },
});

/** Where the requests of routes come from. */
function routes({ settings }: LeaseContent): readonly NetworkPolicyPeer[] {
  const controllers = settings.ingressControllers.map((name) => {
    const selector = { matchLabels: { 'app.kubernetes.io/name': name } };
    return { namespaceSelector: selector, podSelector: selector };
  });
  const gateways = settings.ingressNamespaces.map((name) => ({ namespaceSelector: { matchLabels: { [namespaceName]: name } } }));
  return [...controllers, ...gateways];
}

const dns: NetworkPolicyPeer = {
  namespaceSelector: { matchLabels: { [namespaceName]: 'kube-system' } },
  podSelector: { matchLabels: { 'k8s-app': 'kube-dns' } },
};

const dnsPorts: readonly NetworkPolicyPort[] = ['UDP', 'TCP'].map((protocol) => ({ port: 53, protocol }));

function portsOf(exposes: readonly { readonly port: number; readonly protocol: string }[]): readonly NetworkPolicyPort[] {
  return [...new Map(exposes.map(({ port, protocol }) => [`${port}/${protocol}`, { port, protocol }])).values()];
}

/** Made once of the networks of the cluster: all leases have the same. */
const internets = new WeakMap<ClusterNetworks, readonly IPBlock[]>();

/** Everything but what no tenant reaches. What is excepted must be a part of the rest: where nothing is left of a family, it has no rule. */
function internet(networks: ClusterNetworks): readonly IPBlock[] {
  let blocks = internets.get(networks);
  if (blocks === undefined) {
    const blocked = aggregated([...standingNetworks, ...networks.blocked.flatMap((text) => parseCidr(text) ?? [])]);
    const families = [4, 6] as const;
    blocks = families.flatMap((family) => {
      const except = blocked.filter((each) => each.family === family);
      return except.some(({ prefix }) => prefix === 0) ? [] : [{ cidr: family === 4 ? '0.0.0.0/0' : '::/0', except: except.map(cidrText) }];
    });
    internets.set(networks, blocks);
  }
  return blocks;
}
