import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import { bearerOf, httpStatus, retryAfterMsOf, StatusError } from '@quartermaster/kernel';

/** What the caller of a port for machines shows: of the admin server, of an agent. */
export interface ShownCredentials {
  /** Where it calls from: `192.0.2.7:51432`. */
  readonly peer: string;
  /** Of the header `authorization: Bearer …`. */
  readonly token: string | undefined;
  /** Whether it proved a certificate of the server's authorities for clients, which has not ended. */
  readonly hasCertificate: boolean;
}

/** Resolves for those who may see what the port protects. Throws `unauthenticated`, `permission_denied` or `resource_exhausted`, with the way out, for all others. */
export type AdmitCaller = (shown: ShownCredentials, signal: AbortSignal) => Promise<void>;

export function credentialsOf({ headers, socket }: IncomingMessage, nowMs: number): ShownCredentials {
  // What `authorized` says of a resumed session is up to the TLS library: the certificate itself must be there.
  const certificate = socket instanceof TLSSocket && socket.authorized ? socket.getPeerX509Certificate() : undefined;
  // It was good when the connection was made, which may be long ago.
  const hasCertificate = certificate !== undefined && certificate.validToDate.getTime() > nowMs;
  const peer = `${socket.remoteAddress ?? 'unknown'}:${socket.remotePort ?? ''}`;
  return { peer, token: bearerOf(headers.authorization), hasCertificate };
}

const refusals: ReadonlySet<string> = new Set(['unauthenticated', 'permission_denied', 'resource_exhausted', 'unavailable']);

export interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What to answer with when a caller was not admitted; undefined for every other failure, whose text is not for callers. */
export function refusalOf(thrown: unknown): Refusal | undefined {
  if (!(thrown instanceof StatusError) || !refusals.has(thrown.code)) return undefined;
  const headers: Record<string, string> = thrown.code === 'unauthenticated' ? { 'www-authenticate': 'Bearer' } : {};
  const retryAfterMs = retryAfterMsOf(thrown);
  if (retryAfterMs !== undefined) headers['retry-after'] = String(Math.ceil(retryAfterMs / 1000));
  return { status: httpStatus[thrown.code], message: thrown.message, headers };
}
