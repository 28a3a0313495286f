import { isInCidr } from '@quartermaster/kube/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aggregated, cidrText, parseCidr } from './cidr.ts';
import { clusterNetworks } from './cluster-networks.ts';

const none = { podCidrs: [], serviceCidrs: [], nodeAddresses: [], configured: [] };
const cidr = fc.oneof(
  fc.tuple(fc.ipV4(), fc.integer({ min: 1, max: 32 })).map(([ip, prefix]) => `${ip}/${prefix}`),
  fc.tuple(fc.ipV6(), fc.integer({ min: 1, max: 128 })).map(([ip, prefix]) => `${ip}/${prefix}`),
);
const parsed = (texts: readonly string[]) => texts.flatMap((text) => parseCidr(text) ?? []);

describe('the networks of a cluster', () => {
  it('are those of pods, Services and nodes, and what the provider adds, IPv4 before IPv6', () => {
    const networks = clusterNetworks({
      podCidrs: ['203.0.113.0/24', '2001:db8:1::/64'],
      serviceCidrs: ['198.51.100.0/24'],
      nodeAddresses: ['192.0.2.7', '2001:DB8::7', 'node-1.example.com'],
      configured: ['11.1.2.3/8'],
    });
    expect(networks.blocked).toEqual([
      '11.0.0.0/8',
      '192.0.2.7/32',
      '198.51.100.0/24',
      '203.0.113.0/24',
      '2001:db8::7/128',
      '2001:db8:1::/64',
    ]);
  });

  it('leave out what nobody reaches anyway', () => {
    const inputs = {
      podCidrs: ['10.244.0.0/16'],
      serviceCidrs: ['fd00:10:96::/112'],
      nodeAddresses: ['172.18.0.2'],
      configured: ['100.100.0.0/16'],
    };
    expect(clusterNetworks(inputs).blocked).toEqual([]);
  });

  it.each(['::', '::1', '::7f00:1', '::ffff:169.254.169.254', '::ffff:0:169.254.169.254', '64:ff9b::a9fe:a9fe', 'fd00:ec2::254'])(
    'leave out %s, which stands for an address inside',
    (address) => {
      expect(clusterNetworks({ ...none, nodeAddresses: [address] }).blocked).toEqual([]);
    },
  );

  it('are joined where they are neighbours, and one inside of another is dropped', () => {
    const nodeAddresses = ['203.0.113.3', '203.0.113.0', '203.0.113.1', '203.0.113.2', '203.0.113.5'];
    expect(clusterNetworks({ ...none, nodeAddresses }).blocked).toEqual(['203.0.113.0/30', '203.0.113.5/32']);
    expect(clusterNetworks({ ...none, nodeAddresses, podCidrs: ['203.0.113.0/24'] }).blocked).toEqual(['203.0.113.0/24']);
  });

  it('refuse a network that cannot be read, since leaving it out would open it', () => {
    expect(() => clusterNetworks({ ...none, configured: ['11.0.0.0/8', '10.0.0.0/33'] })).toThrow('configured[1]');
    expect(() => clusterNetworks({ ...none, podCidrs: ['everything'] })).toThrow('podCidrs[0]');
  });

  it('have the same addresses however they are joined, whatever their order', () => {
    fc.assert(
      fc.property(fc.array(cidr, { maxLength: 12 }), fc.array(fc.oneof(fc.ipV4(), fc.ipV6()), { maxLength: 10 }), (texts, samples) => {
        const joined = aggregated(parsed(texts)).map(cidrText);
        expect(aggregated(parsed(texts.toReversed())).map(cidrText)).toEqual(joined);
        // Random addresses seldom hit: the networks' own ends always do.
        for (const ip of [...samples, ...texts.map((text) => text.split('/')[0] ?? '')])
          expect(joined.some((each) => isInCidr(each, ip))).toBe(texts.some((each) => isInCidr(each, ip)));
        expect(new Set(aggregated(parsed(joined)).map(cidrText))).toEqual(new Set(joined));
      }),
    );
  });
});
