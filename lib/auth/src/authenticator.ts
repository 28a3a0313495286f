import { type Clock, type Log, StatusError } from '@quartermaster/kernel';
import { type Authenticate, anonymous, type Caller, type Identity, type PeerCertificate } from '@quartermaster/rpc';
import { decodeJwt } from 'jose';
import { type AccessPolicy, isEmergency, isGranted, type KnownCaller, principalFor } from './access-policy.ts';
import { type AccessTable, type MethodAccess, mayCall } from './access-table.ts';
import type { ClusterRight } from './caller-role.ts';
import type { Principal, PrincipalIdentity } from './principal.ts';
import type { TokenVerifier, VerifiedToken } from './token-verifier.ts';

/** Whose a token is, as the API server of Kubernetes says. */
export interface TokenOwner {
  /** `system:serviceaccount:namespace:name` for a service account. */
  readonly name: string;
  readonly groups: readonly string[];
  readonly uid?: string | undefined;
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** Undefined when the token is not valid. Throws `unavailable` when the API server cannot be asked. */
export type ReviewToken = (token: string, signal: AbortSignal) => Promise<TokenOwner | undefined>;

/** Whether the owner of a token has a right in the cluster. Throws `unavailable` when the API server cannot be asked. */
export type ReviewRight = (owner: TokenOwner, right: ClusterRight, signal: AbortSignal) => Promise<boolean>;

/** A known caller was refused a method that writes, or secrets. */
export interface RefusedWrite {
  readonly principal: Principal;
  readonly method: string;
  readonly peer: string;
}

export interface AuthenticatorOptions {
  readonly verifier: Pick<TokenVerifier, 'verify'>;
  /** Whose a token of Kubernetes is. Without it, service accounts are not known. */
  readonly reviewToken?: ReviewToken | undefined;
  /** Needed where a role is held by a right in the cluster. */
  readonly reviewRight?: ReviewRight | undefined;
  /** Asked at every call, so that a change of the settings counts at once. */
  readonly policy: () => AccessPolicy;
  /** The same. */
  readonly table: () => AccessTable;
  readonly onRefusedWrite?: ((refused: RefusedWrite) => void) | undefined;
  readonly log: Log;
  readonly clock: Clock;
}

const proofs = {
  issuer: { kind: 'token', vouchedBy: 'issuer' },
  local: { kind: 'token', vouchedBy: 'issuer' },
  'service-account': { kind: 'token', vouchedBy: 'token-review' },
  certificate: { kind: 'certificate' },
} as const satisfies Record<KnownCaller['way'], Pick<Identity, 'kind' | 'vouchedBy'>>;

/** The use of an emergency account is told this often. */
const warnIntervalMs = 60_000;

/**
 * Says who calls and whether it may call this method. A token counts before a certificate. Handlers find the principal with `principalOf`. Methods
 * for anyone are answered without looking at what the caller shows, so that an old token is no obstacle to logging in again.
 */
export function authenticator(options: AuthenticatorOptions): Authenticate {
  const { policy, table, onRefusedWrite } = options;
  const warn = emergencyWarning(options);
  const authenticate = async (caller: Caller, signal: AbortSignal): Promise<Identity> => {
    const access = table().get(caller.method);
    if (access?.callers === 'anyone') return anonymous;
    const known = await identify(options, caller, signal);
    const current = policy();
    if (known.tokenId !== undefined && current.revokedTokens.has(known.tokenId)) {
      throw new StatusError('unauthenticated', `the token of ${known.name} was revoked: get a new one`);
    }
    const { name, groups, endsAt } = known;
    const proven: Identity = { ...proofs[known.way], name, groups };
    caller.known?.(proven);
    const principal = principalFor(known, current);
    if (isEmergency(known, current)) warn(known.name, caller);
    if (!mayCall(table(), principal.role, caller.method)) {
      if (access !== undefined && access.effect !== 'read') onRefusedWrite?.({ principal, method: caller.method, peer: caller.peer });
      throw new StatusError('permission_denied', refusalText(principal, caller.method, access));
    }
    const identity: PrincipalIdentity = {
      ...proven,
      principal,
      endsAt,
      // That is no further call.
      examine: (again) => authenticate({ ...caller, known: undefined }, again),
    };
    return identity;
  };
  return authenticate;
}

function refusalText({ name, role }: Principal, method: string, access: MethodAccess | undefined): string {
  const callers = access === undefined || access.callers === 'anyone' ? 'nobody' : access.callers.join(' or ');
  const way = access?.wayIn?.[role] ?? `it requires the role ${callers}, which an administrator can grant`;
  return `${name} has the role ${role} and may not call ${method}: ${way}`;
}

async function identify(options: AuthenticatorOptions, { token, certificate }: Caller, signal: AbortSignal): Promise<KnownCaller> {
  if (token !== undefined) {
    const verified = await options.verifier.verify(token);
    if (verified !== undefined) return callerOf(verified);
    const owner = await options.reviewToken?.(token, signal);
    if (owner !== undefined) return await serviceAccount(options, owner, endOfToken(token), signal);
    throw new StatusError('unauthenticated', `the token is not valid here or its issuer is not trusted: send ${waysOf(options)}`);
  }
  if (certificate !== undefined) return certificateOwner(certificate, options.clock);
  throw new StatusError('unauthenticated', `not authenticated: send ${waysOf(options)}`);
}

function waysOf({ reviewToken }: AuthenticatorOptions): string {
  const owners = ['a trusted issuer', ...(reviewToken === undefined ? [] : ['a service account'])].join(' or ');
  return `the header "authorization: Bearer <token>" with a token of ${owners}, or show a client certificate`;
}

function callerOf({ kind, ...said }: VerifiedToken): KnownCaller {
  return { way: kind === 'local' ? 'local' : 'issuer', ...said };
}

/** Kubernetes may know other users, too. They have other ways to come here. */
async function serviceAccount(
  options: AuthenticatorOptions,
  owner: TokenOwner,
  endsAt: number | undefined,
  signal: AbortSignal,
): Promise<KnownCaller> {
  const { name, groups } = owner;
  if (!/^system:serviceaccount:[^:]+:[^:]+$/.test(name)) {
    throw new StatusError('unauthenticated', 'the token is not that of a service account: use one, or a token of a trusted issuer');
  }
  const caller: KnownCaller = { way: 'service-account', name, groups, endsAt };
  const current = options.policy();
  return isGranted(caller, current) ? caller : { ...caller, roleByRight: await roleByRight(options, owner, current, signal) };
}

/** The highest role that the cluster says the account may have. */
async function roleByRight(
  { reviewRight }: AuthenticatorOptions,
  owner: TokenOwner,
  { roles }: AccessPolicy,
  signal: AbortSignal,
): Promise<string | undefined> {
  for (const [role, { right }] of Object.entries(roles))
    if (right !== undefined && (await reviewRight?.(owner, right, signal)) === true) return role;
  return undefined;
}

/** TLS looked at its dates when the connection was made, which may be long ago. */
function certificateOwner({ commonName, organizations, endsAt }: PeerCertificate, clock: Clock): KnownCaller {
  if (endsAt <= clock.now()) {
    const end = new Date(endsAt).toISOString();
    throw new StatusError('unauthenticated', `the client certificate of ${commonName} expired at ${end}: connect again with a new one`);
  }
  return { way: 'certificate', name: commonName, groups: organizations, endsAt };
}

/** What the token says, which somebody else has verified. */
function endOfToken(token: string): number | undefined {
  try {
    const { exp } = decodeJwt(token);
    return exp === undefined ? undefined : exp * 1000;
  } catch {
    return undefined;
  }
}

function emergencyWarning({ clock, log }: AuthenticatorOptions): (name: string, caller: Caller) => void {
  const warnedAt = new Map<string, number>(); // name -> when, on the monotonic clock; no more names than accounts in the settings
  return (name, { method, peer }) => {
    const now = clock.monotonic();
    if (now - (warnedAt.get(name) ?? Number.NEGATIVE_INFINITY) < warnIntervalMs) return;
    warnedAt.set(name, now);
    log.warn('emergency account in use', { name, method, peer });
  };
}
