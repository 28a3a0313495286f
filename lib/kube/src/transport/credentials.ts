import { readFile, stat } from 'node:fs/promises';
import type { AgentOptions, RequestOptions } from 'node:https';
import { homedir } from 'node:os';
import path from 'node:path';
import type { KubeConfig } from '@kubernetes/client-node';
import { type Clock, messageOf, StatusError, systemClock } from '@quartermaster/kernel';
import type { Dispatcher } from 'undici';
import { createDispatcher } from './dispatcher.ts';
import { type OidcConfig, OidcToken } from './oidc-token.ts';

/** What one request needs to reach the API server as the right user. */
export interface Session {
  readonly dispatcher: Dispatcher;
  /** Scheme, host and port. */
  readonly origin: string;
  /** Prefix of every path; empty unless the server sits behind one. */
  readonly basePath: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Who we are at which API server. Tokens and certificates are loaded again as they change. */
export interface KubeCredentials {
  /** The namespace of the kubeconfig's context or of the pod's service account. */
  readonly namespace: string | undefined;
  session(): Promise<Session>;
  /** Loads everything anew: the server has refused what we had. */
  refresh(): Promise<void>;
  /** For the WebSocket protocols of client-node (exec, port-forward). */
  kubeConfig(): Promise<KubeConfig>;
  close(): Promise<void>;
}

export interface CredentialOptions {
  /** Path of a kubeconfig. Absent: `KUBECONFIG`, then `~/.kube/config`, then the pod's service account. */
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  /** Where a pod's filesystem begins, for a process that is not inside it. Then only the pod's service account is used. */
  readonly podRoot?: string | undefined;
  /** How old loaded certificates and tokens may be before their files are looked at again. */
  readonly reloadIntervalMs?: number | undefined;
  readonly clock?: Clock | undefined;
}

interface Loaded {
  readonly config: KubeConfig;
  readonly oidc: OidcToken | undefined;
  readonly tls: AgentOptions;
  readonly fileStamp: string;
  readonly session: Session;
  readonly at: number;
}

interface Loading {
  readonly forced: boolean;
  readonly loaded: Promise<Loaded>;
}

/** Loads credentials once, so that a missing or broken kubeconfig is told at the start. */
export async function loadCredentials(options: CredentialOptions = {}): Promise<KubeCredentials> {
  const credentials = new FileCredentials(options);
  await credentials.session();
  return credentials;
}

class FileCredentials implements KubeCredentials {
  readonly #options: CredentialOptions;
  readonly #clock: Clock;
  readonly #reloadIntervalMs: number;
  #loaded: Loaded | undefined;
  #loading: Loading | undefined;
  #namespace: string | undefined;

  constructor(options: CredentialOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#reloadIntervalMs = options.reloadIntervalMs ?? 10_000;
  }

  get namespace(): string | undefined {
    return this.#namespace;
  }

  async session(): Promise<Session> {
    const loaded = this.#loaded;
    if (loaded !== undefined && this.#clock.monotonic() - loaded.at < this.#reloadIntervalMs) return loaded.session;
    return (await this.#load({ forced: false })).session;
  }

  async refresh(): Promise<void> {
    await this.#load({ forced: true });
  }

  async kubeConfig(): Promise<KubeConfig> {
    await this.session();
    const { config } = this.#loaded ?? (await this.#load({ forced: false }));
    const { KubeConfig: Config } = await import('@kubernetes/client-node');
    const copy = new Config();
    // A KubeConfig keeps its first agent for WebSockets for ever; a copy takes up certificates that were rotated since.
    const { clusters, users, contexts, currentContext } = config;
    copy.loadFromOptions({ clusters, users, contexts, currentContext });
    return copy;
  }

  async close(): Promise<void> {
    const loaded = this.#loaded;
    this.#loaded = undefined;
    await loaded?.session.dispatcher.destroy();
  }

  /** One load at a time: callers that come meanwhile share it, except that a forced one never settles for one that is not. */
  #load(how: { forced: boolean }): Promise<Loaded> {
    const running = this.#loading;
    if (running !== undefined && (running.forced || !how.forced)) return running.loaded;
    const loaded = running === undefined ? this.#read(how) : running.loaded.catch(() => undefined).then(() => this.#read(how));
    const loading: Loading = { forced: how.forced, loaded: loaded.finally(() => this.#ended(loading)) };
    this.#loading = loading;
    return loading.loaded;
  }

  #ended(loading: Loading): void {
    if (this.#loading === loading) this.#loading = undefined;
  }

  async #read({ forced }: { forced: boolean }): Promise<Loaded> {
    const before = this.#loaded;
    const fileStamp = await stampOf(kubeconfigFiles(this.#options));
    // A new KubeConfig forgets cached tokens. That is right when they were refused, but an OIDC refresh token may have been
    // rotated since the file was written and then lives only in the old object.
    const keep = before !== undefined && before.fileStamp === fileStamp && (!forced || before.oidc !== undefined);
    const config = keep ? before.config : await readKubeConfig(this.#options);
    const oidc = keep ? before.oidc : oidcTokenOf(config, this.#clock);
    if (oidc !== undefined) setToken(config, await oidc.current({ forced }));
    const request: RequestOptions = {};
    await config.applyToHTTPSOptions(request).catch((error: unknown) => {
      throw unloadable(config, error);
    });
    const tls = tlsOptionsOf(request);
    const reuse = before !== undefined && sameTls(before.tls, tls) && before.config.getCurrentCluster()?.server === serverOf(config);
    const url = new URL(serverOf(config));
    const session: Session = {
      dispatcher: reuse ? before.session.dispatcher : createDispatcher(config, tls),
      origin: url.origin,
      basePath: url.pathname.replace(/\/+$/, ''),
      headers: headersOf(request),
    };
    const loaded: Loaded = { config, oidc, tls, fileStamp, session, at: this.#clock.monotonic() };
    this.#loaded = loaded;
    this.#namespace = config.getContextObject(config.getCurrentContext())?.namespace;
    // Running watches finish on the old connections; closing waits for them, so nobody waits for closing.
    if (before !== undefined && !reuse) before.session.dispatcher.close().catch(() => before.session.dispatcher.destroy());
    return loaded;
  }
}

async function readKubeConfig(options: CredentialOptions): Promise<KubeConfig> {
  // Importing client-node costs half a second and tens of megabytes: only those who load a kubeconfig pay.
  const { KubeConfig: Config, loadYaml } = await import('@kubernetes/client-node');
  const config = new Config();
  try {
    if (options.podRoot !== undefined) config.loadFromCluster(options.podRoot);
    else if (options.kubeconfig !== undefined) config.loadFromFile(options.kubeconfig);
    else config.loadFromDefault();
  } catch (error) {
    const file = options.kubeconfig ?? kubeconfigFiles(options)[0];
    throw new StatusError('invalid_argument', `kubeconfig ${file} cannot be read: check that the file exists and is valid YAML`, {
      // A parser quotes the lines around what it does not understand, and those of a kubeconfig hold credentials.
      cause: error instanceof Error && 'code' in error ? error : undefined,
    });
  }
  if (config.getCurrentContext() === 'loaded-context') {
    throw new StatusError('invalid_argument', 'no kubeconfig was found: set KUBECONFIG, create ~/.kube/config, or run inside a cluster');
  }
  if (options.context !== undefined) config.setCurrentContext(options.context);
  if (config.getContextObject(config.getCurrentContext()) === null) {
    const known = config.getContexts().map((context) => context.name);
    throw new StatusError(
      'invalid_argument',
      `context "${config.getCurrentContext()}" is not in the kubeconfig; it has: ${known.join(', ') || 'none'}`,
    );
  }
  for (const file of kubeconfigFiles(options)) await adoptTokenFiles(config, file, loadYaml);
  return config;
}

/** client-node does not know `users[].user.tokenFile`; its in-cluster token reader does the same work. */
async function adoptTokenFiles(config: KubeConfig, file: string, parse: <T>(text: string) => T): Promise<void> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return;
  const raw = parse<{ users?: { name: string; user?: { tokenFile?: string } }[] }>(text);
  for (const { name, user } of raw.users ?? []) {
    if (user?.tokenFile === undefined) continue;
    const tokenFile = path.resolve(path.dirname(file), user.tokenFile);
    const index = config.users.findIndex((known) => known.name === name);
    const known = config.users[index];
    if (known !== undefined) config.users[index] = { ...known, authProvider: { name: 'tokenFile', config: { tokenFile } } };
  }
}

/** A certificate file that is not there, an exec plugin that fails, an identity provider that does not answer. */
function unloadable(config: KubeConfig, error: unknown): StatusError {
  const user = config.getCurrentUser()?.name ?? '';
  const text = messageOf(error).trim();
  return new StatusError('unauthenticated', `the credentials of user "${user}" in the kubeconfig cannot be loaded: ${text}`, {
    cause: error,
  });
}

function kubeconfigFiles(options: CredentialOptions): string[] {
  if (options.podRoot !== undefined) return [];
  if (options.kubeconfig !== undefined) return [options.kubeconfig];
  const fromEnvironment = process.env['KUBECONFIG']?.split(path.delimiter).filter((file) => file !== '') ?? [];
  return fromEnvironment.length > 0 ? fromEnvironment : [path.join(homedir(), '.kube', 'config')];
}

async function stampOf(files: readonly string[]): Promise<string> {
  const stats = await Promise.all(files.map((file) => stat(file).catch(() => undefined)));
  return stats.map((found) => (found === undefined ? 'absent' : `${found.ino}:${found.mtimeMs}:${found.size}`)).join(',');
}

function oidcTokenOf(config: KubeConfig, clock: Clock): OidcToken | undefined {
  const provider = config.getCurrentUser()?.authProvider as { readonly name?: string; readonly config?: OidcConfig } | null | undefined;
  return provider?.name === 'oidc' ? new OidcToken(provider.config ?? {}, clock) : undefined;
}

/** Makes the current user one that has a plain token. */
function setToken(config: KubeConfig, token: string): void {
  const name = config.getCurrentUser()?.name;
  config.users = config.users.map((user) => (user.name === name ? { name: user.name, token } : user));
}

function serverOf(config: KubeConfig): string {
  const server = config.getCurrentCluster()?.server;
  if (server === undefined)
    throw new StatusError('invalid_argument', 'the kubeconfig context names a cluster that the kubeconfig does not have');
  return server;
}

const tlsFields = ['ca', 'cert', 'key', 'pfx', 'passphrase', 'rejectUnauthorized', 'servername'] as const;

function tlsOptionsOf(request: RequestOptions): AgentOptions {
  return Object.fromEntries(tlsFields.filter((field) => request[field] !== undefined).map((field) => [field, request[field]]));
}

function sameTls(a: AgentOptions, b: AgentOptions): boolean {
  return tlsFields.every((field) => String(a[field]) === String(b[field]));
}

function headersOf(request: RequestOptions): Record<string, string> {
  const headers = Object.entries(request.headers ?? {}).map(([name, value]): [string, string] => [
    name.toLowerCase(),
    String(value).trim(),
  ]);
  if (typeof request.auth === 'string') headers.push(['authorization', `Basic ${Buffer.from(request.auth).toString('base64')}`]);
  return Object.fromEntries(headers);
}
