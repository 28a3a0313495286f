import { describe, expect, it } from 'vitest';
import { LoadBalancerAddresses } from './load-balancer-addresses.ts';

const [first, second] = ['192.0.2.1', '192.0.2.2'];
const pool = () =>
  new LoadBalancerAddresses(
    new Map([
      ['default', ['192.0.2.1-192.0.2.2']],
      ['gold', ['198.51.100.1-198.51.100.1']],
    ]),
  );
const wish = (changed: object = {}) => ({ sharingKey: undefined, ports: ['80/TCP'], ...changed });

describe('the addresses of a load balancer', () => {
  it('are given to one Service each, until there are none', () => {
    const addresses = pool();
    expect([addresses.give('a', wish()), addresses.give('b', wish())]).toEqual([first, second]);
    expect(() => addresses.give('c', wish())).toThrow('in use');
    addresses.release('a');
    expect(addresses.give('c', wish())).toBe(first);
    expect(addresses.give('d', wish({ pool: 'gold' }))).toBe('198.51.100.1');
  });

  it('are shared by Services of one key with other ports, and by nobody else', () => {
    const addresses = pool();
    const shared = (port: string, sharingKey = 'k') => wish({ sharingKey, ports: [port] });
    expect(addresses.give('a', shared('80/TCP'))).toBe(first);
    expect(addresses.give('b', shared('80/UDP'))).toBe(first);
    expect(addresses.give('c', shared('80/TCP'))).toBe(second);
    expect(() => addresses.give('d', shared('443/TCP', 'other'))).toThrow('in use');
    // The last one that has it sets it free.
    addresses.release('a');
    expect(() => addresses.give('d', shared('443/TCP', 'other'))).toThrow('in use');
    addresses.release('b');
    expect(addresses.give('d', shared('443/TCP', 'other'))).toBe(first);
  });

  it('are asked for by name, and waited for while somebody else has them', () => {
    const addresses = pool();
    addresses.give('a', wish());
    expect(addresses.give('b', wish({ address: first }))).toBeUndefined();
    addresses.release('a');
    expect(addresses.give('b', wish({ address: first }))).toBe(first);
    expect(addresses.give('c', wish({ address: '203.0.113.9' }))).toBeUndefined();
  });

  it('are kept as they were found', () => {
    const addresses = pool();
    addresses.keep('a', first, wish());
    expect([addresses.of('a'), addresses.give('b', wish())]).toEqual([first, second]);
    addresses.keep('a', '203.0.113.9', wish());
    expect(addresses.give('c', wish())).toBe(first);
  });
});
