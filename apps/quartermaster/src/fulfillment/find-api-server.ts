import { StatusError } from '@quartermaster/kernel';
import { clientTls } from '../server/client-tls.ts';
import { contentOf } from '../server/content-of.ts';
import type { ServerWords } from '../server/explained-failure.ts';
import type { RpcServerAccess } from '../server/rpc-server-access.ts';
import { apiServerVariable, apiTokenVariable, contextVariable, type TlsFlags } from '../server/server-flags.ts';
import { defaultDirectory } from '../up/default-directory.ts';
import { findRun } from '../up/run-file.ts';
import { type ApiAddress, parseApiAddress } from './api-address.ts';
import type { ApiFlags } from './api-flags.ts';
import { type Context, ContextsFile, contextsPath } from './contexts-file.ts';
import { oidcToken } from './oidc-token.ts';

export interface ApiServer extends RpcServerAccess {
  /** Why this one: `--server`, `login NAME`, `the running up`. */
  readonly origin: string;
  readonly api?: 'public' | 'private';
  /** The token goes to another machine in plain text because a person said `http://`. */
  readonly allowInsecure: boolean;
}

export const apiWords: ServerWords = {
  what: 'fulfillment service',
  elsewhere: `start it, or name another with --server HOST:PORT or ${apiServerVariable}`,
  renewHint: 'log in again with `quartermaster login ADDRESS`',
  tokenHint: 'log in with `quartermaster login ADDRESS`, or give a token with --token-file',
};

/**
 * The service that is meant: `--server` or its variable; the `up` of `--data-dir`; the saved login that is named, or the current one; the `up` that
 * runs on this machine. Ask again after a restart: it may have moved.
 */
export function findApiServer(flags: ApiFlags, env: NodeJS.ProcessEnv): ApiServer {
  const named = flags.server ?? nonEmpty(env[apiServerVariable]);
  if (named !== undefined) {
    const origin = flags.server === undefined ? apiServerVariable : '--server';
    return access(flags, parseApiAddress(named, origin), origin, tokenOf(flags, env));
  }
  if (flags.dataDir !== undefined) return serverOfUp(flags, flags.dataDir, env);
  const file = new ContextsFile(contextsPath(env));
  const { current, contexts } = file.read();
  const wanted = flags.context ?? nonEmpty(env[contextVariable]) ?? current;
  if (wanted === undefined) return serverOfUp(flags, defaultDirectory(env), env);
  const context = contexts[wanted];
  if (context === undefined) throw unknownContext(wanted, Object.keys(contexts));
  return serverOfContext(flags, wanted, context, file, env);
}

export function unknownContext(name: string, known: readonly string[]): StatusError {
  const there = known.length === 0 ? 'none is saved' : `there are ${known.join(', ')}`;
  return new StatusError('not_found', `no login is saved as "${name}" (${there}): quartermaster login ADDRESS --name ${name}`);
}

function serverOfContext(flags: ApiFlags, name: string, context: Context, file: ContextsFile, env: NodeJS.ProcessEnv): ApiServer {
  const { token, tokenFile, oidc, api } = context;
  const saved =
    oidc === undefined
      ? tokenFile === undefined
        ? token === undefined
          ? undefined
          : () => token
        : () => contentOf(tokenFile, `login ${name}:`).trim()
      : oidcToken(oidc, (renewed) => file.renew(name, renewed));
  const { address, isPlainText, caFile, certFile, keyFile, tlsServerName, insecureSkipTlsVerify } = context;
  const tlsFlags = withoutUndefined({ caFile, certFile, keyFile, tlsServerName, insecureSkipTlsVerify });
  const server = access({ ...tlsFlags, ...flags }, { address, isPlainText }, `login ${name}`, tokenOf(flags, env) ?? saved);
  return api === undefined ? server : { ...server, api };
}

function serverOfUp(flags: ApiFlags, dataDir: string, env: NodeJS.ProcessEnv): ApiServer {
  const elsewhere = 'log in to another with `quartermaster login ADDRESS`';
  let facts: ReturnType<typeof findRun>;
  try {
    facts = findRun(dataDir);
  } catch (thrown) {
    if (!(thrown instanceof StatusError)) throw thrown;
    throw new StatusError(thrown.code, `${thrown.message}, or ${elsewhere}`, { cause: thrown });
  }
  const served = facts.roles['service-fulfillment'];
  if (served?.tokenFile === undefined) {
    throw new StatusError('unavailable', `the \`up\` on ${dataDir} serves no fulfillment yet: ask again in a moment, or ${elsewhere}`);
  }
  const { grpc, tokenFile } = served;
  const token = tokenOf(flags, env) ?? (() => contentOf(tokenFile, 'token of `up`').trim());
  return access(flags, parseApiAddress(grpc, 'run.json'), 'the running up', token);
}

/** TLS where the address says so, and where certificates are spoken of: then it is meant. */
export function apiTls(flags: TlsFlags, { address, isPlainText }: ApiAddress): ReturnType<typeof clientTls> {
  const { caFile, certFile, keyFile, tlsServerName, insecureSkipTlsVerify } = flags;
  const isMeant = [caFile, certFile, keyFile, tlsServerName].some((flag) => flag !== undefined) || insecureSkipTlsVerify === true;
  return isPlainText && !isMeant ? undefined : clientTls(flags, address, { isMeant: true });
}

function access(flags: ApiFlags, given: ApiAddress, origin: string, token: RpcServerAccess['token']): ApiServer {
  const { address, isPlainText } = given;
  const tls = apiTls(flags, given);
  return {
    address,
    origin,
    allowInsecure: isPlainText && tls === undefined,
    ...(tls === undefined ? {} : { tls }),
    ...(token === undefined ? {} : { token }),
  };
}

function tokenOf({ tokenFile }: ApiFlags, env: NodeJS.ProcessEnv): RpcServerAccess['token'] {
  if (tokenFile !== undefined) return () => contentOf(tokenFile, '--token-file').trim();
  const given = nonEmpty(env[apiTokenVariable]);
  return given === undefined ? undefined : () => given;
}

const nonEmpty = (text: string | undefined): string | undefined => (text === '' ? undefined : text);

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function withoutUndefined<T extends object>(value: T): Defined<T> {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as Defined<T>;
}
