/** Which connections the network policies of a cluster let through, as the API defines it. Pure. What it does not read it does not guess at: it throws. */
import { BlockList, isIP } from 'node:net';
import type {
  ContainerPort,
  IPBlock,
  LabelSelector,
  NetworkPolicy,
  NetworkPolicyPeer,
  NetworkPolicyPort,
} from '../src/generated/shapes.ts';

type Labels = Readonly<Record<string, string>>;
type Protocol = 'TCP' | 'UDP' | 'SCTP';

/** One end of a connection: a pod, or something else that has an address. */
export interface ConnectionEnd {
  readonly ip: string;
  readonly pod?: ConnectedPod | undefined;
}

export interface ConnectedPod {
  readonly namespace: string;
  readonly namespaceLabels: Labels;
  readonly labels: Labels;
  /** Of all its containers, by whose names a policy may name ports. */
  readonly ports?: readonly ContainerPort[] | undefined;
}

export interface Connection {
  readonly from: ConnectionEnd;
  readonly to: ConnectionEnd;
  readonly port: number;
  readonly protocol: Protocol;
}

/** Where plugins differ it takes the side that lets more through: a rule for addresses holds for those of pods, too. */
export function isAllowed(policies: readonly NetworkPolicy[], connection: Connection): boolean {
  return isLetOut(policies, connection) && isLetIn(policies, connection);
}

/** By the policies of the pod that it comes from. One that no policy selects reaches everybody. */
function isLetOut(policies: readonly NetworkPolicy[], connection: Connection): boolean {
  const selecting = policiesOf(policies, connection.from, 'Egress');
  return (
    selecting === undefined ||
    selecting.some(({ home, spec }) =>
      (spec.egress ?? []).some((rule) => {
        onlyReads(rule, 'to', 'ports');
        return isPeer(rule.to, connection.to, home) && isPort(rule.ports, connection);
      }),
    )
  );
}

/** By the policies of the pod that it goes to. One that no policy selects is open to all. */
export function isLetIn(policies: readonly NetworkPolicy[], connection: Connection): boolean {
  const selecting = policiesOf(policies, connection.to, 'Ingress');
  return (
    selecting === undefined ||
    selecting.some(({ home, spec }) =>
      (spec.ingress ?? []).some((rule) => {
        onlyReads(rule, 'from', 'ports');
        return isPeer(rule.from, connection.from, home) && isPort(rule.ports, connection);
      }),
    )
  );
}

/** Those that select this end; undefined: none does. */
function policiesOf(policies: readonly NetworkPolicy[], { pod }: ConnectionEnd, type: 'Ingress' | 'Egress') {
  if (pod === undefined) return undefined;
  const selecting = policies.flatMap(({ metadata, spec = {} }) => {
    onlyReads(spec, 'podSelector', 'policyTypes', 'ingress', 'egress');
    const home = metadata?.namespace;
    if (home === undefined) throw new Error(`policy ${metadata?.name} says no namespace`);
    // Where none are given, the API server takes what is there: what comes in always, what goes out where there is a rule for it.
    const implied = (spec.egress ?? []).length > 0 ? ['Ingress', 'Egress'] : ['Ingress'];
    const types = (spec.policyTypes ?? []).length > 0 ? (spec.policyTypes ?? []) : implied;
    for (const each of types) if (each !== 'Ingress' && each !== 'Egress') throw new Error(`no such type of a policy: ${each}`);
    return home === pod.namespace && types.includes(type) && selects(spec.podSelector ?? {}, pod.labels) ? [{ home, spec }] : [];
  });
  return selecting.length === 0 ? undefined : selecting;
}

function isPeer(peers: readonly NetworkPolicyPeer[] | undefined, { ip, pod }: ConnectionEnd, home: string): boolean {
  if (peers === undefined || peers.length === 0) return true;
  // All are read, also after one that matches: what is not understood shall not depend on the order.
  return peers
    .map((peer) => {
      onlyReads(peer, 'ipBlock', 'namespaceSelector', 'podSelector');
      const { ipBlock, namespaceSelector, podSelector } = peer;
      const hasSelector = namespaceSelector !== undefined || podSelector !== undefined;
      if ((ipBlock !== undefined) === hasSelector) throw new Error('a peer is either a block of addresses or has a selector');
      if (ipBlock !== undefined) return isInBlock(ipBlock, ip);
      if (pod === undefined) return false;
      const isNear = namespaceSelector === undefined ? pod.namespace === home : selects(namespaceSelector, pod.namespaceLabels);
      return isNear && selects(podSelector ?? {}, pod.labels);
    })
    .includes(true);
}

function isPort(ports: readonly NetworkPolicyPort[] | undefined, { to, port: asked, protocol: spoken }: Connection): boolean {
  if (ports === undefined || ports.length === 0) return true;
  return ports
    .map((each) => {
      onlyReads(each, 'port', 'endPort', 'protocol');
      const { port, endPort, protocol = 'TCP' } = each;
      if (!['TCP', 'UDP', 'SCTP'].includes(protocol)) throw new Error(`no such protocol: ${protocol}`);
      if (endPort !== undefined && (typeof port !== 'number' || endPort < port)) throw new Error('a range of ports has no beginning');
      if (protocol !== spoken) return false;
      if (port === undefined) return true;
      if (typeof port === 'number') return asked >= port && asked <= (endPort ?? port);
      return (to.pod?.ports ?? []).some(
        ({ name, containerPort, protocol: own = 'TCP' }) => name === port && containerPort === asked && own === spoken,
      );
    })
    .includes(true);
}

function selects(selector: LabelSelector, labels: Labels): boolean {
  onlyReads(selector, 'matchLabels', 'matchExpressions');
  const { matchLabels = {}, matchExpressions = [] } = selector;
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

function isInBlock(block: IPBlock, ip: string): boolean {
  onlyReads(block, 'cidr', 'except');
  const { cidr, except = [] } = block;
  return isInCidr(cidr, ip) && !except.some((each) => isInCidr(each, ip));
}

/** By Node's own reading of addresses, not by ours. */
export function isInCidr(cidr: string, ip: string): boolean {
  const [network = '', prefix = ''] = cidr.split('/');
  if (isIP(ip) === 0 || isIP(network) === 0 || !/^\d+$/.test(prefix)) throw new Error(`no address or no prefix: ${ip}, ${cidr}`);
  if (isIP(network) !== isIP(ip)) return false;
  const family = isIP(ip) === 6 ? 'ipv6' : 'ipv4';
  const list = new BlockList();
  list.addSubnet(network, Number(prefix), family);
  return list.check(ip, family);
}

function onlyReads(object: object, ...known: readonly string[]): void {
  const others = Object.entries(object).filter(([field, value]) => value !== undefined && !known.includes(field));
  if (others.length > 0) throw new Error(`this is not evaluated: ${others.map(([field]) => field).join(', ')}`);
}
