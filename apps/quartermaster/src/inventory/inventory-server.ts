import { readFileSync } from 'node:fs';
import { messageOf, StatusError } from '@quartermaster/kernel';
import { type ClientTls, isLoopback } from '@quartermaster/rpc';
import { findRun } from '../up/run-file.ts';
import { type ServerFlags, serverVariable } from './server-flags.ts';

export interface InventoryServer {
  /** `host:port` */
  readonly address: string;
  /** Absent: plain text. */
  readonly tls?: ClientTls;
  /** Reads the file each time, since tokens are renewed there. */
  readonly token?: () => string;
}

/** The server that is meant: the flag, the environment, or the `up` that runs on this machine. Ask again after a restart: it may have moved. */
export function findServer(flags: ServerFlags, env: NodeJS.ProcessEnv): InventoryServer {
  const address =
    checkedAddress(flags.server, '--server') ?? checkedAddress(env[serverVariable], serverVariable) ?? addressOfRun(flags.dataDir);
  const { tokenFile } = flags;
  const tls = tlsOf(flags, address);
  return {
    address,
    ...(tls === undefined ? {} : { tls }),
    ...(tokenFile === undefined ? {} : { token: () => contentOf(tokenFile, '--token-file').trim() }),
  };
}

function checkedAddress(text: string | undefined, origin: string): string | undefined {
  if (text === undefined || text === '') return undefined;
  if (/^(\[[\da-f:.]+\]|[^\s:/[\]]+):\d{1,5}$/i.test(text)) return text;
  throw new StatusError('invalid_argument', `${origin} "${text}" must be HOST:PORT, such as 127.0.0.1:8081`);
}

function addressOfRun(dataDir: string): string {
  const elsewhere = `name a server with --server HOST:PORT or ${serverVariable}`;
  let facts: ReturnType<typeof findRun>;
  try {
    facts = findRun(dataDir);
  } catch (thrown) {
    if (!(thrown instanceof StatusError)) throw thrown;
    throw new StatusError(thrown.code, `${thrown.message}, or ${elsewhere}`, { cause: thrown });
  }
  if (facts.inventory === undefined) {
    throw new StatusError('unavailable', `the \`up\` on ${dataDir} serves no inventory yet: ask again in a moment, or ${elsewhere}`);
  }
  return facts.inventory.grpc;
}

/** TLS beyond this machine, and wherever something is said about certificates. */
function tlsOf(flags: ServerFlags, address: string): ClientTls | undefined {
  const { caFile, certFile, keyFile, tlsServerName, insecureSkipTlsVerify: isTrusting = false } = flags;
  if ((certFile === undefined) !== (keyFile === undefined)) {
    throw new StatusError('invalid_argument', '--cert-file and --key-file belong together: give both or neither');
  }
  if (isTrusting && caFile !== undefined) {
    throw new StatusError('invalid_argument', '--ca-file and --insecure-skip-tls-verify contradict each other: give one of them');
  }
  const isMeant = isTrusting || [caFile, certFile, tlsServerName].some((flag) => flag !== undefined);
  if (!isMeant && isLoopback(address.replace(/:\d+$/, ''))) return undefined;
  return {
    ...(caFile === undefined ? {} : { ca: contentOf(caFile, '--ca-file') }),
    ...(certFile === undefined ? {} : { cert: contentOf(certFile, '--cert-file') }),
    ...(keyFile === undefined ? {} : { key: contentOf(keyFile, '--key-file') }),
    ...(tlsServerName === undefined ? {} : { serverName: tlsServerName }),
    ...(isTrusting ? { skipVerification: true } : {}),
  };
}

function contentOf(file: string, flag: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new StatusError('invalid_argument', `${flag} ${file} cannot be read: ${messageOf(cause)}`, { cause });
  }
}
