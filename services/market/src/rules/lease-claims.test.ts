import { create } from '@bufbuild/protobuf';
import { LeaseSchema } from '@quartermaster/api/market';
import { describe, expect, it } from 'vitest';
import { leaseClaims } from './lease-claims.ts';

const leaseOf = (dseq: bigint) =>
  create(LeaseSchema, { id: `${dseq}-2-3-p1`, spec: { order: { owner: 'acme', dseq, gseq: 2, oseq: 3 }, provider: 'p1' } });
const wanted = { scopes: ['logs', 'shell'], services: ['web'], lifetimeMs: 60_000 };
const made = { jti: 'j', now: 1_800_000_000_900 };

describe('the claims of a token', () => {
  it('are for one lease at one provider, with sorted keys', () => {
    expect(JSON.stringify(leaseClaims(leaseOf(7n), wanted, made))).toBe(
      '{"exp":1800000060,"iat":1800000000,"iss":"acme","jti":"j","leases":{"access":"granular","permissions":[{"access":"granular",' +
        '"deployments":[{"dseq":7,"gseq":2,"oseq":3,"scope":["logs","shell"],"services":["web"]}],"provider":"p1"}]},"nbf":1800000000,"version":"v1"}',
    );
  });

  it('name no services where they are for all', () => {
    expect(JSON.stringify(leaseClaims(leaseOf(7n), { ...wanted, services: [] }, made))).not.toContain('services');
  });

  it('are none of a deployment whose number JSON cannot tell exactly', () => {
    const most = 2n ** 53n - 1n;
    expect(JSON.stringify(leaseClaims(leaseOf(most), wanted, made))).toContain('"dseq":9007199254740991,');
    expect(() => leaseClaims(leaseOf(most + 1n), wanted, made)).toThrow(
      expect.objectContaining({ code: 'failed_precondition', message: expect.stringContaining('dseq is above 2^53 - 1') }),
    );
  });
});
