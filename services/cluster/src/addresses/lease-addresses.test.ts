import { describe, expect, it } from 'vitest';
import { expose } from '../../test/lease-content.ts';
import { groupOf, leaseRecord, leaseServiceOf } from '../../test/seen-lease.ts';
import type { SeenPort } from '../known-leases/lease-sight.ts';
import { addressNotes } from './address-notes.ts';
import { addressOf, leaseAddresses } from './lease-addresses.ts';
import type { MovedAddress } from './moved-address.ts';

const [from, to] = [leaseRecord('amy', 1n), leaseRecord('amy', 2n)];
const address = '192.0.2.7';
const port = (changed: Partial<SeenPort> = {}): SeenPort => ({
  ...{ service: 'web', port: 80, externalPort: 80, protocol: 'TCP', endpoint: 'front', ip: '192.0.2.1' },
  ...changed,
});
const moved: MovedAddress = { address, owner: 'amy', lease: to.name, endpoint: 'front', formerly: [from.name] };

/** Ports of the two leases, and whether the address of the first was moved to the second. */
function seen(ports: { readonly from?: readonly SeenPort[]; readonly to?: readonly SeenPort[] }, isMoved = true) {
  const is = (lease: string, of: string, endpoint: string) => (isMoved && lease === of && endpoint === 'front' ? moved : undefined);
  return {
    addresses: {
      heldBy: (lease: string, endpoint: string) => is(lease, to.name, endpoint),
      givenBy: (lease: string, endpoint: string) => is(lease, from.name, endpoint),
    },
    records: { of: (name: string) => [from, to].find((each) => each.name === name) },
    caches: { portsIn: (namespace: string) => (namespace === from.namespace ? ports.from : ports.to) ?? [] },
  };
}

describe('the leased addresses of a lease', () => {
  const told = (ports: Parameters<typeof seen>[0]) => {
    const { taken, given, leaving } = leaseAddresses(seen(ports), from, ['front', 'back']);
    return { taken: [...taken], given: [...given], leaving: leaving.map((each) => each.address) };
  };

  it('are any where none was moved', () => {
    const { taken, given, leaving } = leaseAddresses(seen({ from: [port()] }, false), from, ['front']);
    expect([taken.size, given.size, leaving]).toEqual([0, 0, []]);
  });

  it('are asked for where they were moved to, each for its endpoint', () => {
    const { taken, given } = leaseAddresses(seen({}), to, ['front', 'back']);
    expect([[...taken], [...given]]).toEqual([[['front', address]], []]);
  });

  it.each([
    ['has no Services yet', []],
    ['has Services that ask for none', [port()]],
    ['has Services that ask for another one', [port({ asked: '192.0.2.9' })]],
    ['asks for it under another endpoint', [port({ endpoint: 'back', asked: address })]],
  ])('stay where they were as long as the lease that gets them %s', (_what, there) => {
    expect(told({ from: [port({ ip: address })], to: there })).toEqual({ taken: [], given: [], leaving: [address] });
  });

  it('go as soon as the other lease asks for them, port by port', () => {
    const there = [port({ asked: address, ip: '' }), port({ port: 443 })];
    expect(told({ from: [port({ ip: address })], to: there })).toEqual({ taken: [], given: ['front'], leaving: [] });
  });

  it('do not come back once they have gone, whatever becomes of the other Services', () => {
    expect(told({ from: [port({ endpoint: 'back' })], to: [] })).toEqual({ taken: [], given: ['front'], leaving: [] });
  });

  it('are what was moved rather than what the Services say, and none where they were moved away', () => {
    expect(addressOf(seen({ to: [port()] }), to, 'front')).toBe(address);
    expect(addressOf(seen({ from: [port()] }), from, 'front')).toBeUndefined();
    expect(addressOf(seen({ from: [port()] }, false), from, 'front')).toBe('192.0.2.1');
    expect(addressOf(seen({ from: [port({ ip: '' })] }, false), from, 'front')).toBeUndefined();
    expect(addressOf(seen({ from: [port({ endpoint: 'back' })] }, false), from, 'front')).toBeUndefined();
  });
});

describe('what a tenant is told of leased addresses', () => {
  const group = groupOf(leaseServiceOf('web', { exposes: [expose({ ip: 'front' })] }), leaseServiceOf('db'));
  const notes = (of: typeof from, ports: Parameters<typeof seen>[0], isMoved = true) => addressNotes(seen(ports, isMoved), of, group);

  it('is where one went, and how to have one again', () => {
    const message =
      'endpoint front: its address 192.0.2.7 was moved to deployment 2, group 1: move it back to have one here, or close this deployment';
    expect(notes(from, {})).toEqual([{ service: 'web', message }]);
  });

  it.each([
    ['has no Services', []],
    ['has another address still', [port()]],
    ['has it at some ports', [port({ ip: address }), port({ ip: '' })]],
  ])('is that one does not lead here yet where the lease %s', (_what, there) => {
    expect(notes(to, { to: there })).toEqual([{ service: 'web', message: expect.stringContaining('does not lead here yet') }]);
  });

  it('is nothing where all is as it should be', () => {
    expect(notes(to, { to: [port({ ip: address })] })).toEqual([]);
    expect(notes(from, { from: [port()] }, false)).toEqual([]);
  });
});
