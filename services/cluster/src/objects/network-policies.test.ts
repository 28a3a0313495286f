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
  nodeAddresses: ['192.0.2.1', '192.0.2.2', '2001:db8:cccc::1'],
  configured: ['9.9.9.0/24'],
});
const tenant = (owner: string, permissions: readonly 'logs'[] = []): LeaseContent =>
  leaseContent(
    [
      service({ exposes: [expose(), expose({ port: 2222, externalPort: 22 })], permissions }),
      service({ name: 'db', exposes: [expose({ port: 5432, externalPort: 5432, global: false })] }),
    ],
    {
      lease: { owner, dseq: 7n, gseq: 1, oseq: 2, provider: 'acme' },
      namespace: `lease-${owner}-7-1-2`,
      networks,
      apiServers: [{ address: '192.0.2.2', port: 6443 }],
    },
  );
/** Of whom everybody is let in, on the ports of its leased address. */
const addressed = (): LeaseContent => {
  const content = tenant('ivan');
  const front = [
    expose({ port: 53, externalPort: 53, protocol: 'UDP', ip: 'front' }),
    expose({ port: 8443, externalPort: 443, ip: 'front' }),
  ];
  const services = content.group.services.map((each) => (each.name === 'web' ? { ...each, exposes: [...each.exposes, ...front] } : each));
  return { ...content, group: { ...content.group, services } };
};
const [alice, mallory, ivan] = [tenant('alice', ['logs']), tenant('mallory'), addressed()];
const policies = [alice, mallory, ivan].flatMap(policiesOf);

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

const ends = {
  'web of alice': podOf(alice, 'web', '203.0.113.1'),
  'db of alice': podOf(alice, 'db', '2001:db8:aaaa::2'),
  'web of mallory': podOf(mallory, 'web', '203.0.113.3'),
  'db of mallory': podOf(mallory, 'db', '2001:db8:aaaa::4'),
  'web of ivan': podOf(ivan, 'web', '203.0.113.5'),
  'db of ivan': podOf(ivan, 'db', '203.0.113.6'),
  dns: systemPod('kube-system', { 'k8s-app': 'kube-dns' }, '203.0.113.53'),
  'another pod of kube-system': systemPod('kube-system', { 'k8s-app': 'metrics' }, '203.0.113.54'),
  ingress: systemPod('ingress-nginx', { 'app.kubernetes.io/name': 'ingress-nginx' }, '203.0.113.80', {
    'app.kubernetes.io/name': 'ingress-nginx',
  }),
  'a pod that calls itself ingress': systemPod('somewhere', { 'app.kubernetes.io/name': 'ingress-nginx' }, '203.0.113.81'),
  'a Service': { ip: '198.51.100.7' },
  'a Service by IPv6': { ip: '2001:db8:bbbb::7' },
  'a node': { ip: '192.0.2.1' },
  'a node by IPv6': { ip: '2001:db8:cccc::1' },
  'the API server': { ip: '192.0.2.2' },
  'what the provider blocks': { ip: '9.9.9.9' },
  'metadata of most clouds': { ip: '169.254.169.254' },
  'metadata of AWS by IPv6': { ip: 'fd00:ec2::254' },
  'metadata of Oracle Cloud': { ip: '192.0.0.192' },
  'metadata of Alibaba Cloud': { ip: '100.100.100.200' },
  'the agent of Azure': { ip: '168.63.129.16' },
  'metadata by IPv4 in IPv6': { ip: '::ffff:169.254.169.254' },
  'metadata by NAT64': { ip: '64:ff9b::a9fe:a9fe' },
  'metadata by 6to4': { ip: '2002:a9fe:a9fe::1' },
  'a private host': { ip: '192.168.1.1' },
  'a host by unique local IPv6': { ip: 'fd12::1' },
  'link-local IPv6': { ip: 'fe80::1' },
  loopback: { ip: '127.0.0.1' },
  'loopback by IPv6': { ip: '::1' },
  multicast: { ip: '239.1.1.1' },
  'the internet': { ip: '8.8.8.8' },
  'the internet by IPv6': { ip: '2606:4700::1111' },
} satisfies Readonly<Record<string, ConnectionEnd>>;
type End = keyof typeof ends;
type Protocol = 'TCP' | 'UDP' | 'SCTP';

const reaches = (from: End, to: End, port: number, protocol: Protocol = 'TCP'): boolean =>
  isAllowed(policies, { from: ends[from], to: ends[to], port, protocol });
const reached = (from: End, port: number, protocol: Protocol = 'TCP'): readonly string[] =>
  (Object.keys(ends) as End[]).filter((to) => reaches(from, to, port, protocol));

describe('isolation, with the policies evaluated as a pure function: there is no network plugin here', () => {
  const internet = ['the internet', 'the internet by IPv6'];

  it('lets every pod of a lease reach its own lease and the internet, and nothing else', () => {
    expect(reached('web of alice', 443)).toEqual(['web of alice', 'db of alice', ...internet]);
    expect(reached('db of alice', 443)).toEqual(['web of alice', 'db of alice', ...internet]);
    expect(reached('web of mallory', 443)).toEqual(['web of mallory', 'db of mallory', ...internet]);
    expect(reached('db of mallory', 5432)).toEqual(['web of mallory', 'db of mallory', ...internet]);
  });

  it('lets no tenant reach another, not even on a port or an address that is open to everybody', () => {
    const own = ['alice', 'mallory', 'ivan'] as const;
    const pods = own.flatMap((owner) => [`web of ${owner}`, `db of ${owner}`] as const);
    const ownerOf = (pod: string): string => pod.split(' ').at(-1) ?? '';
    for (const port of [22, 53, 80, 443, 2222, 5432, 8080, 8443])
      for (const protocol of ['TCP', 'UDP', 'SCTP'] as const)
        for (const from of pods)
          for (const to of pods)
            expect([from, to, port, reaches(from, to, port, protocol)]).toEqual([from, to, port, ownerOf(from) === ownerOf(to)]);
  });

  it('lets everybody outside in on the ports of a leased address, by their protocol alone', () => {
    for (const from of ['the internet', 'the internet by IPv6'] as const) {
      expect(reaches(from, 'web of ivan', 53, 'UDP')).toBe(true);
      expect(reaches(from, 'web of ivan', 53, 'TCP')).toBe(false);
      expect(reaches(from, 'web of ivan', 8443)).toBe(true);
      for (const port of [53, 443, 8443, 5432]) expect(reaches(from, 'db of ivan', port)).toBe(false);
      for (const port of [443, 8443, 8080]) expect(reaches(from, 'web of alice', port)).toBe(false);
    }
  });

  it('lets names be asked for at the DNS of the cluster alone', () => {
    for (const protocol of ['TCP', 'UDP'] as const) expect(reached('db of mallory', 53, protocol)).toContain('dns');
    expect(reached('db of mallory', 53)).not.toContain('another pod of kube-system');
    expect(reached('db of mallory', 9153)).not.toContain('dns');
  });

  it('lets the API server be reached by who may read it, on its port', () => {
    expect(reached('web of alice', 6443)).toContain('the API server');
    expect(reached('web of alice', 22)).not.toContain('the API server');
    expect(reached('db of alice', 6443)).not.toContain('the API server');
    expect(reached('web of mallory', 6443)).not.toContain('the API server');
  });

  it('lets routes in, and from elsewhere only what was opened', () => {
    expect(reaches('ingress', 'web of alice', 8080)).toBe(true);
    expect(reaches('a pod that calls itself ingress', 'web of alice', 8080)).toBe(false);
    for (const from of ['the internet', 'the internet by IPv6', 'a node'] as const) {
      expect(reaches(from, 'web of alice', 2222)).toBe(true);
      expect(reaches(from, 'web of alice', 2222, 'UDP')).toBe(false);
      expect(reaches(from, 'web of alice', 8080)).toBe(false);
      expect(reaches(from, 'db of alice', 5432)).toBe(false);
    }
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
  const prefix = fc.tuple(fc.oneof(fc.ipV4(), fc.ipV6()), fc.integer({ min: 8, max: 32 })).map(([ip, bits]) => `${ip}/${bits}`);
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
