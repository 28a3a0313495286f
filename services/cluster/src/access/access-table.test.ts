import { BidService, ReservationService } from '@quartermaster/api/cluster';
import { mayCall, rightsOf } from '@quartermaster/auth';
import { describe, expect, it } from 'vitest';
import { clusterAccess, routes } from './access-table.ts';
import { callerRoles } from './caller-roles.ts';

const method = (name: string) => `/${ReservationService.typeName}/${name}`;
const writes = [method('Reserve'), method('Unreserve')];

describe('who may call the cluster service', () => {
  it('is said of every method and path, and of nothing else', () => {
    const methods = [ReservationService, BidService].flatMap(({ typeName, methods: all }) => all.map(({ name }) => `/${typeName}/${name}`));
    expect([...clusterAccess.keys()].toSorted()).toEqual([...methods, ...Object.values(routes)].toSorted());
  });

  it('is nobody without a role, tenants neither', () => {
    for (const { callers } of clusterAccess.values()) expect(callers).not.toBe('anyone');
    expect(rightsOf(clusterAccess, 'tenant')).toEqual([]);
  });

  it('is a reader for all that reads, and an administrator or a provider for all', () => {
    const all = [...clusterAccess.keys()];
    expect(all.filter((each) => !mayCall(clusterAccess, 'admin', each))).toEqual([]);
    expect(all.filter((each) => !mayCall(clusterAccess, 'reader', each))).toEqual(writes);
    expect(callerRoles.admin.alsoFor).toEqual(['provider']);
    for (const write of writes)
      expect(clusterAccess.get(write)).toMatchObject({ effect: 'write', wayIn: { reader: expect.stringContaining('cluster-admins') } });
  });

  it('is no service account by the right to write the objects, which would let it promise without the service', () => {
    expect(Object.values(callerRoles).map(({ right }) => right.verb)).toEqual(['reserve', 'get']);
  });
});
