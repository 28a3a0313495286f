import { FakeClock, silentLog } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type KnownCaller, principalFor } from './access-policy.ts';
import { accessPolicyOf, accessShape } from './access-settings.ts';
import { accessTable } from './access-table.ts';
import { authenticator } from './authenticator.ts';
import type { CallerRoles, ClusterRight } from './caller-role.ts';
import { principalOf } from './principal.ts';

const roles = {
  admin: { setting: { name: 'admins', description: 'd' }, tenants: 'all', right: { verb: 'delete', group: 'g', plural: 'things' } },
  reader: {
    setting: { name: 'readers', description: 'd' },
    tenants: 'all',
    right: { verb: 'get', group: 'g', plural: 'books' },
    alsoFor: ['provider'],
  },
} as const satisfies CallerRoles;

const schema = z.object(accessShape('library', roles));
const policyOf = (values: object) => accessPolicyOf('library', roles, schema.parse(values));
const table = accessTable({
  's.Books': { Read: { callers: ['admin', 'reader'], effect: 'read' }, Burn: { callers: ['admin'], effect: 'write' } },
});
const { signal } = new AbortController();

/** An account with these verbs, and what the cluster was asked. */
function withRights(verbs: readonly string[], values: object = {}) {
  const asked: string[] = [];
  const authenticate = authenticator({
    verifier: { verify: async () => undefined },
    reviewToken: async (name) => ({ name: `system:serviceaccount:${name}`, groups: ['g'], uid: 'u-1' }),
    reviewRight: async ({ name, uid }, { verb, plural, group }: ClusterRight) => {
      asked.push(`${name} ${uid} ${verb} ${plural}.${group}`);
      return verbs.includes(verb);
    },
    policy: () => policyOf(values),
    table: () => table,
    log: silentLog,
    clock: new FakeClock(),
  });
  const call = async (method: string) =>
    await authenticate({ method: `/s.Books/${method}`, peer: 'p', token: 'a:b', certificate: undefined }, signal);
  return { asked, call };
}

describe('roles by rights in the cluster', () => {
  it('are given to service accounts, the highest first', async () => {
    expect(principalOf(await withRights(['get']).call('Read'))).toMatchObject({ role: 'reader', visibleTenants: 'all' });
    expect(principalOf(await withRights(['get', 'delete']).call('Burn')).role).toBe('admin');
    await expect(withRights(['get']).call('Burn')).rejects.toMatchObject({ code: 'permission_denied' });
  });

  it('are not given to an account without them, which is told what it lacks', async () => {
    const { call, asked } = withRights([]);
    await expect(call('Read')).rejects.toMatchObject({
      code: 'permission_denied',
      message:
        'system:serviceaccount:a:b has no role here: give it a role: serviceaccount:namespace/name in library-admins or library-readers, or allow it in the cluster to get books.g, or to delete things.g',
    });
    expect(asked).toEqual(['system:serviceaccount:a:b u-1 delete things.g', 'system:serviceaccount:a:b u-1 get books.g']);
  });

  it('are not asked for where the settings give the account a role', async () => {
    const { call, asked } = withRights(['delete'], { 'library-readers': ['serviceaccount:a/b'] });
    expect(principalOf(await call('Read')).role).toBe('reader');
    expect(asked).toEqual([]);
  });
});

describe('a service without a role for everybody', () => {
  const policy = policyOf({ 'library-readers': ['group:staff'] });
  const roleOf = (caller: KnownCaller): string => principalFor(caller, policy).role;

  it('has a role for whom the settings name, and none for members of tenants', () => {
    expect(roleOf({ way: 'issuer', name: 'ann', groups: ['staff'] })).toBe('reader');
    for (const way of ['issuer', 'certificate', 'service-account'] as const) {
      expect(() => roleOf({ way, name: 'system:serviceaccount:blue:x', groups: ['blue'] })).toThrow(/has no role here: give it a role/);
    }
  });

  it('takes a local token by the role that it says, also by that of another service which is as good', () => {
    const local = (role?: string): KnownCaller => ({ way: 'local', name: 'x', groups: ['blue'], role });
    expect(roleOf(local('reader'))).toBe('reader');
    expect(roleOf(local('provider'))).toBe('reader');
    expect(() => roleOf(local('tenant'))).toThrow('has the role tenant, which does not exist here');
    expect(() => roleOf(local())).toThrow('issue a token with the role admin or reader');
  });
});
