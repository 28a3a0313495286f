import { hash as digest } from 'node:crypto';
import { type Clock, StatusError } from '@quartermaster/kernel';
import { decodeJwt, errors, type JWTPayload, jwtVerify } from 'jose';
import type { KeySource } from './issuer-keys.ts';

/** One who issues tokens that are believed. */
export interface TrustedIssuer {
  /** The claim `iss` of its tokens. */
  readonly issuer: string;
  readonly kind: 'oidc' | 'local';
  /** A token must be made for one of these. */
  readonly audiences: readonly string[];
  readonly keys: KeySource;
  /** Claims that may hold the name of the user; the first that is there counts. */
  readonly nameClaims: readonly string[];
  readonly groupsClaim: string;
}

/** What a valid token says of its bearer. */
export interface VerifiedToken {
  readonly kind: TrustedIssuer['kind'];
  readonly name: string;
  readonly groups: readonly string[];
  /** Of local tokens only: nobody else gives roles of ours. */
  readonly role?: string | undefined;
  readonly source?: string | undefined;
  /** The claim jti. */
  readonly tokenId?: string | undefined;
  /** In milliseconds since the epoch, with what clocks may differ by. */
  readonly endsAt: number;
}

export interface TokenVerifierOptions {
  readonly issuers: readonly TrustedIssuer[];
  readonly clock: Clock;
}

/** Signatures of key pairs only: with a shared secret, who can verify can also forge. */
const acceptedAlgorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'] as const;

const skewSeconds = 30;
const maxRemembered = 10_000;
const maxNameLength = 256;

interface Remembered {
  readonly verified: VerifiedToken;
  readonly issuer: TrustedIssuer;
  readonly generation: number;
}

/** Verifies tokens, each once: a valid one is remembered by its hash until it ends or the keys of its issuer change. */
export class TokenVerifier {
  readonly #issuers: ReadonlyMap<string, TrustedIssuer>; // claim iss -> issuer
  readonly #clock: Clock;
  readonly #known = new Map<string, Remembered>(); // hash of the token -> what it says; the oldest first

  constructor({ issuers, clock }: TokenVerifierOptions) {
    this.#issuers = new Map(issuers.map((each) => [each.issuer, each]));
    this.#clock = clock;
  }

  /** Undefined when the token claims no issuer that is trusted here. Throws `unauthenticated`, and `unavailable` while its issuer cannot be asked. */
  async verify(token: string): Promise<VerifiedToken | undefined> {
    const hash = digest('sha256', token, 'base64');
    const remembered = this.#known.get(hash);
    if (remembered !== undefined) {
      if (remembered.verified.endsAt > this.#clock.now() && remembered.generation === remembered.issuer.keys.generation)
        return remembered.verified;
      this.#known.delete(hash);
    }
    const issuer = this.#issuers.get(claimedIssuer(token) ?? '');
    if (issuer === undefined) return undefined;
    // From before: keys that change while the token is checked may be others than it was checked with.
    const { generation } = issuer.keys;
    const verified = readClaims(await this.#check(token, issuer), issuer);
    this.#remember(hash, { verified, issuer, generation });
    return verified;
  }

  async #check(token: string, issuer: TrustedIssuer): Promise<JWTPayload> {
    try {
      const { payload } = await jwtVerify(token, (header, input) => issuer.keys.find(header, input), {
        issuer: issuer.issuer,
        audience: [...issuer.audiences],
        algorithms: [...acceptedAlgorithms],
        requiredClaims: ['exp'],
        clockTolerance: skewSeconds,
        currentDate: new Date(this.#clock.now()),
      });
      return payload;
    } catch (thrown) {
      throw refusal(thrown, issuer);
    }
  }

  #remember(hash: string, remembered: Remembered): void {
    if (this.#known.size >= maxRemembered) {
      const [oldest] = this.#known.keys();
      if (oldest !== undefined) this.#known.delete(oldest);
    }
    this.#known.set(hash, remembered);
  }
}

function claimedIssuer(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch {
    return undefined;
  }
}

function readClaims(payload: JWTPayload, { kind, nameClaims, groupsClaim }: TrustedIssuer): VerifiedToken {
  const name = nameClaims.map((claim) => payload[claim]).find((value) => typeof value === 'string' && value !== '');
  if (typeof name !== 'string') throw unauthenticated(`the token names no user: it needs one of the claims ${nameClaims.join(', ')}`);
  if (!isUserName(name)) {
    throw unauthenticated(
      `the user name of the token is not accepted: at most ${maxNameLength} characters, none of them a control character, not starting with "system:"`,
    );
  }
  const claimed: unknown = payload[groupsClaim];
  const groups = Array.isArray(claimed) ? claimed.filter((group): group is string => typeof group === 'string') : [];
  const endsAt = ((payload.exp ?? 0) + skewSeconds) * 1000;
  const said = { kind, name, groups, endsAt, tokenId: payload.jti };
  if (kind !== 'local') return said;
  return { ...said, role: textOf(payload['role']), source: textOf(payload['source']) };
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** Names that begin so are those of service accounts, and no issuer may hand them out. */
function isUserName(name: string): boolean {
  return name.length <= maxNameLength && !name.startsWith('system:') && !/\p{Cc}/u.test(name);
}

/** Errors of jose carry the claims of the token: they go no further than this. */
function refusal(thrown: unknown, { issuer, audiences }: TrustedIssuer): unknown {
  if (thrown instanceof StatusError) return thrown;
  if (!(thrown instanceof errors.JOSEError)) return unauthenticated('the token cannot be read: get a new one');
  if (thrown instanceof errors.JWTExpired) return unauthenticated('the token has expired: get a new one');
  if (thrown instanceof errors.JOSEAlgNotAllowed) {
    return unauthenticated(`the token is signed with an algorithm that is not accepted: use one of ${acceptedAlgorithms.join(', ')}`);
  }
  if (thrown instanceof errors.JWSSignatureVerificationFailed)
    return unauthenticated(`the signature of the token is not that of ${issuer}`);
  if (thrown instanceof errors.JWKSNoMatchingKey || thrown instanceof errors.JWKSMultipleMatchingKeys) {
    return unauthenticated(`the token is signed with no key that ${issuer} has now: get a new one`);
  }
  if (thrown instanceof errors.JWTClaimValidationFailed) {
    switch (thrown.claim) {
      case 'aud':
        return unauthenticated(`the token is made for somebody else: its audience must be ${audiences.join(' or ')}`);
      case 'nbf':
      case 'iat':
        return unauthenticated('the token is not valid yet: compare the clocks of this service and of the issuer');
      default:
        return unauthenticated(`the claim ${thrown.claim} of the token is missing or wrong: get a new one`);
    }
  }
  return unauthenticated('the token cannot be read: get a new one');
}

const unauthenticated = (message: string): StatusError => new StatusError('unauthenticated', message);
