import { createECDH, createHash, X509Certificate } from 'node:crypto';
import { selfSignedTls } from '@quartermaster/service';
import { describe, expect, it } from 'vitest';
import { readOwnerKey } from './read-owner-key.ts';

const certificate = (value: string) => readOwnerKey({ key: { case: 'certificate', value } });
const publicKey = (value: string) => readOwnerKey({ key: { case: 'publicKey', value } });

async function pemOf(commonName: string): Promise<string> {
  const tls = await selfSignedTls({ commonName });
  await tls.close();
  return String(tls.serverOptions().cert);
}

describe('a certificate', () => {
  it('says whom it is for, until when, and its fingerprint', async () => {
    const pem = await pemOf('acme');
    const parsed = new X509Certificate(pem);
    expect(certificate(pem)).toEqual({
      fingerprint: createHash('sha256').update(parsed.raw).digest('hex'),
      certificate: { commonName: 'acme', notBefore: parsed.validFromDate, notAfter: parsed.validToDate },
    });
  });

  it('is one, in PEM, without a private key', async () => {
    const pem = await pemOf('acme');
    const broken = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
    for (const text of ['', 'x', pem + pem, `${pem}-----BEGIN PRIVATE KEY-----\n`, broken, pem + ' '.repeat(16_384)]) {
      expect(certificate(text)).toMatchObject({ field: 'spec.certificate' });
    }
  });
});

describe('a public key', () => {
  const ecdh = createECDH('secp256k1');
  ecdh.generateKeys();

  it('is a compressed point of the curve', () => {
    const bytes = ecdh.getPublicKey(null, 'compressed');
    expect(publicKey(bytes.toString('base64'))).toEqual({ fingerprint: createHash('sha256').update(bytes).digest('hex') });
  });

  it('is refused otherwise', () => {
    // No point of the curve has 5 for its x.
    const offCurve = Buffer.concat([Buffer.of(2), Buffer.alloc(31), Buffer.of(5)]).toString('base64');
    const other = createECDH('prime256v1').generateKeys('base64', 'uncompressed');
    for (const text of ['', 'AAAA', offCurve, other, ecdh.getPublicKey('base64', 'uncompressed'), ecdh.getPublicKey('hex', 'compressed')]) {
      expect(publicKey(text)).toMatchObject({ field: 'spec.public_key' });
    }
  });
});

it('must be one of the two', () => {
  expect(readOwnerKey({ key: { case: undefined } })).toMatchObject({ field: 'spec' });
});
