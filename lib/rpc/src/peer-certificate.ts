import type { ServerHttp2Stream } from 'node:http2';
import { TLSSocket, type PeerCertificate as TlsPeerCertificate } from 'node:tls';
import { ServerInterceptingCall, type ServerInterceptor } from '@grpc/grpc-js';
import type { Caller, PeerCertificate } from './authentication.ts';

/** Metadata under which the certificate of a connection reaches handlers. What a caller sends under it is thrown away. */
const peerHeader = 'x-quartermaster-peer-certificate-bin';

/** Puts the certificate of the connection, and never anything that the caller sent, where `certificatesIn` finds it. */
export const passPeerCertificate: ServerInterceptor = (_method, call) =>
  new ServerInterceptingCall(call, {
    start: (next) => {
      next({
        onReceiveMetadata: (metadata, forward) => {
          metadata.remove(peerHeader);
          const certificates = callerCertificates(call);
          if (certificates !== none) metadata.set(peerHeader, Buffer.from(JSON.stringify(certificates)));
          forward(metadata);
        },
      });
    },
  });

type CallerCertificates = Pick<Caller, 'certificate' | 'ownCertificate'>;

const none: CallerCertificates = { certificate: undefined };

export function certificatesIn(metadata: { get(name: typeof peerHeader): Uint8Array | undefined }): CallerCertificates {
  const bytes = metadata.get(peerHeader);
  return bytes === undefined ? none : { ...none, ...(JSON.parse(Buffer.from(bytes).toString('utf8')) as Partial<CallerCertificates>) };
}

/** By the connection: grpc-js itself tells of nothing that no authority vouches for. */
export function callerCertificates(call: Parameters<ServerInterceptor>[1]): CallerCertificates {
  const { stream } = call as unknown as { readonly stream?: ServerHttp2Stream | undefined };
  const socket = stream?.session?.socket;
  const certificate = socket instanceof TLSSocket ? peerCertificateOf(socket) : undefined;
  if (!(socket instanceof TLSSocket) || certificate === undefined) return none;
  return socket.authorized ? { certificate } : { certificate: undefined, ownCertificate: certificate };
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
