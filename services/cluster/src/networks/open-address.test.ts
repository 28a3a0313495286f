import { describe, expect, it } from 'vitest';
import { openAddress } from './open-address.ts';

const networks = { blocked: ['203.0.113.0/24', '2001:db8:1::/64'] };
const pod = (key: string, ...addresses: readonly string[]) => ({ key, value: { addresses } });

describe('addresses of pods', () => {
  it('are kept from tenants where they are private, or in a network of the cluster', () => {
    const pods = [pod('lease-a/web', '10.244.1.2', 'fd00::2'), pod('lease-b/web', '203.0.113.9', '2001:db8:1::9'), pod('lease-c/new')];
    expect(openAddress(pods, networks)).toBeUndefined();
  });

  it.each([
    ['198.51.100.7', ['10.244.1.2', '198.51.100.7']],
    ['2001:db8:2::7', ['203.0.113.9', '2001:db8:2::7']],
    ['203.0.114.1', ['203.0.114.1']],
  ])('are open where %s is in none', (address, addresses) => {
    const message = openAddress([pod('lease-a/web', '10.244.1.2'), pod('lease-b/db', ...addresses)], networks);
    expect(message).toBe(
      `pod lease-b/db has the address ${address}, which is in no network that tenants are kept from: they may reach all pods of the cluster; add the network of pods to deployment-blocked-networks`,
    );
  });

  it('are looked at with each change of the networks', () => {
    const pods = [pod('lease-a/web', '198.51.100.7')];
    expect(openAddress(pods, networks)).toContain('198.51.100.7');
    expect(openAddress(pods, { blocked: ['198.51.100.0/24'] })).toBeUndefined();
  });
});
