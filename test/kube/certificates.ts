import { generateKeyPair, KeyObject, randomBytes, type webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import { promisify } from 'node:util';
import type { Extension, JsonName } from '@peculiar/x509';
import { loadX509 } from './load-x509.ts';

/** A certificate with its private key, both PEM (the key as PKCS #8). */
export interface IssuedCertificate {
  readonly certificate: string;
  readonly key: string;
}

export interface ServerCertificateOptions {
  readonly commonName: string;
  /** Names and addresses that clients may reach the server under. */
  readonly hosts: readonly string[];
  /** A year from now unless given. */
  readonly notAfter?: Date;
}

export interface ClientCertificateOptions {
  /** The user name that Kubernetes reads from it. */
  readonly commonName: string;
  /** The groups that Kubernetes reads from it. */
  readonly organizations?: readonly string[];
  /** A year from now unless given. */
  readonly notAfter?: Date;
}

/** A certificate authority (EC P-256) that lives in memory and issues certificates for servers and clients. */
export interface CertificateAuthority extends IssuedCertificate {
  issueServer(options: ServerCertificateOptions): Promise<IssuedCertificate>;
  issueClient(options: ClientCertificateOptions): Promise<IssuedCertificate>;
}

const ecdsa = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const yearMs = 365 * 24 * 60 * 60 * 1000;
/** Certificates begin this much in the past, so that one may also end in the past and clocks may differ a little. */
const backdatedMs = 60 * 60 * 1000;

export async function createCertificateAuthority(commonName: string): Promise<CertificateAuthority> {
  const x509 = await loadX509();
  const keys = await crypto.subtle.generateKey(ecdsa, true, ['sign', 'verify']);
  const authority = await x509.X509CertificateGenerator.createSelfSigned(
    {
      serialNumber: serialNumber(),
      name: subject(commonName),
      ...validity(undefined),
      signingAlgorithm: ecdsa,
      keys,
      extensions: [
        new x509.BasicConstraintsExtension(true, undefined, true),
        new x509.KeyUsagesExtension(
          x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign | x509.KeyUsageFlags.digitalSignature,
          true,
        ),
        await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      ],
    },
    crypto,
  );

  const issue = async (name: JsonName, notAfter: Date | undefined, extensions: readonly Extension[]): Promise<IssuedCertificate> => {
    const subjectKeys = await crypto.subtle.generateKey(ecdsa, true, ['sign', 'verify']);
    const certificate = await x509.X509CertificateGenerator.create(
      {
        serialNumber: serialNumber(),
        subject: name,
        issuer: authority.subject,
        ...validity(notAfter),
        signingAlgorithm: ecdsa,
        publicKey: subjectKeys.publicKey,
        signingKey: keys.privateKey,
        extensions: [
          new x509.BasicConstraintsExtension(false, undefined, true),
          new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
          await x509.AuthorityKeyIdentifierExtension.create(keys.publicKey),
          ...extensions,
        ],
      },
      crypto,
    );
    return { certificate: pem(certificate.toString('pem')), key: privateKeyPem(subjectKeys.privateKey) };
  };

  return {
    certificate: pem(authority.toString('pem')),
    key: privateKeyPem(keys.privateKey),
    issueServer: ({ commonName: name, hosts, notAfter }) =>
      issue(subject(name), notAfter, [
        new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
        new x509.SubjectAlternativeNameExtension(hosts.map((host) => ({ type: isIP(host) === 0 ? 'dns' : 'ip', value: host }))),
      ]),
    issueClient: ({ commonName: name, organizations = [], notAfter }) =>
      issue(subject(name, organizations), notAfter, [new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth])]),
  };
}

/** The RSA key pair that signs and verifies service-account tokens, PEM. */
export interface SigningKeyPair {
  readonly publicKey: string;
  readonly privateKey: string;
}

export async function createSigningKeyPair(): Promise<SigningKeyPair> {
  return await promisify(generateKeyPair)('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
}

const subject = (commonName: string, organizations: readonly string[] = []): JsonName => [
  ...organizations.map((organization) => ({ O: [organization] })),
  { CN: [commonName] },
];

function validity(notAfter: Date | undefined): { notBefore: Date; notAfter: Date } {
  const end = notAfter ?? new Date(Date.now() + yearMs);
  return { notBefore: new Date(Math.min(Date.now(), end.getTime()) - backdatedMs), notAfter: end };
}

/** Positive and never with leading zero bytes, as DER wants an integer. */
const serialNumber = (): string => `5${randomBytes(16).toString('hex').slice(1)}`;

const privateKeyPem = (key: webcrypto.CryptoKey): string => KeyObject.from(key).export({ type: 'pkcs8', format: 'pem' }).toString();

const pem = (text: string): string => `${text.trimEnd()}\n`;
