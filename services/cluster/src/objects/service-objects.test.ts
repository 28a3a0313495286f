import { kinds } from '@quartermaster/kube';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expose, leaseContent, named, namesOf, service, settings } from '../../test/lease-content.ts';
import { leaseNamespace } from '../model/lease-name.ts';
import { leaseObjects } from './lease-objects.ts';
import { leasedIpObjects, sharingKey } from './leased-ips.ts';

const selector = {
  'akash.network': 'true',
  'akash.network/namespace': 'lease-alice-7-1-2',
  'akash.network/manifest-service': 'web',
};
const objectsOf = (...exposes: readonly ReturnType<typeof expose>[]) => leaseObjects(leaseContent([service({ exposes })]));

describe('Services', () => {
  it('lead to what is local and to what has a route by the name of the service, and to the rest by ports of the cluster', () => {
    const objects = objectsOf(expose(), expose({ port: 5432, externalPort: 0, global: false }), expose({ port: 2222, externalPort: 22 }));
    expect(named(objects, kinds.services, 'web').spec).toEqual({
      type: 'ClusterIP',
      selector,
      ports: [
        { name: '0-80', port: 80, targetPort: 8080, protocol: 'TCP' },
        { name: '1-5432', port: 5432, targetPort: 5432, protocol: 'TCP' },
      ],
    });
    expect(named(objects, kinds.services, 'web-np').spec).toEqual({
      type: 'NodePort',
      selector,
      ports: [{ name: '2-22', port: 22, targetPort: 2222, protocol: 'TCP' }],
    });
  });

  it('are not there without a port', () => {
    expect(namesOf(objectsOf(), kinds.services)).toEqual([]);
    expect(namesOf(objectsOf(expose()), kinds.services)).toEqual(['web']);
    expect(namesOf(objectsOf(expose({ externalPort: 25 })), kinds.services)).toEqual(['web-np']);
  });

  it('keep TCP and UDP of one port, and each of them once', () => {
    const dns = { port: 53, externalPort: 53 };
    const objects = objectsOf(expose(dns), expose({ ...dns, protocol: 'UDP' }), expose({ port: 5353, externalPort: 53 }));
    expect(named(objects, kinds.services, 'web-np').spec?.ports).toEqual([
      { name: '0-53', port: 53, targetPort: 53, protocol: 'TCP' },
      { name: '1-53', port: 53, targetPort: 53, protocol: 'UDP' },
    ]);
  });

  it('leave the name of a service to that service', () => {
    const outer = service({ exposes: [expose({ externalPort: 25 })] });
    const objects = leaseObjects(leaseContent([outer, service({ name: 'web-np' })]));
    const names = namesOf(objects, kinds.services);
    expect(named(objects, kinds.services, 'web-np').spec?.type).toBe('ClusterIP');
    expect(names[0]).toMatch(/^web-np-[0-9a-f]{10}$/);
    expect(names).toHaveLength(2);
  });
});

describe('leased addresses', () => {
  it('have a Service for each port, which takes no port of the nodes', () => {
    const objects = objectsOf(expose({ port: 2222, externalPort: 22, ip: 'front' }));
    const [name = '', ...others] = namesOf(objects, kinds.services);
    expect(others).toEqual([]);
    expect(name).toMatch(/^web-ip-[0-9a-f]{10}-22-tcp$/);
    expect(named(objects, kinds.services, name)).toMatchObject({
      metadata: {
        labels: { ...selector, 'akash.network/lease.id.owner': 'alice', 'akash.network/service-target': 'metal-lb' },
        annotations: {
          'quartermaster.dev/endpoint': 'front',
          'metallb.universe.tf/allow-shared-ip': 'lease-alice-7-1-2-ip-front',
          'metallb.io/allow-shared-ip': 'lease-alice-7-1-2-ip-front',
        },
      },
      spec: {
        type: 'LoadBalancer',
        allocateLoadBalancerNodePorts: false,
        selector,
        ports: [{ name: '0-22', port: 22, targetPort: 2222, protocol: 'TCP' }],
      },
    });
  });

  it('keep protocols and endpoints of one port apart', () => {
    const objects = objectsOf(
      expose({ ip: 'front' }),
      expose({ ip: 'back' }),
      expose({ ip: 'front', protocol: 'UDP' }),
      expose({ ip: 'front', port: 9090 }),
    );
    expect(new Set(namesOf(objects, kinds.services)).size).toBe(3);
    expect(namesOf(objects, kinds.services)).toHaveLength(3);
  });

  it('ask for the address that was moved to them, and are none where it was moved away', () => {
    const exposes = [expose({ ip: 'front' }), expose({ ip: 'back', port: 53 })];
    const addresses = { taken: new Map([['front', '192.0.2.7']]), given: new Set(['back']) };
    const content = leaseContent([service({ exposes })], { addresses });
    const objects = leaseObjects(content);
    const [name = '', ...others] = namesOf(objects, kinds.services);
    expect(others).toEqual([]);
    expect(named(objects, kinds.services, name).metadata?.annotations).toMatchObject({
      'quartermaster.dev/endpoint': 'front',
      'metallb.universe.tf/loadBalancerIPs': '192.0.2.7',
      'metallb.io/loadBalancerIPs': '192.0.2.7',
    });
    expect(leasedIpObjects(content, 'lease').map(({ object }) => object.metadata?.name)).toEqual(['lease-alice-7-1-2-ip-front-tcp-80']);
    // As long as none was moved, nothing is written anew.
    const before = named(leaseObjects(leaseContent([service({ exposes })])), kinds.services, name).metadata?.annotations;
    expect(Object.keys(before ?? {}).filter((each) => each.endsWith('loadBalancerIPs'))).toEqual([]);
  });

  it('come from the pool of the provider where it has one of its own', () => {
    const annotations = (addressPool: string) => {
      const content = leaseContent([service({ exposes: [expose({ ip: 'front' })] })], { settings: { ...settings, addressPool } });
      const objects = leaseObjects(content);
      return named(objects, kinds.services, namesOf(objects, kinds.services)[0] ?? '').metadata?.annotations;
    };
    expect(annotations('gold')).toMatchObject({ 'metallb.universe.tf/address-pool': 'gold', 'metallb.io/address-pool': 'gold' });
    expect(annotations('default')).not.toHaveProperty(['metallb.io/address-pool']);
    expect(annotations('')).not.toHaveProperty(['metallb.io/address-pool']);
  });

  it('are shared within a lease, and not by two leases of one owner that call them the same', () => {
    expect(sharingKey('lease-alice-7-1-2', 'front-1')).toBe('lease-alice-7-1-2-ip-front-1');
    const namesFor = (dseq: bigint) => {
      const lease = { owner: 'alice', dseq, gseq: 1, oseq: 1, provider: 'acme' };
      const exposes = [expose({ port: 80, ip: 'front' }), expose({ externalPort: 443, ip: 'front' })];
      const declared = leasedIpObjects(leaseContent([service({ exposes })], { lease, namespace: leaseNamespace(lease) }), 'lease');
      return declared.map(({ object }) => [object.metadata?.name, object.spec?.sharing_key] as const);
    };
    const [first, second] = [namesFor(7n), namesFor(8n)];
    expect([new Set(first.map(([, key]) => key)).size, new Set([...first, ...second].map(([, key]) => key)).size]).toEqual([1, 2]);
    expect(new Set([...first, ...second].map(([name]) => name)).size).toBe(4);
  });

  it('are shared by a hash where the key could be that of another lease', () => {
    const ambiguous = [
      ['alice', 'meYOU'],
      ['Alice', 'front'],
      ['a-ip', 'x'],
      ['a-ip-b', 'x'],
      ['a', ''],
      ['a'.repeat(240), 'x'],
    ] as const;
    for (const [namespace, endpoint] of ambiguous) expect(sharingKey(namespace, endpoint)).toMatch(/^ip-[0-9a-v]{32}$/);
    expect(sharingKey('a', 'ip-x')).not.toBe(sharingKey('a-ip', 'x'));
    expect(sharingKey('Alice', 'front')).not.toBe(sharingKey('alice', 'front'));
  });

  it('are never shared by two leases or endpoints, nor declared under one name', () => {
    const part = fc.oneof(
      fc.array(fc.constantFrom('a', 'A', 'ip', '-', '-ip-', '.', '_', 'x', 'tcp', '80'), { maxLength: 6 }).map((all) => all.join('')),
      fc.string({ unit: 'binary', maxLength: 4 }),
      fc.constantFrom(
        'a',
        'a-ip',
        'a-ip-x',
        'ip-x',
        'x',
        'Alice',
        'alice',
        '\ud800',
        '\ud801',
        `${'l'.repeat(300)}a`,
        `${'l'.repeat(300)}b`,
      ),
    );
    const pair = fc.tuple(part, part).filter(([, endpoint]) => endpoint !== '');
    const namesFor = ([namespace, ip]: readonly [string, string]) => {
      const exposes = [expose({ ip }), expose({ ip, protocol: 'UDP' })];
      return leasedIpObjects(leaseContent([service({ exposes })], { namespace }), 'lease').map(({ object }) => object.metadata?.name ?? '');
    };
    fc.assert(
      fc.property(fc.uniqueArray(pair, { selector: (each) => JSON.stringify(each), minLength: 2, maxLength: 12 }), (pairs) => {
        expect(new Set(pairs.map(([namespace, endpoint]) => sharingKey(namespace, endpoint))).size).toBe(pairs.length);
        const declared = pairs.flatMap(namesFor);
        expect(new Set(declared).size).toBe(2 * pairs.length);
        for (const name of declared) expect(name).toMatch(/^(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/);
      }),
      { numRuns: 500 },
    );
  });

  it('are declared among the manifests, named by key, protocol and port', () => {
    const exposes = [expose(), expose({ port: 53, externalPort: 5353, protocol: 'UDP', ip: 'front' })];
    expect(leasedIpObjects(leaseContent([service({ exposes })]), 'lease').map(({ object }) => object)).toEqual([
      {
        apiVersion: 'akash.network/v2beta2',
        kind: 'ProviderLeasedIP',
        metadata: {
          name: 'lease-alice-7-1-2-ip-front-udp-5353',
          namespace: 'lease',
          labels: {
            'akash.network': 'true',
            'akash.network/namespace': 'lease-alice-7-1-2',
            'akash.network/lease.id.owner': 'alice',
            'akash.network/lease.id.dseq': '7',
            'akash.network/lease.id.gseq': '1',
            'akash.network/lease.id.oseq': '2',
            'akash.network/lease.id.provider': 'acme',
            'service-name': 'web',
            'external-port': '5353',
            proto: 'UDP',
          },
          annotations: {
            'akash.network/lease.id.owner': 'alice',
            'akash.network/lease.id.dseq': '7',
            'akash.network/lease.id.gseq': '1',
            'akash.network/lease.id.oseq': '2',
            'akash.network/lease.id.provider': 'acme',
          },
        },
        spec: {
          lease_id: { owner: 'alice', dseq: '7', gseq: 1, oseq: 2, provider: 'acme' },
          service_name: 'web',
          port: 53,
          external_port: 5353,
          protocol: 'UDP',
          sharing_key: 'lease-alice-7-1-2-ip-front',
        },
      },
    ]);
  });
});
