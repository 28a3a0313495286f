import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { MetadataService } from '@quartermaster/api/fulfillment';
import { StatusError } from '@quartermaster/kernel';
import { clientTls } from '../../server/client-tls.ts';
import { contentOf } from '../../server/content-of.ts';
import { type Context, ContextsFile, contextsPath, serverOf } from '../../server/contexts-file.ts';
import { type FoundServer, unknownContext } from '../../server/find-server.ts';
import { deviceLogin } from '../../server/oidc-token.ts';
import { parseServerAddress } from '../../server/server-address.ts';
import { connectTo, using } from '../../server/server-connection.ts';
import type { ServerFlags, TlsFlags } from '../../server/server-flags.ts';
import { type LoginServer, serverNamed } from '../../server/servers.ts';
import type { Output } from '../../text/output.ts';
import { table } from '../../text/table.ts';
import { ApiConnection, withApi } from '../objects/api-connection.ts';

/** Which service is meant: a market, or else a fulfillment service. */
export interface MarketFlag {
  readonly market: boolean;
}

export interface LoginFlags extends MarketFlag, TlsFlags, Pick<ServerFlags, 'public' | 'private'> {
  /** What to save it as. */
  readonly name?: string | undefined;
  /** `-`: from standard input. */
  readonly token?: string | undefined;
  readonly tokenFile?: string | undefined;
  readonly issuer?: string | undefined;
  readonly clientId: string;
  readonly scope: string;
  readonly resource?: string | undefined;
  readonly audience?: string | undefined;
}

/** Finds out who the caller is at a service and saves how to come back as that. Nothing is saved when the service refuses. */
export async function login(addressText: string, flags: LoginFlags, output: Output, signal: AbortSignal, env = process.env): Promise<void> {
  const name = serverMeant(flags);
  const given = parseServerAddress(addressText, 'ADDRESS', serverNamed(name).port);
  const { address } = given;
  if (flags.token !== undefined && flags.tokenFile !== undefined) {
    throw new StatusError('invalid_argument', '--token and --token-file contradict each other: give one of them');
  }
  const tls = clientTls(flags, given);
  const isPlainText = tls === undefined;
  const server: FoundServer = { address, origin: 'ADDRESS', allowInsecure: isPlainText, tls };
  const credentials = await credentialsOf(name, server, flags, output, signal);
  const context: Context = {
    server: flags.market ? 'market' : undefined,
    address,
    isPlainText,
    ...filesOf(flags),
    api: flags.public === true ? 'public' : flags.private === true ? 'private' : undefined,
    ...credentials,
  };
  const token =
    credentials.oidc?.accessToken ??
    credentials.token ??
    (flags.tokenFile === undefined ? undefined : contentOf(flags.tokenFile, '--token-file').trim());
  const known: FoundServer = { ...server, token: token === undefined ? undefined : () => token };
  await using(new ApiConnection(known, flags, name), async (connection) => {
    const session = await connection.session();
    const savedAs = flags.name ?? address;
    const file = new ContextsFile(contextsPath(env));
    file.save(savedAs, context);
    const who = session === undefined ? 'the service does not report who you are' : `as ${session.name}, ${session.role}`;
    output.out.write(`Logged in to ${address} ${session === undefined ? `(${who})` : who}. Saved as "${savedAs}" in ${file.path}.\n`);
    if (isPlainText && token !== undefined && !/^(127\.|localhost|\[::1\])/.test(address)) {
      output.err.write('quartermaster: the address is http: the token travels where others can read it\n');
    }
  });
}

/** Forgets a login: the current one, one by its name, or all. */
export function logout(name: string | undefined, flags: { readonly all: boolean }, { out }: Output, env = process.env): void {
  const file = new ContextsFile(contextsPath(env));
  const { current, currentMarket, contexts } = file.read();
  const known = Object.keys(contexts);
  const wanted = flags.all ? known : [name ?? current ?? currentMarket].flatMap((each) => each ?? []);
  if (wanted.length === 0) {
    throw new StatusError(
      'failed_precondition',
      known.length === 0 ? 'no login is saved' : `no login is current: name one of ${known.join(', ')}`,
    );
  }
  for (const each of wanted) {
    if (!known.includes(each)) throw unknownContext(each, known);
    file.remove(each);
    out.write(`Logged out of ${each}.\n`);
  }
}

/** Lists the saved logins, or makes one of them the current one. */
export function showContexts(name: string | undefined, { out }: Output, env = process.env): void {
  const file = new ContextsFile(contextsPath(env));
  const { contexts, ...currents } = file.read();
  if (name !== undefined) {
    if (contexts[name] === undefined) throw unknownContext(name, Object.keys(contexts));
    file.use(name);
    out.write(`${name} is the current login.\n`);
    return;
  }
  const rows = Object.entries(contexts).map(([each, context]) => [
    Object.values(currents).includes(each) ? '*' : '',
    each,
    serverOf(context),
    context.address,
    credentialText(context),
    context.api ?? '-',
  ]);
  out.write(
    rows.length === 0 ? 'No login is saved: quartermaster login ADDRESS\n' : table(['', 'NAME', 'TO', 'ADDRESS', 'BY', 'API'], rows),
  );
}

/** Who the service takes the caller for. */
export async function whoami(_args: readonly string[], flags: ServerFlags & MarketFlag, { out }: Output): Promise<void> {
  const work = async (connection: ApiConnection): Promise<void> => {
    const session = await connection.session();
    if (session === undefined) throw new StatusError('not_found', `${connection.server.address} does not say who its callers are`);
    const { address, origin } = connection.server;
    const rows = [
      ['Role', session.role],
      ['Tenants', session.tenants.includes('*') ? 'all' : session.tenants.join(', ')],
      ['Source', session.source],
      ['Reads secrets', session.mayReadSecrets ? 'yes' : 'no'],
      ['API', flags.market ? '' : (await connection.isPrivateFor('hosts')) ? 'private' : 'public'],
      ['Server', `${address} (${origin}), version ${session.version}`],
    ];
    out.write(
      table(
        ['Name', session.name],
        rows.filter(([, value]) => value !== ''),
      ),
    );
  };
  await withApi(flags, work, serverMeant(flags));
}

const serverMeant = ({ market }: MarketFlag): LoginServer => (market ? 'market' : 'fulfillment');

type Credentials = Pick<Context, 'token' | 'tokenFile' | 'oidc'>;

/** A token that is given wins; else the issuer that is named, or that the service names. */
async function credentialsOf(
  name: LoginServer,
  server: FoundServer,
  flags: LoginFlags,
  { err }: Output,
  signal: AbortSignal,
): Promise<Credentials> {
  if (flags.token !== undefined) return { token: (flags.token === '-' ? readFileSync(0, 'utf8') : flags.token).trim() };
  if (flags.tokenFile !== undefined) return { tokenFile: resolve(flags.tokenFile) };
  const issuer = flags.issuer ?? (flags.certFile === undefined ? await issuerOf(name, server) : undefined);
  if (issuer === undefined) return {};
  const { clientId, scope, resource, audience } = flags;
  const asked = Object.entries({ scope, resource, audience }).filter((pair): pair is [string, string] => pair[1] !== undefined);
  const oidc = await deviceLogin(
    { issuer, clientId, parameters: Object.fromEntries(asked) },
    ({ address, code, expiresInSeconds }) => {
      err.write(`Open ${address}\nand confirm the code ${code} within ${Math.ceil(expiresInSeconds / 60)} minutes.\n`);
    },
    signal,
  );
  return { oidc };
}

/** Where the service sends its callers to log in; undefined when it names no place. */
async function issuerOf(name: LoginServer, server: FoundServer): Promise<string | undefined> {
  // Of a market it is not asked: it has no method for that.
  if (name === 'market') return undefined;
  const { authn } = await using(connectTo(name, server), (connection) => connection.client(MetadataService).get({}));
  return authn?.trustedTokenIssuers.find((issuer) => /^https?:/.test(issuer));
}

/** By paths that hold in every folder. */
function filesOf({ caFile, certFile, keyFile, tlsServerName, insecureSkipTlsVerify }: TlsFlags): Partial<Context> {
  const path = (file: string | undefined): string | undefined => (file === undefined ? undefined : resolve(file));
  return { caFile: path(caFile), certFile: path(certFile), keyFile: path(keyFile), tlsServerName, insecureSkipTlsVerify };
}

function credentialText({ oidc, token, tokenFile, certFile }: Context): string {
  if (oidc !== undefined) return oidc.issuer;
  if (tokenFile !== undefined) return tokenFile;
  if (token !== undefined) return 'token';
  return certFile ?? 'nothing';
}
