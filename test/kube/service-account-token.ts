import { sign } from 'node:crypto';

export const serviceAccountIssuer = 'https://kubernetes.default.svc';

export interface ServiceAccountTokenOptions {
  readonly namespace: string;
  readonly name: string;
  /** The uid of the account's object; the API server compares it. */
  readonly uid: string;
  readonly expiresInSeconds: number;
}

/** The API server forgives this much difference between clocks, so a token lives as long beyond its `exp` claim. */
const forgivenSeconds = 60;

/**
 * A token that the API server refuses once `expiresInSeconds` have passed, give or take the 10 s for which it remembers
 * tokens that it has accepted. For that, `exp` lies a minute before the real end.
 */
export function signServiceAccountToken(account: ServiceAccountTokenOptions, privateKeyPem: string, nowMs: number): string {
  const now = Math.floor(nowMs / 1000);
  const expires = now + account.expiresInSeconds - forgivenSeconds;
  const issued = Math.min(now, expires) - 1;
  const claims = {
    iss: serviceAccountIssuer,
    aud: [serviceAccountIssuer],
    sub: `system:serviceaccount:${account.namespace}:${account.name}`,
    iat: issued,
    nbf: issued,
    exp: expires,
    'kubernetes.io': { namespace: account.namespace, serviceaccount: { name: account.name, uid: account.uid } },
  };
  const body = `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode(claims)}`;
  return `${body}.${sign('RSA-SHA256', Buffer.from(body), privateKeyPem).toString('base64url')}`;
}

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
