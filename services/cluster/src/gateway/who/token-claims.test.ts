import { describe, expect, it } from 'vitest';
import { tokenClaimsOf } from '../../../test/token-signer.ts';
import { tokenClaims } from './token-claims.ts';

const isRead = (claims: unknown): boolean => tokenClaims.safeParse(claims).success;
const granular = (permissions: unknown) => tokenClaimsOf({ leases: { access: 'granular', permissions } });
const deployment = (changed: object = {}) =>
  granular([{ provider: 'p', access: 'granular', deployments: [{ dseq: 1, scope: ['logs'], ...changed }] }]);

describe('claims', () => {
  it('are read as the ecosystem writes them', () => {
    const all = [
      tokenClaimsOf({ jti: 'one' }),
      tokenClaimsOf({ leases: { access: 'scoped', scope: ['logs', 'ip-migrate'] } }),
      granular([
        { provider: 'p', access: 'full' },
        { provider: 'q', access: 'scoped', scope: ['shell'] },
      ]),
      deployment({ gseq: 1, oseq: 2, services: ['web'] }),
    ];
    for (const each of all) expect(tokenClaims.parse(each)).toEqual(each);
  });

  it.each([
    ['something unknown', tokenClaimsOf({ aud: 'x' })],
    ['another version', tokenClaimsOf({ version: 'v2' })],
    ['a version that is a number', tokenClaimsOf({ version: 1 })],
    ['no owner', tokenClaimsOf({ iss: '' })],
    ['an owner that is none', tokenClaimsOf({ iss: ['amy'] })],
    ['no end', tokenClaimsOf({ exp: undefined })],
    ['an end that is text', tokenClaimsOf({ exp: '9999999999' })],
    ['an end that is no whole number', tokenClaimsOf({ exp: 1.5 })],
    ['an end before all time', tokenClaimsOf({ exp: -1 })],
    ['an end after all time', tokenClaimsOf({ exp: 1e300 })],
    ['no leases', tokenClaimsOf({ leases: undefined })],
    ['an access that is unknown', tokenClaimsOf({ leases: { access: 'all' } })],
    ['full access, and scopes beside it', tokenClaimsOf({ leases: { access: 'full', scope: ['logs'] } })],
    ['scoped access without scopes', tokenClaimsOf({ leases: { access: 'scoped', scope: [] } })],
    ['a scope that is unknown', tokenClaimsOf({ leases: { access: 'scoped', scope: ['logs', 'root'] } })],
    ['granular access without permissions', granular([])],
    ['a permission for no provider', granular([{ access: 'full' }])],
    ['a full permission with deployments', granular([{ provider: 'p', access: 'full', deployments: [] }])],
    ['a granular permission without deployments', granular([{ provider: 'p', access: 'granular', deployments: [] }])],
    ['a deployment beyond what JSON says exactly', deployment({ dseq: 2 ** 53 })],
    ['a deployment that is text', deployment({ dseq: '1' })],
    ['deployment 0', deployment({ dseq: 0 })],
    ['an order of no group', deployment({ oseq: 1 })],
    ['no services where there must be one', deployment({ services: [] })],
    ['a service without a name', deployment({ services: [''] })],
    ['something unknown inside', deployment({ owner: 'bob' })],
    ['a list', [tokenClaimsOf()]],
    ['nothing', null],
  ])('with %s are refused', (_what, claims) => {
    expect(isRead(claims)).toBe(false);
  });

  it('are bounded', () => {
    const many = (length: number, each: unknown): unknown[] => Array.from({ length }, () => each);
    expect(isRead(granular(many(100, { provider: 'p', access: 'full' })))).toBe(true);
    expect(isRead(granular(many(101, { provider: 'p', access: 'full' })))).toBe(false);
    expect(isRead(deployment({ services: many(65, 'web') }))).toBe(false);
    expect(isRead(tokenClaimsOf({ iss: 'x'.repeat(257) }))).toBe(false);
  });
});
