import { BidService, LeaseService, ReservationService } from '@quartermaster/api/cluster';
import { RemovalsService } from '@quartermaster/api/removals';
import { mayCall, rightsOf } from '@quartermaster/auth';
import { describe, expect, it } from 'vitest';
import { clusterAccess, routes } from './access-table.ts';
import { callerRoles } from './caller-roles.ts';

const reservations = (name: string) => `/${ReservationService.typeName}/${name}`;
const leases = (name: string) => `/${LeaseService.typeName}/${name}`;
const preview = leases('PreviewManifest');
const writes = [
  ...['Reserve', 'Unreserve'].map(reservations),
  ...['SubmitManifest', 'CloseLease', 'TransferHostname', 'TransferAddress', 'CollectLeftovers'].map(leases),
  `/${RemovalsService.typeName}/ApproveRemoval`,
];

describe('who may call the cluster service', () => {
  it('is said of every method and path, and of nothing else', () => {
    const services = [ReservationService, BidService, LeaseService, RemovalsService];
    const methods = services.flatMap(({ typeName, methods: all }) => all.map(({ name }) => `/${typeName}/${name}`));
    expect([...clusterAccess.keys()].toSorted()).toEqual([...methods, ...Object.values(routes)].toSorted());
  });

  it('is nobody without a role, tenants neither', () => {
    for (const { callers } of clusterAccess.values()) expect(callers).not.toBe('anyone');
    expect(rightsOf(clusterAccess, 'tenant')).toEqual([]);
  });

  it('is a reader for all that reads, and an administrator or a provider for all', () => {
    const all = [...clusterAccess.keys()];
    expect(all.filter((each) => !mayCall(clusterAccess, 'admin', each))).toEqual([]);
    expect(all.filter((each) => !mayCall(clusterAccess, 'reader', each))).toEqual(expect.arrayContaining([...writes, preview]));
    expect(all.filter((each) => !mayCall(clusterAccess, 'reader', each))).toHaveLength(writes.length + 1);
    expect(callerRoles.admin.alsoFor).toEqual(['provider']);
    for (const write of writes)
      expect(clusterAccess.get(write)).toMatchObject({ effect: 'write', wayIn: { reader: expect.stringContaining('cluster-admins') } });
  });

  it('is no reader for a preview, which says whether a guessed value is the one that runs', () => {
    expect(clusterAccess.get(preview)).toMatchObject({ callers: ['admin'], effect: 'read' });
    expect(mayCall(clusterAccess, 'reader', preview)).toBe(false);
  });

  it('is no service account by the right to write the objects, which would let it promise without the service', () => {
    expect(Object.values(callerRoles).map(({ right }) => right.verb)).toEqual(['reserve', 'get']);
  });
});
