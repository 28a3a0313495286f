import { verify } from 'node:crypto';
import { StatusError } from '@quartermaster/kernel';
import { signedText } from './adr36.ts';
import { publicKeyOf } from './public-key.ts';
import { type TokenClaims, tokenClaims } from './token-claims.ts';

/*
 * Tokens of the ecosystem are signed with keys of the curve secp256k1, which WebCrypto has not, and so no library for tokens; and one of their two algorithms signs a document
 * around the token. What is read here is no more than that: three parts, two algorithms, the claims above.
 */

/** How a token is signed: over its own bytes, or over a document of the chain that has them inside. */
const algorithms = ['ES256K', 'ES256KADR36'] as const;
type Algorithm = (typeof algorithms)[number];

export interface ReadToken {
  readonly algorithm: Algorithm;
  readonly claims: TokenClaims;
  /** What was signed: header and claims as they were sent. */
  readonly signed: string;
  readonly signature: Buffer;
}

const longest = 16_384;
const signatureBytes = 64;

/** Reads a token without believing it. Throws `invalid_argument` for what is no token, `unauthenticated` for one that cannot count. */
export function readToken(token: string): ReadToken {
  if (token.length > longest) throw malformed(`is longer than ${longest} characters`);
  const parts = token.split('.');
  const [header = '', payload = '', end = ''] = parts;
  if (parts.length !== 3) throw malformed('must have three parts with a point between them');
  const algorithm = algorithmOf(jsonIn(header, 'header'));
  const claims = tokenClaims.safeParse(jsonIn(payload, 'claims'));
  if (!claims.success) {
    const [issue] = claims.error.issues;
    throw invalid(`its claim ${issue?.path.join('.') || '(all)'} is not as it must be: ${issue?.message ?? 'unknown'}`);
  }
  const signature = bytesOf(end);
  if (signature?.length !== signatureBytes) throw invalid(`its signature must have ${signatureBytes} bytes`);
  return { algorithm, claims: claims.data, signed: `${header}.${payload}`, signature };
}

/** Whether a compressed secp256k1 key signed it. One that is no key signed nothing, and is in nobody's way. */
export function isSignedBy({ algorithm, claims, signed, signature }: ReadToken, key: Uint8Array): boolean {
  const by = publicKeyOf(key);
  const text = algorithm === 'ES256K' ? signed : signedText(claims.iss, signed);
  return by !== undefined && verify('sha256', Buffer.from(text), { key: by, dsaEncoding: 'ieee-p1363' }, signature);
}

/** The clocks of two machines may differ by so much. */
const skewMs = 60_000;

/** Throws `unauthenticated` for a token whose time is not now. */
export function checkTimes({ nbf, iat, exp }: TokenClaims, now: number): void {
  if (exp * 1000 <= now) throw invalid(`it expired at ${at(exp)}: sign a new one`);
  if (nbf * 1000 > now + skewMs) throw invalid(`it is not valid before ${at(nbf)}`);
  if (iat * 1000 > now + skewMs) throw invalid(`it says that it was issued at ${at(iat)}, which is not yet`);
}

/** Numbers of JSON go beyond what a date can be. */
function at(seconds: number): string {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? `${seconds} s` : date.toISOString();
}

function algorithmOf(header: unknown): Algorithm {
  if (typeof header !== 'object' || header === null) throw malformed('must have a header that is a JSON object');
  // What a header may ask for beside that is nothing that is understood here.
  const { alg, crit } = header as { readonly alg?: unknown; readonly crit?: unknown };
  const found = algorithms.find((each) => each === alg);
  if (found === undefined || crit !== undefined) throw invalid(`it must be signed with ${algorithms.join(' or ')}`);
  return found;
}

function jsonIn(part: string, what: string): unknown {
  const bytes = bytesOf(part);
  if (bytes === undefined) throw malformed(`must have a ${what} in base64url`);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw malformed(`must have JSON as its ${what}`);
  }
}

/** One spelling for each sequence of bytes. */
function bytesOf(part: string): Buffer | undefined {
  const bytes = Buffer.from(part, 'base64url');
  return part !== '' && bytes.toString('base64url') === part ? bytes : undefined;
}

const malformed = (why: string): StatusError => new StatusError('invalid_argument', `header "authorization": the token ${why}`);
const invalid = (why: string): StatusError => new StatusError('unauthenticated', `the token does not count: ${why}`);
