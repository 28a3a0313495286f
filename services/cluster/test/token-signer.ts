import { createECDH, createPrivateKey, ECDH, sign } from 'node:crypto';
import { signedText } from '../src/gateway/who/adr36.ts';
import type { OwnerKey } from '../src/market/market.ts';

/** Somebody with a key of the curve secp256k1. */
export interface TokenSigner {
  /** Among the keys of its owner. */
  readonly key: OwnerKey & { readonly kind: 'secp256k1' };
  sign(claims: object, header?: object): string;
}

/** The same seed is the same signer. */
export function tokenSigner(seed = 1): TokenSigner {
  const ecdh = createECDH('secp256k1');
  ecdh.setPrivateKey(Buffer.alloc(32, seed));
  const point = ecdh.getPublicKey();
  const privateKey = createPrivateKey({
    key: {
      ...{ kty: 'EC', crv: 'secp256k1', d: Buffer.alloc(32, seed).toString('base64url') },
      ...{ x: point.subarray(1, 33).toString('base64url'), y: point.subarray(33).toString('base64url') },
    },
    format: 'jwk',
  });
  return {
    key: {
      kind: 'secp256k1',
      key: ECDH.convertKey(point, 'secp256k1', undefined, undefined, 'compressed') as Buffer,
      fingerprint: `key-${seed}`,
    },
    sign: (claims, header = { alg: 'ES256K', typ: 'JWT' }) => {
      const said = `${part(header)}.${part(claims)}`;
      const isWallet = 'alg' in header && header.alg === 'ES256KADR36';
      const text = isWallet ? signedText('iss' in claims ? String(claims.iss) : '', said) : said;
      return `${said}.${sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
    },
  };
}

/** What a token says unless told otherwise: everything, for an hour from the beginning of a `FakeClock`. */
export function tokenClaimsOf(changed: object = {}): Record<string, unknown> {
  const at = Date.UTC(2026, 0, 1) / 1000;
  return { iss: 'amy', iat: at, nbf: at, exp: at + 3600, version: 'v1', leases: { access: 'full' }, ...changed };
}

/** A part of a token. */
export const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
