import { expect, it } from 'vitest';
import { accountFor, providerOf } from './account-of.ts';

it.each([
  [['acme'], [], 'acme'],
  [['acme', 'blue'], ['blue'], 'blue'],
  [['shared'], ['acme'], 'acme'],
])('of somebody of %j who names %j', (defaultTenants, named, expected) => {
  expect(accountFor({ defaultTenants }, named)).toBe(expected);
});

it.each([
  [['acme', 'blue'], []],
  [['shared'], []],
  [['acme'], ['acme', 'blue']],
  [['acme'], ['shared']],
])('is none of somebody of %j who names %j', (defaultTenants, named) => {
  expect(() => accountFor({ defaultTenants }, named)).toThrow('field "metadata.tenants": must be exactly one tenant');
});

it('is of a provider the one that it is bound to', () => {
  const principal = {
    name: 'ann',
    role: 'provider',
    visibleTenants: 'all',
    assignableTenants: [],
    defaultTenants: [],
    mayReadSecrets: false,
  } as const;
  expect(providerOf({ ...principal, source: 'p1' })).toBe('p1');
  expect(() => providerOf(principal)).toThrow('market-providers');
});
