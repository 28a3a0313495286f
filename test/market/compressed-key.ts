import { createECDH } from 'node:crypto';

/** A new public key, as owners register it. */
export function compressedKey(): string {
  const ecdh = createECDH('secp256k1');
  ecdh.generateKeys();
  return ecdh.getPublicKey('base64', 'compressed');
}
