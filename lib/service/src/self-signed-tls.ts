import { KeyObject, randomBytes, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { type Clock, type Log, messageOf, silentLog, systemClock } from '@quartermaster/kernel';
import { degraded, failed, type HealthStatus, healthy } from './health.ts';
import type { SecureServer, TlsCertificates, TlsStatus } from './tls.ts';

export interface SelfSignedOptions {
  /** Shown in the certificate. Nobody checks it. */
  readonly commonName: string;
  /** Host names and addresses that it is good for, where clients check that. */
  readonly names?: readonly string[] | undefined;
  readonly clock?: Clock | undefined;
  readonly log?: Log | undefined;
}

interface Pair {
  readonly cert: string;
  readonly key: string;
  readonly certificate: X509Certificate;
}

const dayMs = 24 * 60 * 60 * 1000;
const lifetimeMs = 7 * dayMs;
const renewAfterMs = 2 * dayMs;
const retryAfterMs = 60_000;
/** Certificates begin this much in the past, since clocks differ a little. */
const backdatedMs = 60 * 60 * 1000;
const ecdsa = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/**
 * A certificate that exists in memory alone, for a server whose clients are told its fingerprint and trust that and nothing else. It is good for 7 days and replaced after
 * two, with a new key.
 */
export async function selfSignedTls(options: SelfSignedOptions): Promise<TlsCertificates> {
  const certificates = new SelfSignedCertificates(options);
  await certificates.reload();
  return certificates;
}

class SelfSignedCertificates implements TlsCertificates {
  readonly #commonName: string;
  readonly #names: readonly string[];
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #servers = new Set<SecureServer>();
  #pair: Pair | undefined;
  #problem: string | undefined;
  #cancel: () => void = () => {};
  #isClosed = false;

  constructor({ commonName, names = [], clock = systemClock, log = silentLog }: SelfSignedOptions) {
    this.#commonName = commonName;
    this.#names = names;
    this.#clock = clock;
    this.#log = log;
  }

  serverOptions(): { readonly cert: string; readonly key: string; readonly minVersion: 'TLSv1.2' } {
    const { cert, key } = this.#current;
    return { cert, key, minVersion: 'TLSv1.2' };
  }

  keep(server: SecureServer): () => void {
    this.#servers.add(server);
    return () => this.#servers.delete(server);
  }

  status(): TlsStatus {
    const { fingerprint256: fingerprint, validToDate: notAfter } = this.#current.certificate;
    return { state: this.#problem === undefined ? 'current' : 'broken', problem: this.#problem, fingerprint, notAfter };
  }

  check(): HealthStatus {
    const end = this.#current.certificate.validToDate;
    if (end.getTime() <= this.#clock.now()) return failed(`the certificate expired at ${end.toISOString()}: restart this process`);
    if (this.#problem !== undefined) return degraded(`the certificate could not be renewed: ${this.#problem}`);
    return healthy;
  }

  /** Replaces the certificate now. */
  async reload(): Promise<void> {
    this.#cancel();
    const pair = await createPair(this.#commonName, this.#names, this.#clock.now());
    if (this.#isClosed) return;
    this.#pair = pair;
    this.#problem = undefined;
    for (const server of this.#servers) server.setSecureContext(this.serverOptions());
    this.#renewIn(renewAfterMs);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancel();
    this.#servers.clear();
  }

  #renewIn(afterMs: number): void {
    this.#cancel = this.#clock.schedule(afterMs, () => {
      this.reload().catch((error: unknown) => {
        this.#problem = messageOf(error);
        this.#log.error('certificate not renewed, the last one stays in use', { error });
        if (!this.#isClosed) this.#renewIn(retryAfterMs);
      });
    });
  }

  get #current(): Pair {
    if (this.#pair === undefined) throw new Error('the certificate was used before it was made');
    return this.#pair;
  }
}

async function createPair(commonName: string, names: readonly string[], nowMs: number): Promise<Pair> {
  // The library's injection container refuses to load unless `Reflect` can keep metadata.
  await import('reflect-metadata');
  const {
    BasicConstraintsExtension,
    ExtendedKeyUsage,
    ExtendedKeyUsageExtension,
    SubjectAlternativeNameExtension,
    X509CertificateGenerator,
  } = await import('@peculiar/x509');
  const alternatives = names.map((value) => ({ type: isIP(value) === 0 ? ('dns' as const) : ('ip' as const), value }));
  const keys = await crypto.subtle.generateKey(ecdsa, true, ['sign', 'verify']);
  const made = await X509CertificateGenerator.createSelfSigned(
    {
      // Positive and without leading zero bytes, as DER wants an integer.
      serialNumber: `5${randomBytes(16).toString('hex').slice(1)}`,
      name: [{ CN: [commonName] }],
      notBefore: new Date(nowMs - backdatedMs),
      notAfter: new Date(nowMs + lifetimeMs),
      signingAlgorithm: ecdsa,
      keys,
      extensions: [
        new BasicConstraintsExtension(false, undefined, true),
        new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
        ...(alternatives.length === 0 ? [] : [new SubjectAlternativeNameExtension(alternatives)]),
      ],
    },
    crypto,
  );
  const cert = made.toString('pem');
  const key = KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' }).toString();
  return { cert, key, certificate: new X509Certificate(cert) };
}
