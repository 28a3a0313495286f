/** Which pods may reach which ports by the network policies of a cluster, as the API defines it. Pure; ingress alone. */
import { BlockList, isIPv6 } from 'node:net';
import type { LabelSelector, NetworkPolicy, NetworkPolicyPeer, NetworkPolicyPort } from '@quartermaster/kube/shapes';

type Labels = Readonly<Record<string, string>>;

export interface NetworkPod {
  readonly namespace: string;
  readonly labels: Labels;
  readonly address: string;
  /** Name of a port -> its number. */
  readonly ports: Readonly<Record<string, number>>;
}

export interface Network {
  readonly policies: readonly NetworkPolicy[];
  /** Namespace -> its labels. */
  readonly namespaces: ReadonlyMap<string, Labels>;
}

export interface Connection {
  readonly from: NetworkPod;
  readonly to: NetworkPod;
  /** TCP. */
  readonly port: number;
}

/** A pod that no policy selects is open to all; any other one to those alone whom one of its policies lets in. */
export function isAdmitted({ policies, namespaces }: Network, { from, to, port }: Connection): boolean {
  const own = policies.filter(
    ({ metadata, spec }) =>
      metadata?.namespace === to.namespace &&
      (spec?.policyTypes ?? ['Ingress']).includes('Ingress') &&
      selects(spec?.podSelector ?? {}, to.labels),
  );
  if (own.length === 0) return true;
  return own.some(({ metadata, spec }) =>
    spec?.ingress?.some(
      ({ from: peers = [], ports = [] }) =>
        (peers.length === 0 || peers.some((peer) => isPeer(peer, from, metadata?.namespace ?? '', namespaces))) &&
        (ports.length === 0 || ports.some((each) => isPort(each, to, port))),
    ),
  );
}

function isPeer(peer: NetworkPolicyPeer, from: NetworkPod, home: string, namespaces: Network['namespaces']): boolean {
  const { ipBlock, namespaceSelector, podSelector } = peer;
  if (ipBlock !== undefined) {
    return isWithin(ipBlock.cidr, from.address) && !(ipBlock.except ?? []).some((range) => isWithin(range, from.address));
  }
  const isNear =
    namespaceSelector === undefined ? from.namespace === home : selects(namespaceSelector, namespaces.get(from.namespace) ?? {});
  return isNear && (podSelector === undefined || selects(podSelector, from.labels));
}

function isPort({ protocol = 'TCP', port, endPort }: NetworkPolicyPort, to: NetworkPod, asked: number): boolean {
  if (protocol !== 'TCP') return false;
  if (port === undefined) return true;
  const first = typeof port === 'number' ? port : to.ports[port];
  return first !== undefined && asked >= first && asked <= (endPort ?? first);
}

function selects({ matchLabels = {}, matchExpressions = [] }: LabelSelector, labels: Labels): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const value = labels[key];
      switch (operator) {
        case 'In':
          return value !== undefined && values.includes(value);
        case 'NotIn':
          return value === undefined || !values.includes(value);
        case 'Exists':
          return value !== undefined;
        case 'DoesNotExist':
          return value === undefined;
        default:
          throw new Error(`no such operator of a selector: ${operator}`);
      }
    })
  );
}

function isWithin(range: string, address: string): boolean {
  const [network = '', bits = ''] = range.split('/');
  const family = isIPv6(network) ? 'ipv6' : 'ipv4';
  if (isIPv6(address) !== (family === 'ipv6')) return false;
  const list = new BlockList();
  list.addSubnet(network, Number(bits), family);
  return list.check(address, family);
}
