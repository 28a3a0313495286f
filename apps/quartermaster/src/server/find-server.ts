import { realpathSync } from 'node:fs';
import { sep } from 'node:path';
import { isLoopback, StatusError } from '@quartermaster/kernel';
import type { ClientTls } from '@quartermaster/rpc';
import { defaultDirectory } from '../run/default-directory.ts';
import { findRun } from '../run/run-file.ts';
import { clientTls } from './client-tls.ts';
import { contentOf } from './content-of.ts';
import { type Context, ContextsFile, contextsPath, currentLogin, serverOf } from './contexts-file.ts';
import { oidcToken } from './oidc-token.ts';
import { parseServerAddress, type ServerAddress } from './server-address.ts';
import type { ServerFlags } from './server-flags.ts';
import { contextVariable, type LoginServer, loginCommand, type ServerKind, type ServerName, serverNamed } from './servers.ts';

/** A server and how to reach it. */
export interface FoundServer {
  /** `host:port` */
  readonly address: string;
  /** Absent: plain text. */
  readonly tls?: ClientTls | undefined;
  /** Asked before each call, since tokens are renewed. */
  readonly token?: (() => Promise<string> | string) | undefined;
  /** Why this one: `--server`, `login NAME`, `the running up`. */
  readonly origin: string;
  /** Which API of it a saved login is for. */
  readonly api?: 'public' | 'private' | undefined;
  /** The token goes to another machine in plain text because a person said `http://`. */
  readonly allowInsecure: boolean;
  readonly deadlineMs?: number | undefined;
  /** For whom its administrator, who is asked with, may act: the tenants of the running `up`. */
  readonly tenants?: readonly TenantToken[] | undefined;
}

export interface TenantToken {
  readonly name: string;
  readonly token: () => string;
}

/**
 * The server that is meant: `--server` or its variable; the `up` of `--data-dir`; the saved login that is named, or the current one; the `up` that
 * runs on this machine. Ask again after a restart: it may have moved.
 */
export function findServer(name: ServerName, flags: ServerFlags, env: NodeJS.ProcessEnv): FoundServer {
  const kind = serverNamed(name);
  const given = tokenOf(kind, flags, env);
  const address = flags.server ?? nonEmpty(env[kind.addressVariable]);
  if (address !== undefined) {
    const origin = flags.server === undefined ? kind.addressVariable : '--server';
    return access(flags, parseServerAddress(address, origin, kind.port), origin, given);
  }
  if (flags.dataDir !== undefined || !isLoginServer(name)) return serverOfUp(kind, flags, flags.dataDir ?? defaultDirectory(env), given);
  const file = new ContextsFile(contextsPath(env));
  const saved = file.read();
  const { contexts } = saved;
  const ofVariable = nonEmpty(env[contextVariable]);
  const variableContext = ofVariable === undefined ? undefined : contexts[ofVariable];
  // The variable is for all servers, and names a login to one of them.
  const isForOther = variableContext !== undefined && serverOf(variableContext) !== name;
  const wanted = flags.context ?? (isForOther ? undefined : ofVariable) ?? currentLogin(saved, name);
  if (wanted === undefined) return serverOfUp(kind, flags, defaultDirectory(env), given);
  const context = contexts[wanted];
  if (context === undefined) throw unknownContext(wanted, Object.keys(contexts));
  if (serverOf(context) !== name) throw otherServer(wanted, serverOf(context), kind);
  return serverOfContext(flags, wanted, context, given ?? savedToken(wanted, context, file));
}

export function unknownContext(name: string, known: readonly string[]): StatusError {
  const there = known.length === 0 ? 'none is saved' : `there are ${known.join(', ')}`;
  return new StatusError('not_found', `no login is saved as "${name}" (${there}): quartermaster login ADDRESS --name ${name}`);
}

function otherServer(name: string, isTo: LoginServer, { noun }: ServerKind): StatusError {
  return new StatusError(
    'invalid_argument',
    `login ${name} is to ${serverNamed(isTo).noun}, and ${noun} is asked: "quartermaster contexts" lists what each is to`,
  );
}

const isLoginServer = (name: ServerName): name is LoginServer => serverNamed(name).hasLogins;

function savedToken(name: string, { token, tokenFile, oidc }: Context, file: ContextsFile): FoundServer['token'] {
  if (oidc !== undefined) return oidcToken(oidc, (renewed) => file.renew(name, renewed));
  if (tokenFile !== undefined) return () => contentOf(tokenFile, `login ${name}:`).trim();
  return token === undefined ? undefined : () => token;
}

function serverOfContext(flags: ServerFlags, name: string, context: Context, token: FoundServer['token']): FoundServer {
  const said = Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined));
  return { ...access({ ...context, ...said }, context, `login ${name}`, token), api: context.api };
}

function serverOfUp(kind: ServerKind, flags: ServerFlags, dataDir: string, given: FoundServer['token']): FoundServer {
  const elsewhere = kind.hasLogins
    ? `log in to another with \`${loginCommand(kind)}\``
    : `name a server with --server ADDRESS or ${kind.addressVariable}`;
  let facts: ReturnType<typeof findRun>;
  try {
    facts = findRun(dataDir);
  } catch (thrown) {
    if (!(thrown instanceof StatusError)) throw thrown;
    throw new StatusError(thrown.code, `${thrown.message}, or ${elsewhere}`, { cause: thrown });
  }
  const server = facts.roles[kind.role];
  if (server === undefined) {
    throw new StatusError('unavailable', `the \`up\` on ${dataDir} serves no ${kind.what} yet: ask again in a moment, or ${elsewhere}`);
  }
  const { grpc, tokenFile } = server;
  const field = (name: string): string => `${dataDir}/run.json: roles.${kind.role}.${name}`;
  const found = parseServerAddress(grpc, field('grpc'), kind.port);
  if (!isLoopback(found.address.replace(/:\d+$/, ''))) {
    throw new StatusError('permission_denied', `${field('grpc')} "${grpc}" must be an address of this machine: ${elsewhere}`);
  }
  const token = given ?? (tokenFile === undefined ? undefined : () => tokenOfUp(dataDir, tokenFile, field('tokenFile')));
  const tenants =
    given === undefined
      ? facts.tenants.map(({ name, tokenFile: of }) => ({
          name,
          token: () => tokenOfUp(dataDir, of, `${dataDir}/run.json: tenants.${name}`),
        }))
      : undefined;
  return { ...access(flags, found, 'the running up', token), allowInsecure: false, tenants };
}

function tokenOfUp(dataDir: string, file: string, field: string): string {
  const text = contentOf(file, field).trim();
  if (realpathSync(file).startsWith(`${realpathSync(dataDir)}${sep}`)) return text;
  throw new StatusError(
    'permission_denied',
    `${field} "${file}" must lie in ${dataDir}: name a file with a token yourself with --token-file`,
  );
}

function access(flags: ServerFlags, given: ServerAddress, origin: string, token: FoundServer['token']): FoundServer {
  const { address, isPlainText } = given;
  const tls = clientTls(flags, given);
  return { address, origin, tls, token, allowInsecure: isPlainText && tls === undefined, deadlineMs: flags.deadlineMs };
}

function tokenOf({ tokenVariable }: ServerKind, { tokenFile }: ServerFlags, env: NodeJS.ProcessEnv): FoundServer['token'] {
  if (tokenFile !== undefined) return () => contentOf(tokenFile, '--token-file').trim();
  const given = tokenVariable === undefined ? undefined : nonEmpty(env[tokenVariable]);
  return given === undefined ? undefined : () => given;
}

const nonEmpty = (text: string | undefined): string | undefined => (text === '' ? undefined : text);
