import { type TlsCertificates, watchTls } from '@quartermaster/service';
import type { ServerHost } from './role-servers.ts';

export interface CertificateFiles {
  readonly certFile: string | undefined;
  readonly keyFile: string | undefined;
  readonly clientCaFile?: string | undefined;
}

/** The certificate of a server of the role, followed until the role stops and part of its health; undefined where the settings name none. */
export async function watchedCertificates(
  { clock, log, health, keep }: ServerHost,
  check: string,
  { certFile, keyFile, clientCaFile }: CertificateFiles,
): Promise<TlsCertificates | undefined> {
  if (certFile === undefined || keyFile === undefined) return undefined;
  const found = await watchTls({ certFile, keyFile, clientCaFile }, { clock, log });
  keep(check, () => found.close());
  health.register(check, 'ready', () => found.check());
  return found;
}
