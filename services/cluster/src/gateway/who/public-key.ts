import { createPublicKey, ECDH, type KeyObject } from 'node:crypto';

/** A compressed key of the curve secp256k1, for OpenSSL; undefined where it is none. */
export function publicKeyOf(key: Uint8Array): KeyObject | undefined {
  try {
    const point = ECDH.convertKey(key, 'secp256k1', undefined, undefined, 'uncompressed') as Buffer;
    const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'));
    return createPublicKey({ key: { kty: 'EC', crv: 'secp256k1', x: x ?? '', y: y ?? '' }, format: 'jwk' });
  } catch {
    return undefined;
  }
}
