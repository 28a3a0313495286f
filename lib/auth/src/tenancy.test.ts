import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasTenant, isOwn, isVisible, tenantsForCreate, tenantsForUpdate, visibleOf } from './tenancy.ts';

const everything = { visibleTenants: 'all', assignableTenants: 'all', defaultTenants: ['shared'] } as const;
const member = { visibleTenants: ['blue', 'red', 'shared'], assignableTenants: ['blue', 'red'], defaultTenants: ['blue', 'red'] } as const;

describe('tenants of a new object', () => {
  it('are the default ones unless some are asked for', () => {
    expect(tenantsForCreate(member, [])).toEqual(['blue', 'red']);
    expect(tenantsForCreate(member, ['red'])).toEqual(['red']);
    expect(tenantsForCreate(everything, [])).toEqual(['shared']);
    expect(tenantsForCreate(everything, ['z', 'a', 'z'])).toEqual(['a', 'z']);
  });

  it('cannot be one that the caller does not see', () => {
    expect(() => tenantsForCreate(member, ['green'])).toThrow(/tenant 'green' doesn't exist.*'blue', 'red'/);
    expect(() => tenantsForCreate(member, ['system'])).toThrow(/tenant 'system' doesn't exist/);
  });

  it('cannot be one that the caller sees and may not give', () => {
    expect(() => tenantsForCreate(member, ['blue', 'shared'])).toThrow(/tenant 'shared' can't be assigned/);
    expect(() => tenantsForCreate(member, ['shared'])).toThrow(expect.objectContaining({ code: 'permission_denied' }));
  });

  it('have those that the caller must give and does not see', () => {
    const watched = { visibleTenants: ['blue'], assignableTenants: ['blue', 'system'], defaultTenants: ['blue'] };
    expect(tenantsForCreate(watched, [])).toEqual(['blue', 'system']);
    expect(tenantsForCreate(watched, ['blue'])).toEqual(['blue', 'system']);
  });
});

describe('an object', () => {
  it("is a caller's own by a tenant that the caller may give, not by being shared", () => {
    expect([['blue'], ['green', 'red'], ['red', 'shared']].map((tenants) => isOwn(member, tenants))).toEqual([true, true, true]);
    expect([['shared'], ['green'], []].map((tenants) => isOwn(member, tenants))).toEqual([false, false, false]);
    expect([['shared'], ['green'], []].map((tenants) => isOwn(everything, tenants))).toEqual([true, true, true]);
  });
});

describe('tenants of an updated object', () => {
  it('stay when none are named', () => {
    expect(tenantsForUpdate(member, [], ['green', 'blue'])).toEqual(['blue', 'green']);
  });

  it('keep what the caller cannot see', () => {
    expect(tenantsForUpdate(member, ['red'], ['green', 'blue'])).toEqual(['green', 'red']);
  });

  it('may keep one that the caller could not give', () => {
    expect(tenantsForUpdate(member, ['blue', 'shared'], ['shared'])).toEqual(['blue', 'shared']);
    expect(() => tenantsForUpdate(member, ['blue', 'shared'], ['blue'])).toThrow(/can't be assigned/);
  });
});

const tenant: fc.Arbitrary<string> = fc.constantFrom('a', 'b', 'c', 'd', 'shared', 'system');
const some = fc.uniqueArray(tenant);
const owner = fc.record({ visible: some, assignable: some, defaults: some }).map(({ visible, assignable, defaults }) => ({
  visibleTenants: visible,
  assignableTenants: assignable,
  defaultTenants: defaults.filter((each) => assignable.includes(each)),
}));

describe('tenants', () => {
  it('of a new object are always ones that the caller may give', () => {
    fc.assert(
      fc.property(owner, some, (principal, requested) => {
        try {
          const given = tenantsForCreate(principal, requested);
          expect(given.every((each) => principal.assignableTenants.includes(each))).toBe(true);
          expect(requested.every((each) => given.includes(each))).toBe(true);
        } catch (thrown) {
          expect(thrown).toMatchObject({ code: 'permission_denied' });
          expect(requested.some((each) => !hasTenant(principal.visibleTenants, each) || !principal.assignableTenants.includes(each))).toBe(
            true,
          );
        }
      }),
    );
  });

  it('that a caller does not see are never shown, and never lost by its update', () => {
    fc.assert(
      fc.property(owner, some, some, (principal, requested, stored) => {
        const hidden = stored.filter((each) => !principal.visibleTenants.includes(each));
        expect(visibleOf(principal, stored).some((each) => hidden.includes(each))).toBe(false);
        expect(isVisible(principal, stored)).toBe(hidden.length < stored.length);
        const allowed = requested.filter((each) => hasTenant(principal.visibleTenants, each) && principal.assignableTenants.includes(each));
        const after = tenantsForUpdate(principal, allowed, stored);
        expect(hidden.every((each) => after.includes(each))).toBe(true);
      }),
    );
  });
});
