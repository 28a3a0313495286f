import { describe, expect, it } from 'vitest';
import { order } from '../../../test/filled-book.ts';
import { groupOf, leaseRecord, leaseServiceOf, leaseSight } from '../../../test/seen-lease.ts';
import type { LeaseRecord } from '../../known-leases/lease-record.ts';
import { orderName } from '../../reservations/order-name.ts';
import type { Tenant } from '../who/tenant.ts';
import type { TokenAccess, TokenPermission } from '../who/token-claims.ts';
import { LeaseDoor } from './lease-door.ts';

const numbers = { dseq: 7n, gseq: order('amy', 7n).gseq, oseq: order('amy', 7n).oseq };
const tenant = (owner = 'amy', access: TokenAccess = { access: 'full' }): Tenant => ({
  owner,
  proof: 'token',
  fingerprint: 'f',
  endsAt: 0,
  access,
});
const granular = (...deployments: Extract<TokenPermission, { access: 'granular' }>['deployments']): Tenant =>
  tenant('amy', { access: 'granular', permissions: [{ provider: 'akash1provider', access: 'granular', deployments }] });
const webOnly = granular({ dseq: 7, scope: ['logs', 'send-manifest'], services: ['web'] });
const refusal = (code: string, text = ''): unknown => expect.objectContaining({ code, message: expect.stringContaining(text) });

function doorOf(...records: LeaseRecord[]): LeaseDoor {
  const manifest = { group: groupOf(leaseServiceOf('web'), leaseServiceOf('db')), hash: 'a' };
  const sights = new Map(records.map(({ name, lease }) => [name, leaseSight(lease.owner, lease.dseq, { lease, manifest })]));
  const of = (name: string) => records.find((each) => each.name === name);
  return new LeaseDoor({
    records: { of, all: () => records, isRead: true },
    sights: { of: (name) => sights.get(name) },
    decisions: { all: () => [] },
  });
}
const amys = leaseRecord('amy', 7n);
const bobs = leaseRecord('bob', 7n);
const group2: LeaseRecord = { ...amys, name: orderName({ ...amys.lease, gseq: 2 }), lease: { ...amys.lease, gseq: 2 } };

describe('the door to leases', () => {
  it('knows who has one as soon as it was bid for, since clients come as soon as they have it', () => {
    const records = { of: () => undefined, all: () => [], isRead: true };
    const door = new LeaseDoor({ records, sights: { of: () => undefined }, decisions: { all: () => [{ order: order('amy', 7n) }] } });
    expect([door.hasLease('amy'), door.hasLease('bob')]).toEqual([true, false]);
    // By these words clients of the ecosystem know that they have to wait.
    expect(() => door.ofDeployment(tenant(), 7n, 'send-manifest')).toThrow(refusal('not_found', 'no lease for deployment 7'));
  });

  it('tells nobody that they have none before it is read who has', () => {
    const records = { of: () => undefined, all: () => [], isRead: false };
    const door = new LeaseDoor({ records, sights: { of: () => undefined }, decisions: { all: () => [] } });
    for (const ask of [
      () => door.hasLease('amy'),
      () => door.open(tenant(), numbers, 'status'),
      () => door.ofDeployment(tenant(), 7n, 'send-manifest'),
    ])
      expect(ask).toThrow(refusal('unavailable', 'still reading'));
  });

  it('opens to the owner', () => {
    const { sight, services } = doorOf(amys, bobs).open(tenant(), numbers, 'shell');
    expect([sight.lease.owner, services]).toEqual(['amy', 'all']);
  });

  it('opens to each owner their own lease of the same numbers', () => {
    expect(doorOf(amys, bobs).open(tenant('bob'), numbers, 'logs').sight.lease.owner).toBe('bob');
    expect(() => doorOf(amys).open(tenant('bob'), numbers, 'logs')).toThrow(refusal('not_found', 'bob has no such open lease here'));
  });

  it('is not opened by an owner that looks like another one in a name', () => {
    for (const owner of ['Amy', 'amy-7', 'amy ', 'a.my', ''])
      expect(() => doorOf(amys, bobs).open(tenant(owner), numbers, 'logs')).toThrow(refusal('not_found'));
  });

  it('is not opened by an owner after whom the lease of another one is named', () => {
    const door = doorOf({ ...bobs, name: amys.name });
    expect(() => door.open(tenant(), numbers, 'logs')).toThrow(refusal('not_found'));
    expect(() => door.ofDeployment(tenant(), 7n, 'send-manifest')).toThrow(refusal('not_found'));
  });

  it.each([
    ['complete', { state: 'Complete' as const }],
    ['closing', { closingAt: 1 }],
    ['about to close', { reason: 'Closing' }],
  ])('is shut for a lease that is %s', (_what, changed) => {
    const door = doorOf({ ...amys, ...changed });
    expect(() => door.open(tenant(), numbers, 'status')).toThrow(refusal('not_found'));
    expect(() => door.ofDeployment(tenant(), 7n, 'send-manifest')).toThrow(refusal('not_found'));
    expect([door.isOpen(amys.name), door.hasLease('amy')]).toEqual([false, true]);
  });

  it('is shut for a lease that nobody knows', () => {
    const door = doorOf(bobs);
    expect(() => door.open(tenant(), { ...numbers, gseq: 9 }, 'status')).toThrow(refusal('not_found'));
    expect([door.isOpen(amys.name), door.isOpen(bobs.name), door.hasLease('amy'), door.hasLease('bob')]).toEqual([
      false,
      true,
      false,
      true,
    ]);
  });

  it('is shut for a token that is for something else', () => {
    const door = doorOf(amys);
    expect(() => door.open(tenant('amy', { access: 'scoped', scope: ['logs'] }), numbers, 'shell')).toThrow(
      refusal('permission_denied', 'not for shell of lease 7/'),
    );
    expect(() => door.open(granular({ dseq: 8, scope: ['logs'] }), numbers, 'logs')).toThrow(refusal('permission_denied'));
  });

  it('opens to a token for some services no more than those', () => {
    const door = doorOf(amys);
    expect(door.open(webOnly, numbers, 'logs').services).toEqual(new Set(['web']));
    expect(door.openService(webOnly, numbers, 'logs', 'web').name).toBe(amys.name);
    expect(() => door.openService(webOnly, numbers, 'logs', 'db')).toThrow(refusal('permission_denied', 'service db'));
    expect(() => door.openWhole(webOnly, numbers, 'logs')).toThrow(refusal('permission_denied', 'the services web alone'));
    expect(door.openWhole(granular({ dseq: 7, scope: ['logs'] }), numbers, 'logs').name).toBe(amys.name);
  });

  it('says of a service that there is none only to those who may know', () => {
    const door = doorOf(amys);
    expect(() => door.openService(tenant(), numbers, 'logs', 'cache')).toThrow(refusal('not_found', 'service cache'));
    expect(() => door.openService(webOnly, numbers, 'logs', 'cache')).toThrow(refusal('permission_denied'));
  });

  it('opens the leases of a deployment for whose every service the token is', () => {
    const door = doorOf(amys, group2, bobs);
    const names = (of: Tenant) => door.ofDeployment(of, 7n, 'send-manifest').map(({ name }) => name);
    expect(names(tenant())).toEqual([amys.name, group2.name]);
    expect(names(granular({ dseq: 7, gseq: 2, scope: ['send-manifest'] }))).toEqual([group2.name]);
    expect(() => names(webOnly)).toThrow(refusal('permission_denied', 'deployment 7'));
    expect(() => door.ofDeployment(tenant(), 8n, 'send-manifest')).toThrow(refusal('not_found', 'deployment 8'));
  });
});
