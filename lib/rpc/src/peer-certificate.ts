import type { ServerHttp2Stream } from 'node:http2';
import { TLSSocket, type PeerCertificate as TlsPeerCertificate } from 'node:tls';
import type { ServerInterceptor } from '@grpc/grpc-js';
import type { Caller, PeerCertificate } from './authentication.ts';

type Call = Parameters<ServerInterceptor>[1];

/** What a call came in by, which grpc-js keeps to itself. */
export const streamOf = (call: Call): ServerHttp2Stream | undefined =>
  (call as unknown as { readonly stream?: ServerHttp2Stream | undefined }).stream;

/** Of a server that verifies certificates. */
export const verifiedCertificate = (call: Call): Pick<Caller, 'certificate'> => ({
  certificate: summarize(call.getAuthContext().sslPeerCertificate),
});

/** Of a server that asks for certificates and takes any. That somebody vouches for one, as for every web server, says nothing there. */
export function ownCertificate(call: Call): Pick<Caller, 'certificate' | 'ownCertificate'> {
  const socket = streamOf(call)?.session?.socket;
  return { certificate: undefined, ownCertificate: socket instanceof TLSSocket ? peerCertificateOf(socket) : undefined };
}

/** What matters of a certificate; undefined when the peer showed none. */
export function summarize(certificate: TlsPeerCertificate | null | undefined): PeerCertificate | undefined {
  // A connection that is gone has none, either.
  if (certificate?.raw === undefined) return undefined;
  const { CN, O } = certificate.subject as { readonly CN?: string; readonly O?: string | readonly string[] };
  return {
    commonName: CN ?? '',
    organizations: O === undefined ? [] : typeof O === 'string' ? [O] : O,
    fingerprint: certificate.fingerprint256,
    startsAt: Date.parse(certificate.valid_from),
    endsAt: Date.parse(certificate.valid_to),
  };
}

/** Of a connection that a server accepted. Whoever is at its other end has its key; whose it is, and whether anybody vouches for it, is for the caller to find out. */
export const peerCertificateOf = (socket: Pick<TLSSocket, 'getPeerCertificate'>): PeerCertificate | undefined =>
  summarize(socket.getPeerCertificate());
