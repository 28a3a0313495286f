import type { Principal } from '@quartermaster/auth';
import { expect, it } from 'vitest';
import { mayReveal } from './may-reveal.ts';

const all = { visibleTenants: 'all', assignableTenants: 'all', defaultTenants: ['shared'] } as const;
const ofBlue = { visibleTenants: ['blue', 'shared'], assignableTenants: ['blue'], defaultTenants: ['blue'] } as const;
const principal = (sees: typeof all | typeof ofBlue, mayReadSecrets: boolean): Principal => ({
  name: 'ann',
  role: 'r',
  ...sees,
  mayReadSecrets,
});

it.each([
  ['whose role opens secrets', principal(all, true), ['blue'], true],
  ['that sees all tenants, and opens none', principal(all, false), ['blue'], false],
  ['of a tenant that owns it', principal(ofBlue, false), ['blue', 'red'], true],
  ['of a tenant that it is shared with', principal(ofBlue, false), ['shared'], false],
  ['of another tenant', principal(ofBlue, false), ['red'], false],
] as const)('a caller %s', (_who, caller, tenants, expected) => {
  expect(mayReveal(caller, tenants)).toBe(expected);
});
