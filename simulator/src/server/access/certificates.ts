import { createPrivateKey, createPublicKey, KeyObject, randomBytes, type webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import type { Extension, JsonName, X509Certificate } from '@peculiar/x509';

/** A certificate with its private key, both PEM (the key as PKCS #8). */
export interface IssuedCertificate {
  readonly certificate: string;
  readonly key: string;
}

export interface CertificateRequest {
  /** The user name that the server reads from a client's certificate. */
  readonly commonName: string;
  /** The groups that it reads from it. */
  readonly organizations?: readonly string[] | undefined;
  /** Names and addresses of a server; a certificate without any is a client's. */
  readonly hosts?: readonly string[] | undefined;
}

/** A certificate authority (EC P-256) for the simulator's own server and its clients. */
export interface CertificateAuthority extends IssuedCertificate {
  issue(request: CertificateRequest): Promise<IssuedCertificate>;
}

const ecdsa = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const yearMs = 365 * 24 * 60 * 60 * 1000;
/** Certificates begin this much in the past, since clocks differ a little. */
const backdatedMs = 60 * 60 * 1000;

/** The library's injection container refuses to load unless `Reflect` can keep metadata. */
async function loadX509(): Promise<typeof import('@peculiar/x509')> {
  await import('reflect-metadata');
  return await import('@peculiar/x509');
}

/** A new authority, or the one that was kept. */
export async function certificateAuthority(kept?: IssuedCertificate): Promise<CertificateAuthority> {
  const x509 = await loadX509();
  const keys = kept === undefined ? await newKeys() : await keysOf(kept);
  const authority = kept === undefined ? await selfSigned(x509, keys) : new x509.X509Certificate(kept.certificate);
  return {
    certificate: `${authority.toString('pem').trimEnd()}\n`,
    key: keyPem(keys.privateKey),
    issue: async ({ commonName, organizations = [], hosts = [] }) => {
      const own = await newKeys();
      const usage = hosts.length > 0 ? x509.ExtendedKeyUsage.serverAuth : x509.ExtendedKeyUsage.clientAuth;
      const extensions: Extension[] = [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        await x509.AuthorityKeyIdentifierExtension.create(keys.publicKey),
        new x509.ExtendedKeyUsageExtension([usage]),
        ...(hosts.length === 0
          ? []
          : [new x509.SubjectAlternativeNameExtension(hosts.map((host) => ({ type: isIP(host) === 0 ? 'dns' : 'ip', value: host })))]),
      ];
      const certificate = await x509.X509CertificateGenerator.create(
        {
          serialNumber: serialNumber(),
          subject: [...organizations.map((organization) => ({ O: [organization] })), { CN: [commonName] }],
          issuer: authority.subject,
          ...validity(),
          signingAlgorithm: ecdsa,
          publicKey: own.publicKey,
          signingKey: keys.privateKey,
          extensions,
        },
        crypto,
      );
      return { certificate: `${certificate.toString('pem').trimEnd()}\n`, key: keyPem(own.privateKey) };
    },
  };
}

async function selfSigned(x509: typeof import('@peculiar/x509'), keys: webcrypto.CryptoKeyPair): Promise<X509Certificate> {
  const name: JsonName = [{ CN: ['quartermaster simulator'] }];
  const { keyCertSign, cRLSign, digitalSignature } = x509.KeyUsageFlags;
  return await x509.X509CertificateGenerator.createSelfSigned(
    {
      serialNumber: serialNumber(),
      name,
      ...validity(),
      signingAlgorithm: ecdsa,
      keys,
      extensions: [
        new x509.BasicConstraintsExtension(true, undefined, true),
        new x509.KeyUsagesExtension(keyCertSign | cRLSign | digitalSignature, true),
        await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      ],
    },
    crypto,
  );
}

async function keysOf({ certificate, key }: IssuedCertificate): Promise<webcrypto.CryptoKeyPair> {
  const der = createPrivateKey(key).export({ type: 'pkcs8', format: 'der' });
  const privateKey = await crypto.subtle.importKey('pkcs8', der, ecdsa, true, ['sign']);
  const spki = createPublicKey(certificate).export({ type: 'spki', format: 'der' });
  return { privateKey, publicKey: await crypto.subtle.importKey('spki', spki, ecdsa, true, ['verify']) };
}

const newKeys = (): Promise<webcrypto.CryptoKeyPair> => crypto.subtle.generateKey(ecdsa, true, ['sign', 'verify']);
const validity = () => ({ notBefore: new Date(Date.now() - backdatedMs), notAfter: new Date(Date.now() + 10 * yearMs) });
/** Positive and never with leading zero bytes, as DER wants an integer. */
const serialNumber = (): string => `5${randomBytes(16).toString('hex').slice(1)}`;
const keyPem = (key: webcrypto.CryptoKey): string => KeyObject.from(key).export({ type: 'pkcs8', format: 'pem' }).toString();
