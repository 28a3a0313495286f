import { readFile } from 'node:fs/promises';
import { messageOf, StatusError } from '@quartermaster/kernel';
import type { ReloadingTls } from '@quartermaster/rpc';
import type { RoleHost } from '@quartermaster/runtime/host';
import { degraded, type HealthStatus, selfSignedTls, type TlsCertificates, watchTls } from '@quartermaster/service';
import type { GatewaySettings } from './gateway-settings.ts';

type Host = Pick<RoleHost, 'clock' | 'log' | 'health' | 'keep'> & { readonly config: GatewaySettings };

/** What the gateway shows tenants, and by what they check it. */
export interface GatewayCertificate {
  /** Asks callers for a certificate of theirs, whoever signed it. */
  readonly tls: ReloadingTls;
  /** PEM; empty where any authority that a tenant trusts is meant. */
  readonly authority: () => string;
}

/** Of the settings; on loopback without them, one that signs itself and lasts no longer than the process. */
export async function gatewayCertificate(host: Host): Promise<GatewayCertificate> {
  const { config, clock, log, health, keep } = host;
  const [certFile, keyFile, caFile] = [config['gateway-tls-cert-file'], config['gateway-tls-key-file'], config['gateway-public-ca-file']];
  const isOwn = certFile === undefined || keyFile === undefined;
  const names = [config['gateway-host'], 'localhost'];
  const certificates: TlsCertificates = isOwn
    ? await selfSignedTls({ commonName: 'quartermaster gateway', names, clock, log })
    : await watchTls({ certFile, keyFile }, { clock, log });
  keep('certificate of the gateway', () => certificates.close());
  // What tenants are shown is nothing to those who ask the private listeners: they go on.
  const check = (): HealthStatus => {
    const found = certificates.check();
    return found.state === 'failed' ? degraded(found.reason ?? 'the certificate has expired') : found;
  };
  keep('health of the gateway', health.register('gateway-certificate', 'ready', check));
  const authority = isOwn || caFile === undefined ? '' : await textOf(caFile);
  return {
    tls: {
      serverOptions: () => ({ ...certificates.serverOptions(), minVersion: 'TLSv1.3', requestCert: true, rejectUnauthorized: false }),
      keep: (server) => certificates.keep({ setSecureContext: (newer) => server.setSecureContext({ ...newer, minVersion: 'TLSv1.3' }) }),
    },
    authority: () => (isOwn ? String(certificates.serverOptions().cert) : authority),
  };
}

async function textOf(path: string): Promise<string> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (thrown) {
    throw new StatusError('invalid_argument', `gateway-public-ca-file ${path} cannot be read: ${messageOf(thrown)}`);
  }
  // It is told to everybody who has a lease.
  if (/^-----BEGIN CERTIFICATE-----$/m.test(text) && !/-----BEGIN (?!CERTIFICATE-----)/.test(text)) return text;
  throw new StatusError('invalid_argument', `gateway-public-ca-file ${path} must have certificates in PEM and nothing else`);
}
