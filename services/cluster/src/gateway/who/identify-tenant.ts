import { type Clock, StatusError } from '@quartermaster/kernel';
import type { PeerCertificate } from '@quartermaster/rpc';
import type { OwnerKey } from '../../market/market.ts';
import { checkTimes, isSignedBy, readToken } from './json-web-token.ts';
import type { OwnerKeys } from './owner-keys.ts';
import type { Tenant } from './tenant.ts';
import { fullAccess } from './token-claims.ts';

/** What a caller shows. */
export interface Shown {
  /** The header `authorization`, as it came. */
  readonly authorization: string | undefined;
  /** The handshake proved that the caller has its key, and nothing else. */
  readonly certificate: PeerCertificate | undefined;
}

export interface IdentifyOptions {
  readonly keys: Pick<OwnerKeys, 'of'>;
  /** Whether an account has a lease here: of others the market is not asked, so that nobody has it asked for names. */
  readonly hasLease: (owner: string) => boolean;
  readonly clock: Pick<Clock, 'now'>;
}

export type IdentifyTenant = (shown: Shown) => Promise<Tenant>;

/** Says whose credential a caller shows. Why a stranger is refused does not depend on whether the account exists. */
export function identifyTenant({ keys, hasLease, clock }: IdentifyOptions): IdentifyTenant {
  const keysOf = async (owner: string): Promise<readonly OwnerKey[]> => (hasLease(owner) ? await keys.of(owner) : []);
  const byToken = async (token: string): Promise<Tenant> => {
    const read = readToken(token);
    const { iss: owner, exp, leases: access } = read.claims;
    checkTimes(read.claims, clock.now());
    const signer = (await keysOf(owner)).find((each) => each.kind === 'secp256k1' && isSignedBy(read, each.key));
    if (signer === undefined)
      throw new StatusError('unauthenticated', `the token does not count: no key of ${owner} that this provider knows signed it`);
    return { owner, proof: 'token', fingerprint: signer.fingerprint, endsAt: exp * 1000, access };
  };
  const byCertificate = async ({ commonName: owner, fingerprint: shown, startsAt = 0, endsAt }: PeerCertificate): Promise<Tenant> => {
    const fingerprint = shown.replaceAll(':', '').toLowerCase();
    const now = clock.now();
    // Dates that cannot be read are none.
    if (!(startsAt <= now && now < endsAt)) {
      const dates = `from ${dateText(startsAt)} to ${dateText(endsAt)}`;
      throw new StatusError('unauthenticated', `the client certificate of ${owner} is valid ${dates}: show one that is valid now`);
    }
    const known = (await keysOf(owner)).some((each) => each.kind === 'certificate' && each.fingerprint === fingerprint);
    if (!known) {
      const way = 'register it at the market, or show one that is';
      throw new StatusError('unauthenticated', `the client certificate is not one of ${owner} that this provider knows: ${way}`);
    }
    return { owner, proof: 'certificate', fingerprint, endsAt, access: fullAccess };
  };
  return async ({ authorization, certificate }) => {
    const token = tokenIn(authorization);
    if (token !== undefined && certificate !== undefined)
      throw new StatusError('invalid_argument', 'a token and a client certificate were shown at once: show one of them');
    if (token !== undefined) return await byToken(token);
    if (certificate !== undefined) return await byCertificate(certificate);
    throw new StatusError(
      'unauthenticated',
      'not authenticated: send the header "authorization: Bearer <token>", or show a client certificate that the market knows',
    );
  };
}

const dateText = (at: number): string => (Number.isNaN(at) ? 'no date' : new Date(at).toISOString());

function tokenIn(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined;
  const [, token] = /^Bearer +(\S+) *$/i.exec(authorization) ?? [];
  if (token !== undefined) return token;
  throw new StatusError('invalid_argument', 'header "authorization": must be "Bearer <token>"');
}
