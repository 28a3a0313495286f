import type { SecureContextOptions, TlsOptions } from 'node:tls';
import { experimental, ServerCredentials } from '@grpc/grpc-js';
import { StatusError } from '@quartermaster/kernel';

/** Certificates that change while a server runs. The shape of lib/service's `TlsCertificates`. */
export interface ReloadingTls {
  /** For a new server. `requestCert` is set when clients must show a certificate, or may show any where `rejectUnauthorized` is false. */
  serverOptions(): TlsOptions;
  /** Gives the server every later certificate. Returns what ends it. */
  keep(server: { setSecureContext(options: SecureContextOptions): void }): () => void;
}

export interface ReloadingCredentials {
  readonly credentials: ServerCredentials;
  /** Whether clients may show certificates that nobody has verified. */
  readonly takesAny: boolean;
  release(): void;
}

/** gRPC credentials that follow the certificates: new connections get the newest, open ones stay. */
export function serverCredentials(tls: ReloadingTls | undefined): ReloadingCredentials {
  if (tls === undefined) return { credentials: ServerCredentials.createInsecure(), takesAny: false, release: () => {} };
  const options = tls.serverOptions();
  if (options.requestCert === true && options.rejectUnauthorized === false) {
    const requesting = new RequestingCredentials(options);
    return { credentials: requesting, takesAny: true, release: tls.keep({ setSecureContext: (changed) => requesting.replace(changed) }) };
  }
  const provider = new CertificateSource(options);
  const verifiesClients = options.requestCert === true && options.rejectUnauthorized !== false;
  const release = tls.keep({ setSecureContext: (changed) => provider.replace(changed) });
  const authorities = verifiesClients ? provider : null;
  return {
    credentials: experimental.createCertificateProviderServerCredentials(provider, authorities, verifiesClients),
    takesAny: false,
    release,
  };
}

/** Asks for a certificate and takes any, or none: who authenticates knows whose it is. */
class RequestingCredentials extends ServerCredentials {
  constructor(options: SecureContextOptions) {
    super({ requestCert: true, rejectUnauthorized: false }, options);
  }

  replace(options: SecureContextOptions): void {
    this.updateSecureContextOptions(options);
  }

  override _equals(other: ServerCredentials): boolean {
    return this === other;
  }
}

/** grpc-js misses what it is told while it adds the listener. No connection can come in before. */
const soon = (tell: () => void): void => queueMicrotask(tell);

type AuthorityListener = experimental.CaCertificateUpdateListener;
type IdentityListener = experimental.IdentityCertificateUpdateListener;

class CertificateSource implements experimental.CertificateProvider {
  #identity: experimental.IdentityCertificateUpdate;
  #authority: experimental.CaCertificateUpdate | null;
  readonly #authorityListeners = new Set<AuthorityListener>();
  readonly #identityListeners = new Set<IdentityListener>();

  constructor(options: SecureContextOptions) {
    this.#identity = identityFrom(options);
    this.#authority = authorityFrom(options);
  }

  replace(options: SecureContextOptions): void {
    this.#identity = identityFrom(options);
    this.#authority = authorityFrom(options);
    for (const listener of this.#authorityListeners) listener(this.#authority);
    for (const listener of this.#identityListeners) listener(this.#identity);
  }

  addCaCertificateListener(listener: AuthorityListener): void {
    this.#authorityListeners.add(listener);
    soon(() => listener(this.#authority));
  }

  removeCaCertificateListener(listener: AuthorityListener): void {
    this.#authorityListeners.delete(listener);
  }

  addIdentityCertificateListener(listener: IdentityListener): void {
    this.#identityListeners.add(listener);
    soon(() => listener(this.#identity));
  }

  removeIdentityCertificateListener(listener: IdentityListener): void {
    this.#identityListeners.delete(listener);
  }
}

function identityFrom({ cert, key }: SecureContextOptions): experimental.IdentityCertificateUpdate {
  if (!isPem(cert) || !isPem(key)) throw new StatusError('invalid_argument', 'tls: cert and key must each be one text in PEM form');
  return { certificate: Buffer.from(cert), privateKey: Buffer.from(key) };
}

function authorityFrom({ ca }: SecureContextOptions): experimental.CaCertificateUpdate | null {
  return isPem(ca) ? { caCertificate: Buffer.from(ca) } : null;
}

const isPem = (value: unknown): value is string | Buffer => typeof value === 'string' || Buffer.isBuffer(value);
