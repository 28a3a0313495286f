import { request } from 'node:https';
import { connect } from 'node:tls';
import type { IssuedCertificate } from './certificates.ts';

export interface LoopbackCredentials {
  /** PEM of the authority that the server's certificate must come from. */
  readonly authority: string;
  readonly client?: IssuedCertificate;
}

/** The status code of a GET on a new connection; undefined when there was no answer within `timeoutMs`. */
export function statusOf(url: string, { authority, client }: LoopbackCredentials, timeoutMs = 2_000): Promise<number | undefined> {
  return new Promise((resolve) => {
    const identity = client === undefined ? {} : { cert: client.certificate, key: client.key };
    const call = request(url, { ca: authority, ...identity, agent: false, timeout: timeoutMs }, (response) => {
      response.resume();
      response.once('close', () => resolve(response.statusCode));
    });
    call.once('timeout', () => call.destroy());
    call.once('error', () => resolve(undefined));
    call.once('close', () => resolve(undefined));
    call.end();
  });
}

/** The SHA-256 fingerprint of the certificate that a server on 127.0.0.1 presents now. */
export function servedFingerprint(port: number, authority: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, ca: authority }, () => {
      resolve(socket.getPeerCertificate().fingerprint256);
      socket.destroy();
    });
    socket.once('error', reject);
  });
}
