import { type KeyObject, sign } from 'node:crypto';

const header = encoded({ alg: 'ES256K', typ: 'JWT' });

/** A JWT with these claims, signed with a secp256k1 key. */
export function signedToken(claims: object, key: KeyObject): string {
  const said = `${header}.${encoded(claims)}`;
  return `${said}.${sign('sha256', Buffer.from(said), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}

function encoded(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
