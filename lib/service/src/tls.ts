import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createSecureContext, type SecureContextOptions, type TlsOptions } from 'node:tls';
import { type Clock, type Log, messageOf, StatusError, silentLog, systemClock } from '@quartermaster/kernel';
import { type FileSnapshot, FileWatch, type WatchedFiles } from './files/file-watch.ts';
import { degraded, failed, type HealthStatus, healthy } from './health.ts';

export interface TlsFiles {
  /** PEM; the server's own certificate first, then those that lead to its authority. */
  readonly certFile: string;
  /** PEM, without a passphrase. */
  readonly keyFile: string;
  /** PEM. With it, clients must show a certificate of one of these authorities. */
  readonly clientCaFile?: string | undefined;
}

export interface TlsStatus {
  /** `broken`: the files were changed to something unusable, and the last good ones stay in use. */
  readonly state: 'current' | 'broken';
  readonly problem?: string | undefined;
  /** SHA-256 of the certificate in use, to compare with `openssl x509 -fingerprint`. */
  readonly fingerprint: string;
  readonly notAfter: Date;
}

export interface TlsOptionsOfFiles {
  readonly clock?: Clock | undefined;
  readonly log?: Log | undefined;
  readonly files?: WatchedFiles | undefined;
  /** A certificate that ends sooner is reported as degraded. Default 7 days. */
  readonly warnBeforeMs?: number | undefined;
}

/** What a TLS server of node offers to change its certificate while connections stay. */
export interface SecureServer {
  setSecureContext(options: SecureContextOptions): void;
}

/** The certificate of a server, as its files have it now. */
export interface TlsCertificates {
  /** For a new server. */
  serverOptions(): TlsOptions;
  /** Gives the server every later certificate. Open connections stay as they are. Returns what ends it. */
  keep(server: SecureServer): () => void;
  status(): TlsStatus;
  /** Failed once the certificate has ended, degraded before that or when newer files are unusable. */
  check(): HealthStatus;
  reload(): Promise<void>;
  close(): Promise<void>;
}

interface Pair {
  readonly cert: string;
  readonly key: string;
  readonly clientCa: string | undefined;
  readonly certificate: X509Certificate;
}

/** Reads the files, throwing `invalid_argument` when they are unusable, and follows them from then on. */
export async function watchTls(files: TlsFiles, options: TlsOptionsOfFiles = {}): Promise<TlsCertificates> {
  const certificates = new FileCertificates(files, options);
  await certificates.open();
  return certificates;
}

class FileCertificates implements TlsCertificates {
  readonly #files: TlsFiles;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #warnBeforeMs: number;
  readonly #watch: FileWatch;
  readonly #servers = new Set<SecureServer>();
  #pair: Pair | undefined;
  #problem: string | undefined;

  constructor(files: TlsFiles, options: TlsOptionsOfFiles) {
    this.#files = files;
    this.#clock = options.clock ?? systemClock;
    this.#log = options.log ?? silentLog;
    this.#warnBeforeMs = options.warnBeforeMs ?? 7 * 24 * 60 * 60 * 1000;
    this.#watch = new FileWatch({
      paths: [files.certFile, files.keyFile, ...(files.clientCaFile === undefined ? [] : [files.clientCaFile])],
      clock: this.#clock,
      files: options.files,
      onChange: (snapshot) => this.#apply(snapshot),
    });
  }

  async open(): Promise<void> {
    const snapshot = await this.#watch.start();
    try {
      this.#pair = readPair(this.#files, snapshot);
    } catch (thrown) {
      await this.#watch.close();
      throw thrown;
    }
  }

  serverOptions(): TlsOptions {
    const mutual = this.#files.clientCaFile === undefined ? {} : { requestCert: true, rejectUnauthorized: true };
    return { ...contextOptions(this.#current), ...mutual };
  }

  keep(server: SecureServer): () => void {
    this.#servers.add(server);
    return () => this.#servers.delete(server);
  }

  status(): TlsStatus {
    const { certificate } = this.#current;
    return {
      state: this.#problem === undefined ? 'current' : 'broken',
      problem: this.#problem,
      fingerprint: certificate.fingerprint256,
      notAfter: certificate.validToDate,
    };
  }

  check(): HealthStatus {
    const end = this.#current.certificate.validToDate;
    const leftMs = end.getTime() - this.#clock.now();
    if (leftMs <= 0) return failed(`certificate ${this.#files.certFile} expired at ${end.toISOString()}: replace it`);
    if (this.#problem !== undefined) return degraded(`the last valid certificate stays in use: ${this.#problem}`);
    if (leftMs <= this.#warnBeforeMs) return degraded(`certificate ${this.#files.certFile} expires at ${end.toISOString()}: replace it`);
    return healthy;
  }

  reload(): Promise<void> {
    return this.#watch.look();
  }

  close(): Promise<void> {
    this.#servers.clear();
    return this.#watch.close();
  }

  get #current(): Pair {
    if (this.#pair === undefined) throw new StatusError('internal', 'certificates were used before they were read');
    return this.#pair;
  }

  #apply(snapshot: FileSnapshot): void {
    try {
      const pair = readPair(this.#files, snapshot);
      for (const server of this.#servers) server.setSecureContext(contextOptions(pair));
      this.#pair = pair;
      this.#problem = undefined;
      this.#log.info('certificate reloaded', { file: this.#files.certFile, notAfter: pair.certificate.validToDate });
    } catch (thrown) {
      // Certificate and key are two files, so that between their writes they do not belong together. The next change mends that.
      this.#problem = messageOf(thrown);
      this.#log.error('certificate files are ignored, the last valid ones stay in use', { file: this.#files.certFile, error: thrown });
    }
  }
}

function contextOptions({ cert, key, clientCa }: Pair): SecureContextOptions {
  return { cert, key, minVersion: 'TLSv1.2', ca: clientCa };
}

function readPair(files: TlsFiles, snapshot: FileSnapshot): Pair {
  const cert = contentOf(files.certFile, snapshot);
  const key = contentOf(files.keyFile, snapshot);
  const clientCa = files.clientCaFile === undefined ? undefined : contentOf(files.clientCaFile, snapshot);
  const certificate = parse(files.certFile, 'a certificate in PEM form', () => new X509Certificate(cert));
  const privateKey = parse(files.keyFile, 'a private key in PEM form without a passphrase', () => createPrivateKey(key));
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new StatusError('invalid_argument', `${files.keyFile} is not the key of ${files.certFile}: set a matching pair`);
  }
  const pair = { cert, key, clientCa, certificate };
  if (clientCa !== undefined)
    parse(files.clientCaFile ?? '', 'certificates of authorities in PEM form', () => new X509Certificate(clientCa));
  parse(files.certFile, 'a chain of certificates that TLS accepts', () => createSecureContext(contextOptions(pair)));
  return pair;
}

function contentOf(path: string, snapshot: FileSnapshot): string {
  const content = snapshot.get(path);
  if (typeof content === 'string') return content;
  throw new StatusError('invalid_argument', `${path} cannot be read: create it or name another file`, { cause: content });
}

function parse<T>(path: string, what: string, read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    throw new StatusError('invalid_argument', `${path} must hold ${what}`, { cause: thrown });
  }
}
