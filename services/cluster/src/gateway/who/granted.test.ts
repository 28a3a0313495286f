import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LeaseId } from '../../model/lease.ts';
import { covers, granted, isNothing } from './granted.ts';
import { type Scope, scopes, type TokenAccess, type TokenPermission } from './token-claims.ts';

const lease: LeaseId = { owner: 'amy', dseq: 7n, gseq: 1, oseq: 1, provider: 'p' };
const of = (...permissions: TokenPermission[]): TokenAccess => ({ access: 'granular', permissions });
type Deployment = Extract<TokenPermission, { readonly access: 'granular' }>['deployments'][number];
const deployment = (changed: Partial<Deployment> = {}): TokenPermission => ({
  ...{ provider: 'p', access: 'granular' },
  deployments: [{ dseq: 7, scope: ['logs'], ...changed }],
});

const scope = fc.constantFrom<Scope>('logs', 'shell', 'status');
const service = fc.constantFrom('web', 'db');
const number = fc.integer({ min: 1, max: 2 });
const someScopes = fc.uniqueArray(scope, { minLength: 1 });
const someDeployment: fc.Arbitrary<Deployment> = fc.record(
  { dseq: fc.constantFrom(7, 8), gseq: number, oseq: number, services: fc.uniqueArray(service, { minLength: 1 }), scope: someScopes },
  { requiredKeys: ['dseq', 'scope'] },
);
const provider = fc.constantFrom('p', 'q');
const permission: fc.Arbitrary<TokenPermission> = fc.oneof(
  fc.record({ provider, access: fc.constant('full' as const) }),
  fc.record({ provider, access: fc.constant('scoped' as const), scope: someScopes }),
  fc.record({ provider, access: fc.constant('granular' as const), deployments: fc.array(someDeployment, { minLength: 1, maxLength: 3 }) }),
);
const someLease = fc.record({ owner: fc.constant('amy'), dseq: fc.constantFrom(7n, 8n), gseq: number, oseq: number, provider });

/** The rule said once more, for one entry, one lease, one scope and one service. */
function isAllowed(each: TokenPermission, to: LeaseId, wanted: Scope, name: string): boolean {
  if (each.provider !== to.provider) return false;
  if (each.access === 'full') return true;
  if (each.access === 'scoped') return each.scope.includes(wanted);
  return each.deployments.some(
    ({ dseq, gseq, oseq, services, scope: named }) =>
      BigInt(dseq) === to.dseq &&
      (gseq ?? to.gseq) === to.gseq &&
      (oseq ?? to.oseq) === to.oseq &&
      (services ?? [name]).includes(name) &&
      named.includes(wanted),
  );
}

describe('what is granted', () => {
  it('is everything with full access, and what is named with scoped access', () => {
    for (const each of scopes) expect(granted({ access: 'full' }, lease, each)).toBe('all');
    expect(granted({ access: 'scoped', scope: ['logs'] }, lease, 'logs')).toBe('all');
    expect(isNothing(granted({ access: 'scoped', scope: ['logs'] }, lease, 'shell'))).toBe(true);
  });

  it.each([
    ['another provider', of({ provider: 'q', access: 'full' })],
    ['another deployment', of(deployment({ dseq: 8 }))],
    ['another group', of(deployment({ gseq: 2 }))],
    ['another order', of(deployment({ gseq: 1, oseq: 2 }))],
    ['another scope', of(deployment({ scope: ['shell', 'status'] }))],
  ])('is nothing by what is for %s', (_what, access) => {
    expect(isNothing(granted(access, lease, 'logs'))).toBe(true);
  });

  it('adds up over entries, service by service', () => {
    const both = granted(of(deployment({ services: ['web'] }), deployment({ services: ['db'], scope: ['shell', 'logs'] })), lease, 'logs');
    expect([covers(both, 'web'), covers(both, 'db'), covers(both, 'other'), isNothing(both)]).toEqual([true, true, false, false]);
    expect(granted(of(deployment({ services: ['web'] }), deployment()), lease, 'logs')).toBe('all');
  });

  it('covers what one of its entries covers, and nothing else', () => {
    fc.assert(
      fc.property(
        fc.array(permission, { minLength: 1, maxLength: 4 }),
        someLease,
        scope,
        fc.constantFrom('web', 'db', 'other'),
        (entries, to, wanted, name) => {
          const grant = granted({ access: 'granular', permissions: entries }, to, wanted);
          expect(covers(grant, name)).toBe(entries.some((each) => isAllowed(each, to, wanted, name)));
          if (isNothing(grant)) expect(covers(grant, name)).toBe(false);
        },
      ),
      { numRuns: 1_000 },
    );
  });
});
