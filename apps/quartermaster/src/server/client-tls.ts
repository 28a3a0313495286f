import { StatusError } from '@quartermaster/kernel';
import type { ClientTls } from '@quartermaster/rpc';
import { contentOf } from './content-of.ts';
import type { ServerAddress } from './server-address.ts';
import type { TlsFlags } from './server-flags.ts';

/** TLS where the address says so, and wherever certificates are spoken of: then it is meant. Undefined: plain text. */
export function clientTls(flags: TlsFlags, { isPlainText }: Pick<ServerAddress, 'isPlainText'>): ClientTls | undefined {
  const { caFile, certFile, keyFile, tlsServerName, insecureSkipTlsVerify } = flags;
  const isTrusting = insecureSkipTlsVerify === true;
  if ((certFile === undefined) !== (keyFile === undefined)) {
    throw new StatusError('invalid_argument', '--cert-file and --key-file belong together: give both or neither');
  }
  if (isTrusting && caFile !== undefined) {
    throw new StatusError('invalid_argument', '--ca-file and --insecure-skip-tls-verify contradict each other: give one of them');
  }
  const isMeant = isTrusting || [caFile, certFile, tlsServerName].some((flag) => flag !== undefined);
  if (isPlainText && !isMeant) return undefined;
  const content = (file: string | undefined, flag: string): string | undefined => (file === undefined ? undefined : contentOf(file, flag));
  return {
    ca: content(caFile, '--ca-file'),
    cert: content(certFile, '--cert-file'),
    key: content(keyFile, '--key-file'),
    serverName: tlsServerName,
    skipVerification: insecureSkipTlsVerify,
  };
}
