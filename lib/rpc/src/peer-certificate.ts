import type { TLSSocket, PeerCertificate as TlsPeerCertificate } from 'node:tls';
import { ServerInterceptingCall, type ServerInterceptor } from '@grpc/grpc-js';
import type { PeerCertificate } from './authentication.ts';

/** Metadata under which the certificate of a connection reaches handlers. What a caller sends under it is thrown away. */
const peerHeader = 'x-quartermaster-peer-certificate-bin';

/** Puts the certificate of the connection, and never anything that the caller sent, where `peerCertificateIn` finds it. */
export const passPeerCertificate: ServerInterceptor = (_method, call) =>
  new ServerInterceptingCall(call, {
    start: (next) => {
      next({
        onReceiveMetadata: (metadata, forward) => {
          metadata.remove(peerHeader);
          const certificate = summarize(call.getAuthContext().sslPeerCertificate);
          if (certificate !== undefined) metadata.set(peerHeader, Buffer.from(JSON.stringify(certificate)));
          forward(metadata);
        },
      });
    },
  });

export function peerCertificateIn(metadata: { get(name: typeof peerHeader): Uint8Array | undefined }): PeerCertificate | undefined {
  const bytes = metadata.get(peerHeader);
  return bytes === undefined ? undefined : (JSON.parse(Buffer.from(bytes).toString('utf8')) as PeerCertificate);
}

/** What matters of a certificate; undefined when the peer showed none. */
export function summarize(certificate: TlsPeerCertificate | undefined): PeerCertificate | undefined {
  if (certificate === undefined || certificate.raw === undefined) return undefined;
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
