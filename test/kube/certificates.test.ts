import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { type CertificateAuthority, createCertificateAuthority, createSigningKeyPair } from './certificates.ts';

describe('certificates', () => {
  let authority: CertificateAuthority;
  let root: X509Certificate;

  beforeAll(async () => {
    authority = await createCertificateAuthority('test authority');
    root = new X509Certificate(authority.certificate);
  });

  it('makes an authority that may sign and matches its key', () => {
    expect(root.ca).toBe(true);
    expect(root.verify(root.publicKey)).toBe(true);
    expect(root.checkPrivateKey(createPrivateKey(authority.key))).toBe(true);
    expect(root.publicKey.asymmetricKeyDetails?.namedCurve).toBe('prime256v1');
  });

  it('issues a server certificate for names and addresses', async () => {
    const issued = await authority.issueServer({ commonName: 'kube-apiserver', hosts: ['127.0.0.1', 'localhost', '::1'] });
    const certificate = new X509Certificate(issued.certificate);
    expect(certificate.checkIssued(root)).toBe(true);
    expect(certificate.verify(root.publicKey)).toBe(true);
    expect(certificate.checkPrivateKey(createPrivateKey(issued.key))).toBe(true);
    expect(certificate.ca).toBe(false);
    expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1');
    expect(certificate.checkIP('::1')).toBeDefined();
    expect(certificate.checkHost('localhost')).toBe('localhost');
    expect(certificate.checkHost('example.com')).toBeUndefined();
    expect(certificate.checkIP('10.0.0.1')).toBeUndefined();
  });

  it('writes the user and its groups into a client certificate', async () => {
    const issued = await authority.issueClient({ commonName: 'ada', organizations: ['engineers', 'system:masters'] });
    const certificate = new X509Certificate(issued.certificate);
    expect(certificate.subject.split('\n')).toEqual(['O=engineers', 'O=system:masters', 'CN=ada']);
    expect(certificate.verify(root.publicKey)).toBe(true);
    expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2']);
  });

  it('keeps characters that separate the parts of a name', async () => {
    const issued = await authority.issueClient({ commonName: 'system:serviceaccount:a,b+c=d' });
    const { subject } = new X509Certificate(issued.certificate).toLegacyObject();
    expect(subject.CN).toBe('system:serviceaccount:a,b+c=d');
  });

  it('ends a certificate when it is told to, also in the past', async () => {
    const soon = new Date(Math.floor(Date.now() / 1000) * 1000 + 5_000);
    const past = new Date('2001-02-03T04:05:06Z');
    for (const notAfter of [soon, past]) {
      const issued = await authority.issueClient({ commonName: 'brief', notAfter });
      const certificate = new X509Certificate(issued.certificate);
      expect(certificate.validToDate).toEqual(notAfter);
      expect(certificate.validFromDate.getTime()).toBeLessThan(notAfter.getTime());
    }
  });

  it('gives every certificate a serial number of its own', async () => {
    const issued = await Promise.all(Array.from({ length: 8 }, () => authority.issueClient({ commonName: 'same' })));
    expect(new Set(issued.map((each) => new X509Certificate(each.certificate).serialNumber)).size).toBe(8);
  });

  it('makes an RSA key pair whose halves belong together', async () => {
    const pair = await createSigningKeyPair();
    const derived = createPublicKey(createPrivateKey(pair.privateKey));
    expect(derived.export({ type: 'spki', format: 'pem' })).toBe(pair.publicKey);
    expect(derived.asymmetricKeyType).toBe('rsa');
  });
});
