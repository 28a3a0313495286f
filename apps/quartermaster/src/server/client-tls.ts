import { StatusError } from '@quartermaster/kernel';
import { type ClientTls, isLoopback } from '@quartermaster/rpc';
import { contentOf } from './content-of.ts';
import type { TlsFlags } from './server-flags.ts';

/** TLS beyond this machine, and wherever something is said about certificates. Undefined: plain text. */
export function clientTls(flags: TlsFlags, address: string, options: { readonly isMeant?: boolean } = {}): ClientTls | undefined {
  const { caFile, certFile, keyFile, tlsServerName, insecureSkipTlsVerify: isTrusting = false } = flags;
  if ((certFile === undefined) !== (keyFile === undefined)) {
    throw new StatusError('invalid_argument', '--cert-file and --key-file belong together: give both or neither');
  }
  if (isTrusting && caFile !== undefined) {
    throw new StatusError('invalid_argument', '--ca-file and --insecure-skip-tls-verify contradict each other: give one of them');
  }
  const isMeant = options.isMeant === true || isTrusting || [caFile, certFile, tlsServerName].some((flag) => flag !== undefined);
  if (!isMeant && isLoopback(address.replace(/:\d+$/, ''))) return undefined;
  return {
    ...(caFile === undefined ? {} : { ca: contentOf(caFile, '--ca-file') }),
    ...(certFile === undefined ? {} : { cert: contentOf(certFile, '--cert-file') }),
    ...(keyFile === undefined ? {} : { key: contentOf(keyFile, '--key-file') }),
    ...(tlsServerName === undefined ? {} : { serverName: tlsServerName }),
    ...(isTrusting ? { skipVerification: true } : {}),
  };
}
