import type { Expose } from '@quartermaster/api/lease-manifest';
import { kinds } from '@quartermaster/kube';
import type { NetworkPolicy } from '@quartermaster/kube/shapes';
import { type ConnectionEnd, isAllowed, isInCidr } from '@quartermaster/kube/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expose, leaseContent, named, namesOf, service, settings } from '../../test/lease-content.ts';
import { clusterNetworks } from '../networks/cluster-networks.ts';
import type { LeaseContent } from './desired.ts';
import { leaseObjects } from './lease-objects.ts';
import { namespaceObject } from './namespace-object.ts';

const selector = {
  'akash.network': 'true',
  'akash.network/namespace': 'lease-alice-7-1-2',
  'akash.network/manifest-service': 'web',
};
const ownNamespace = {
  namespaceSelector: {
    matchLabels: { 'akash.network/namespace': 'lease-alice-7-1-2', 'kubernetes.io/metadata.name': 'lease-alice-7-1-2' },
  },
};
const policiesOf = (content: LeaseContent): readonly NetworkPolicy[] =>
  leaseObjects(content).flatMap(({ type, object }) => (type.kind === 'NetworkPolicy' ? [object] : []));

describe('network policies', () => {
  it('let a lease reach itself, the names of the cluster and the internet, and routes reach the lease', () => {
    const content = leaseContent([service()], {
      settings: { ...settings, ingressNamespaces: ['akash-gateway'] },
      networks: { blocked: ['203.0.113.0/24'] },
    });
    expect(named(leaseObjects(content), kinds.networkPolicies, 'akash-deployment-restrictions').spec).toEqual({
      podSelector: {},
      policyTypes: ['Ingress', 'Egress'],
      ingress: [
        {
          from: [
            ownNamespace,
            {
              namespaceSelector: { matchLabels: { 'app.kubernetes.io/name': 'ingress-nginx' } },
              podSelector: { matchLabels: { 'app.kubernetes.io/name': 'ingress-nginx' } },
            },
            { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'akash-gateway' } } },
          ],
        },
      ],
      egress: [
        { to: [ownNamespace] },
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
        {
          to: [
            {
              ipBlock: {
                cidr: '0.0.0.0/0',
                except: [
                  '0.0.0.0/8',
                  '10.0.0.0/8',
                  '100.64.0.0/10',
                  '127.0.0.0/8',
                  '168.63.129.16/32',
                  '169.254.0.0/16',
                  '172.16.0.0/12',
                  '192.0.0.0/24',
                  '192.168.0.0/16',
                  '198.18.0.0/15',
                  '203.0.113.0/24',
                  '224.0.0.0/3',
                ],
              },
            },
          ],
        },
        {
          to: [
            {
              ipBlock: {
                cidr: '::/0',
                except: [
                  '::/64',
                  '64:ff9b::/96',
                  '64:ff9b:1::/48',
                  '100::/64',
                  '2001::/32',
                  '2002::/16',
                  'fc00::/7',
                  'fe80::/9',
                  'ff00::/8',
                ],
              },
            },
          ],
        },
      ],
    });
  });

  it('open ports of the cluster and of leased addresses to everybody', () => {
    const exposes = [expose({ port: 2222, externalPort: 22 }), expose({ port: 53, protocol: 'UDP', ip: 'front' }), expose()];
    const objects = leaseObjects(leaseContent([service({ exposes })]));
    expect(named(objects, kinds.networkPolicies, 'akash-web-np').spec).toEqual({
      podSelector: { matchLabels: selector },
      policyTypes: ['Ingress'],
      ingress: [{ ports: [{ port: 2222, protocol: 'TCP' }] }],
    });
    expect(named(objects, kinds.networkPolicies, 'akash-web-ip').spec).toEqual({
      podSelector: { matchLabels: selector },
      policyTypes: ['Ingress'],
      ingress: [{ from: [{ ipBlock: { cidr: '0.0.0.0/0' } }, { ipBlock: { cidr: '::/0' } }], ports: [{ port: 53, protocol: 'UDP' }] }],
    });
  });

  it('open the API server to services that may read, and to no others', () => {
    const apiServers = [
      { address: '203.0.113.10', port: 6443 },
      { address: '2001:db8::10', port: 6443 },
    ];
    const reader = service({ name: 'reader', permissions: ['logs'] });
    const objects = leaseObjects(leaseContent([service(), reader], { apiServers }));
    expect(namesOf(objects, kinds.networkPolicies)).toEqual(['akash-deployment-restrictions', 'akash-apiserver-reader']);
    expect(named(objects, kinds.networkPolicies, 'akash-apiserver-reader').spec).toMatchObject({
      policyTypes: ['Egress'],
      egress: [
        { to: [{ ipBlock: { cidr: '203.0.113.10/32' } }], ports: [{ port: 6443, protocol: 'TCP' }] },
        { to: [{ ipBlock: { cidr: '2001:db8::10/128' } }], ports: [{ port: 6443, protocol: 'TCP' }] },
      ],
    });
  });

  it('are not there where the provider has switched them off', () => {
    const content = leaseContent([service({ exposes: [expose({ externalPort: 25 })], permissions: ['logs'] })]);
    expect(policiesOf({ ...content, settings: { ...settings, hasNetworkPolicies: false } })).toEqual([]);
  });

  it('have no rule for a family of which everything is blocked', () => {
    const blocks = (blocked: readonly string[]) =>
      policiesOf(leaseContent([service()], { networks: { blocked } }))[0]?.spec?.egress?.flatMap(
        (rule) => rule.to?.[0]?.ipBlock?.cidr ?? [],
      );
    expect(blocks([])).toEqual(['0.0.0.0/0', '::/0']);
    expect(blocks(['0.0.0.0/1', '128.0.0.0/1'])).toEqual(['::/0']);
  });
});

/** A cluster with networks of public addresses, so that nothing is blocked by chance. */
const networks = clusterNetworks({
  podCidrs: ['203.0.113.0/24', '2001:db8:aaaa::/48'],
  serviceCidrs: ['198.51.100.0/24', '2001:db8:bbbb::/112'],
  nodeAddresses: ['192.0.2.1', '192.0.2.2', '2001:db8:cccc::1', '2001:db8:cccc::2'],
  configured: ['9.9.9.0/24'],
});
/** Whose `web` has a route and a port of the cluster's, and whose `db` is for the lease alone. */
const tenant = (owner: string, permissions: readonly 'logs'[] = [], more: readonly Expose[] = []): LeaseContent =>
  leaseContent(
    [
      service({ exposes: [expose(), expose({ port: 2222, externalPort: 22 }), ...more], permissions }),
      service({ name: 'db', exposes: [expose({ port: 5432, externalPort: 5432, global: false })] }),
    ],
    {
      lease: { owner, dseq: 7n, gseq: 1, oseq: 2, provider: 'acme' },
      namespace: `lease-${owner}-7-1-2`,
      settings: { ...settings, ingressNamespaces: ['akash-gateway'] },
      networks,
      apiServers: ['192.0.2.2', '2001:db8:cccc::2'].map((address) => ({ address, port: 6443 })),
    },
  );
const leased = [expose({ port: 53, protocol: 'UDP', ip: 'front' }), expose({ port: 8443, externalPort: 443, ip: 'front' })];
/** Alice may read the logs of her lease; ivan's web has an address of its own. */
const tenants = [tenant('alice', ['logs']), tenant('mallory'), tenant('ivan', [], leased)];
const policies = tenants.flatMap(policiesOf);

function podOf(content: LeaseContent, name: string, ip: string): ConnectionEnd {
  const { labels = {}, name: namespace = '' } = namespaceObject(content).object.metadata ?? {};
  const template = named(leaseObjects(content), kinds.deployments, name).spec?.template;
  return {
    ip,
    pod: {
      namespace,
      namespaceLabels: { ...labels, 'kubernetes.io/metadata.name': namespace },
      labels: template?.metadata?.labels ?? {},
      ports: template?.spec?.containers.flatMap((container) => container.ports ?? []),
    },
  };
}
const systemPod = (namespace: string, labels: Readonly<Record<string, string>>, ip: string, namespaceLabels = {}): ConnectionEnd => ({
  ip,
  pod: { namespace, namespaceLabels: { 'kubernetes.io/metadata.name': namespace, ...namespaceLabels }, labels },
});
const nginx = { 'app.kubernetes.io/name': 'ingress-nginx' };

/** Each tenant has addresses of both families. */
const tenantPods = tenants.flatMap((content, at) =>
  ['web', 'db'].map((name, nth) => {
    const ip = (at + nth) % 2 === 0 ? `203.0.113.1${at}` : `2001:db8:aaaa::1${at}`;
    return [`${name} of ${content.lease.owner}`, podOf(content, name, ip)] as const;
  }),
);
const ends: Readonly<Record<string, ConnectionEnd>> = {
  ...Object.fromEntries(tenantPods),
  dns: systemPod('kube-system', { 'k8s-app': 'kube-dns' }, '203.0.113.53'),
  'another pod of kube-system': systemPod('kube-system', { 'k8s-app': 'metrics' }, '203.0.113.54'),
  'a pod that calls itself dns': systemPod('somewhere', { 'k8s-app': 'kube-dns' }, '203.0.113.55'),
  ingress: systemPod('ingress-nginx', nginx, '203.0.113.80', nginx),
  'another pod beside ingress': systemPod('ingress-nginx', {}, '203.0.113.81', nginx),
  'a pod that calls itself ingress': systemPod('somewhere', nginx, '203.0.113.82'),
  'the gateway': systemPod('akash-gateway', {}, '2001:db8:aaaa::80'),
  'a pod of a namespace that calls itself the lease of alice': systemPod('somewhere', selector, '203.0.113.90', {
    'akash.network/namespace': 'lease-alice-7-1-2',
  }),
  'a Service': { ip: '198.51.100.7' },
  'a Service by IPv6': { ip: '2001:db8:bbbb::7' },
  'a node': { ip: '192.0.2.1' },
  'a node by IPv6': { ip: '2001:db8:cccc::1' },
  'the API server': { ip: '192.0.2.2' },
  'the API server by IPv6': { ip: '2001:db8:cccc::2' },
  'what the provider blocks': { ip: '9.9.9.9' },
  'metadata of most clouds': { ip: '169.254.169.254' },
  'metadata of AWS by IPv6': { ip: 'fd00:ec2::254' },
  'metadata of Oracle Cloud': { ip: '192.0.0.192' },
  'metadata of Alibaba Cloud': { ip: '100.100.100.200' },
  'the agent of Azure': { ip: '168.63.129.16' },
  'metadata by IPv4 in IPv6': { ip: '::ffff:169.254.169.254' },
  'metadata by NAT64': { ip: '64:ff9b::a9fe:a9fe' },
  'metadata by 6to4': { ip: '2002:a9fe:a9fe::1' },
  'the first private hosts': { ip: '10.0.0.1' },
  'the second private hosts': { ip: '172.31.255.254' },
  'the third private hosts': { ip: '192.168.1.1' },
  'a host by unique local IPv6': { ip: 'fd12::1' },
  'a host behind carrier-grade NAT': { ip: '100.64.0.1' },
  'link-local': { ip: '169.254.1.1' },
  'link-local IPv6': { ip: 'fe80::1' },
  loopback: { ip: '127.0.0.1' },
  'loopback by IPv6': { ip: '::1' },
  multicast: { ip: '239.1.1.1' },
  'multicast by IPv6': { ip: 'ff02::1' },
  broadcast: { ip: '255.255.255.255' },
  'the internet': { ip: '8.8.8.8' },
  'the internet by IPv6': { ip: '2606:4700::1111' },
  'the internet, next to the nodes': { ip: '192.0.2.3' },
  'the internet, next to the nodes by IPv6': { ip: '2001:db8:cccc::3' },
};
/** Of what is exposed, of what is not, and of what nodes, DNS and the API server listen on. */
const ports = [22, 53, 80, 443, 2222, 5432, 6443, 8080, 8443, 9153, 31_022];

/** Whose pod it is; undefined of what is no tenant's. */
const ownerOf = (end: string): string | undefined => /^(?:web|db) of (\w+)$/.exec(end)?.[1];

/** Why one may send to another, by their names in `ends`; undefined: it may not. */
function reasonToSend(from: string, to: string, spoken: string): string | undefined {
  if (ownerOf(from) === undefined) return 'no tenant sends it, and only tenants are held back';
  if (ownerOf(from) === ownerOf(to)) return 'both are of one lease';
  if (to.startsWith('the internet')) return 'everybody may use the internet';
  if (to === 'dns' && (spoken === '53/UDP' || spoken === '53/TCP')) return 'everybody may ask for names';
  if (from === 'web of alice' && to.startsWith('the API server') && spoken === '6443/TCP') return 'it reads logs there';
  return undefined;
}

/** Why one may receive from another. */
function reasonToReceive(from: string, to: string, spoken: string): string | undefined {
  if (ownerOf(to) === undefined) return 'no tenant receives it, and nobody else is guarded here';
  if (ownerOf(from) === ownerOf(to)) return 'both are of one lease';
  if (from === 'ingress' || from === 'the gateway') return 'requests of routes come from there';
  if (to.startsWith('web of') && spoken === '2222/TCP') return 'a port of the cluster leads there, for everybody';
  if (to === 'web of ivan' && (spoken === '53/UDP' || spoken === '8443/TCP')) return 'its own address leads there, for everybody';
  return undefined;
}

describe('isolation, with the policies evaluated as a pure function: there is no network plugin here', () => {
  it('lets one end reach another where there is a reason to send and a reason to receive, and nowhere else', () => {
    const wrong: string[] = [];
    for (const [from, source] of Object.entries(ends))
      for (const [to, target] of Object.entries(ends))
        for (const port of ports)
          for (const protocol of ['TCP', 'UDP', 'SCTP'] as const) {
            const spoken = `${port}/${protocol}`;
            const reasons = [reasonToSend(from, to, spoken), reasonToReceive(from, to, spoken)];
            const isReached = isAllowed(policies, { from: source, to: target, port, protocol });
            if (isReached === reasons.every((each) => each !== undefined)) continue;
            wrong.push(
              `${from} ${isReached ? 'reaches' : 'does not reach'} ${to} on ${spoken}: ${reasons.map((each) => each ?? 'no reason').join('; ')}`,
            );
          }
    expect(wrong).toEqual([]);
  });

  /** Somewhere within: its host bits are those of chance. */
  const within = (cidr: string, chance: readonly number[]): string => {
    const [network = '', bits = ''] = cidr.split('/');
    const bytes = bytesOf(network);
    const mixed = bytes.map((byte, at) => {
      const fixed = Math.max(0, Math.min(8, Number(bits) - 8 * at));
      const mask = (0xff << (8 - fixed)) & 0xff;
      return (byte & mask) | ((chance[at] ?? 0) & ~mask & 0xff);
    });
    return bytes.length === 4 ? mixed.join('.') : groupsOf(mixed).join(':');
  };
  const chance = fc.array(fc.integer({ min: 0, max: 255 }), { minLength: 16, maxLength: 16 });
  const prefixOf = (ip: fc.Arbitrary<string>, max: number) =>
    fc.tuple(ip, fc.integer({ min: 8, max })).map(([each, bits]) => `${each}/${bits}`);
  const prefix = fc.oneof(prefixOf(fc.ipV4(), 32), prefixOf(fc.ipV6(), 128));
  const address = fc.oneof(fc.ipV4(), fc.ipV6());

  it('lets nobody reach an address of the networks of the cluster, wherever they are', () => {
    fc.assert(
      fc.property(
        fc.array(prefix, { minLength: 1, maxLength: 6 }),
        fc.array(address, { maxLength: 6 }),
        chance,
        (podCidrs, others, anywhere) => {
          const content = leaseContent([service()], {
            networks: clusterNetworks({ podCidrs, serviceCidrs: [], nodeAddresses: others, configured: [] }),
          });
          const [from, own] = [podOf(content, 'web', '203.0.113.1'), policiesOf(content)];
          const hostBits = [Array.from({ length: 16 }, () => 0), Array.from({ length: 16 }, () => 255), anywhere];
          const inside = podCidrs.flatMap((each) => hostBits.map((bytes) => within(each, bytes)));
          for (const [at, ip] of inside.entries()) expect(isInCidr(podCidrs[Math.floor(at / hostBits.length)] ?? '', ip)).toBe(true);
          for (const ip of [...others, ...inside]) expect(isAllowed(own, { from, to: { ip }, port: 443, protocol: 'TCP' })).toBe(false);
        },
      ),
    );
  });

  it('excepts nothing that is not a part of what it allows', () => {
    fc.assert(
      fc.property(fc.array(prefix, { maxLength: 8 }), (podCidrs) => {
        const content = leaseContent([service()], {
          networks: clusterNetworks({ podCidrs, serviceCidrs: [], nodeAddresses: [], configured: [] }),
        });
        for (const { to } of policiesOf(content)[0]?.spec?.egress ?? []) {
          const block = to?.[0]?.ipBlock;
          for (const each of block?.except ?? []) expect(isInCidr(block?.cidr ?? '', each.split('/')[0] ?? '')).toBe(true);
        }
      }),
    );
  });
});

const groupsOf = (bytes: readonly number[]): readonly string[] =>
  Array.from({ length: bytes.length / 2 }, (_, at) => (((bytes[2 * at] ?? 0) << 8) | (bytes[2 * at + 1] ?? 0)).toString(16));

/** Of an address in any of its spellings. */
function bytesOf(ip: string): readonly number[] {
  if (!ip.includes(':')) return ip.split('.').map(Number);
  const groups = new URL(`http://[${ip}]`).hostname.slice(1, -1);
  const [head = '', tail] = groups.split('::');
  const read = (part: string): readonly number[] => part.split(':').flatMap((each) => (each === '' ? [] : Number.parseInt(each, 16)));
  const [first, last] = [read(head), read(tail ?? '')];
  const all = tail === undefined ? first : [...first, ...Array.from({ length: 8 - first.length - last.length }, () => 0), ...last];
  return all.flatMap((each) => [each >> 8, each & 0xff]);
}
