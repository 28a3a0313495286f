import type { Lease } from '@quartermaster/api/market';
import { StatusError } from '@quartermaster/kernel';
import type { WantedToken } from './token-rules.ts';

export interface LeaseClaims {
  /** Seconds of the wall clock, as all times of claims are. */
  readonly exp: number;
  readonly iat: number;
  /** The owner of the lease. */
  readonly iss: string;
  readonly jti: string;
  readonly leases: object;
  readonly nbf: number;
  readonly version: 'v1';
}

/** What a token says that is for one lease alone, with sorted keys. Throws `failed_precondition` where a number of the lease cannot be said in it. */
export function leaseClaims(
  { id, spec }: Lease,
  { scopes, services, lifetimeMs }: WantedToken,
  { jti, now }: { readonly jti: string; readonly now: number },
): LeaseClaims {
  const { owner, dseq, gseq, oseq } = spec?.order ?? { owner: '', dseq: 0n, gseq: 0, oseq: 0 };
  if (dseq > BigInt(Number.MAX_SAFE_INTEGER)) {
    throw new StatusError(
      'failed_precondition',
      `lease "${id}" cannot be named in a token: its dseq is above 2^53 - 1, which JSON cannot tell exactly; show the provider a certificate of the account instead`,
    );
  }
  const deployment = { dseq: Number(dseq), gseq, oseq, scope: scopes, ...(services.length > 0 && { services }) };
  const permission = { access: 'granular', deployments: [deployment], provider: spec?.provider ?? '' };
  const iat = Math.floor(now / 1000);
  return {
    exp: Math.floor((now + lifetimeMs) / 1000),
    iat,
    iss: owner,
    jti,
    leases: { access: 'granular', permissions: [permission] },
    nbf: iat,
    version: 'v1',
  };
}
