import { createHash, createPublicKey, ECDH, X509Certificate } from 'node:crypto';
import type { OwnerKeySpec } from '@quartermaster/api/market';

/** What a certificate or key says of itself. */
export interface ReadKey {
  /** SHA-256, hexadecimal. */
  readonly fingerprint: string;
  /** Of a certificate. */
  readonly certificate?: { readonly commonName: string; readonly notBefore: Date; readonly notAfter: Date } | undefined;
}

/** Why it cannot be read: the rule and the way out. */
export interface UnreadKey {
  readonly field: string;
  readonly description: string;
}

const maxPemLength = 16_384;
const compressedKeyBytes = 33;

export function readOwnerKey({ key }: Pick<OwnerKeySpec, 'key'>): ReadKey | UnreadKey {
  switch (key.case) {
    case 'certificate':
      return readCertificate(key.value);
    case 'publicKey':
      return readPublicKey(key.value);
    case undefined:
      return { field: 'spec', description: 'must have a certificate or a public_key' };
  }
}

function readCertificate(pem: string): ReadKey | UnreadKey {
  const field = 'spec.certificate';
  if (pem.length > maxPemLength) return { field, description: `must not be longer than ${maxPemLength} characters` };
  if (pem.split('-----BEGIN ').length !== 2 || !pem.includes('-----BEGIN CERTIFICATE-----')) {
    return { field, description: 'must be one X.509 certificate in PEM, without its chain and without its private key' };
  }
  try {
    const certificate = new X509Certificate(pem);
    return {
      fingerprint: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
      certificate: {
        commonName: commonNameOf(certificate),
        notBefore: certificate.validFromDate,
        notAfter: certificate.validToDate,
      },
    };
  } catch {
    return { field, description: 'is no certificate that can be read: give it in PEM, as openssl x509 prints it' };
  }
}

/** Empty where there is none, or several. */
function commonNameOf({ subject }: X509Certificate): string {
  const names = (subject ?? '').split('\n').filter((part) => part.startsWith('CN='));
  return names.length === 1 ? (names[0] ?? '').slice('CN='.length) : '';
}

function readPublicKey(base64: string): ReadKey | UnreadKey {
  const rule = {
    field: 'spec.public_key',
    description: `must be a compressed secp256k1 key: ${compressedKeyBytes} bytes in base64, on the curve`,
  };
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length !== compressedKeyBytes || bytes.toString('base64') !== base64) return rule;
  try {
    const point = ECDH.convertKey(bytes, 'secp256k1', undefined, undefined, 'uncompressed') as Buffer;
    const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'));
    // That it is a key of the curve is what OpenSSL makes of it, too.
    createPublicKey({ key: { kty: 'EC', crv: 'secp256k1', x: x ?? '', y: y ?? '' }, format: 'jwk' });
  } catch {
    return rule;
  }
  return { fingerprint: createHash('sha256').update(bytes).digest('hex') };
}
