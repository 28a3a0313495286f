import { readNamedSecret } from '@quartermaster/auth/secret-file';
import { isLoopback, messageOf, StatusError } from '@quartermaster/kernel';
import { type RoleBody, sharedServed } from '@quartermaster/runtime';
import type { HttpListener, RoleHost } from '@quartermaster/runtime/host';
import { type FastifyInstance, fastify } from 'fastify';
import { findBuiltPage } from '../build/find-built-page.ts';
import { answerErrors } from '../server/answer-errors.ts';
import { addPage, readPage } from '../server/built-page.ts';
import { guardRequests } from '../server/guard-requests.ts';
import { type Site, siteOf } from '../server/request-guard.ts';
import { Upgrades } from '../server/upgrades.ts';
import { oidcCallbackPath } from '../session-view.ts';
import { sharedConsole } from './console-role.ts';
import type { ConsoleSettings } from './console-settings.ts';
import { addGatewayRoutes } from './gateway/gateway-routes.ts';
import { SessionStreams } from './gateway/session-streams.ts';
import { addInstallationRoute } from './installation-route.ts';
import type { AskerOf } from './session/asker.ts';
import { sealedSession } from './session/console-session.ts';
import { SealedCookie } from './session/sealed-cookie.ts';
import { openSessionKeys } from './session/session-keys.ts';
import { limitSignIns } from './sign-in/limit-sign-ins.ts';
import { LinkCodes } from './sign-in/link-codes.ts';
import { OidcIssuer, startedFlow } from './sign-in/oidc-issuer.ts';
import { addSessionRoutes } from './sign-in/session-routes.ts';
import { Sessions } from './sign-in/sessions.ts';
import { addSignedInRoutes } from './signed-in-routes.ts';
import { trustedFetch } from './upstreams/trusted-fetch.ts';
import { type UpstreamRow, upstreamSettings, upstreamTable } from './upstreams/upstream-table.ts';
import { type UpstreamPlace, Upstreams } from './upstreams/upstreams.ts';

type Host = RoleHost<ConsoleSettings>;

/** Starts the console on its settings, or within `up` on the roles of the same process. */
export async function startConsoleRole(host: Host): Promise<RoleBody> {
  const { config, clock, log, random } = host;
  const assets = await findBuiltPage();
  const page = await readPage(assets);
  const listener = await host.http();
  const site = siteFor(config, listener);
  const ways = config['console-sign-in'];
  const upstreams = await openUpstreams(host);
  const oidc = ways.includes('oidc') ? await openOidc(host) : undefined;
  const keys = await openSessionKeys({ file: config['console-key-ring-file'], clock, log });
  host.keep('keys of sessions', () => keys.close());
  const sealing = { keys, clock, isSecure: site.scheme === 'https' };
  const cookie = new SealedCookie({ ...sealing, purpose: 'session', schema: sealedSession });
  const flows = new SealedCookie({ ...sealing, purpose: 'sign-in', schema: startedFlow });
  const callerOf: Upstreams['callerOf'] = (token, waiting, signal) => upstreams.callerOf(token, waiting, signal);
  const names = upstreams.all.map(({ row }) => row.name);
  const lifetimeMs = config['console-session-lifetime'];
  const streams = new SessionStreams(config['console-streams-per-session']);
  const signedOut = (keyHash: string): void => streams.end(keyHash);
  const sessions = new Sessions({ cookie, ways, upstreams: names, lifetimeMs, callerOf, oidc, signedOut, clock, random, log });
  const cluster = config['console-kubernetes'] ? await openKubernetes(host) : undefined;
  const surroundings = host.shared.find(sharedConsole);

  const server = fastify({ trustProxy: [...config['console-trusted-proxies']] });
  const requests = host.metrics.counter({
    name: 'quartermaster_console_requests_total',
    help: 'Requests by method and status.',
    labels: ['method', 'status'],
  });
  server.addHook('onResponse', async ({ method }, { statusCode }) => requests.add({ method, status: String(statusCode) }));
  answerErrors(server, log);
  guardRequests(server, site);
  limitSignIns(server, clock);
  const links = new LinkCodes(clock, random);
  addSessionRoutes(server, { sessions, ways, site, links, oidc, flows, now: () => clock.now(), random, log });
  const stopping = new AbortController();
  const upgrades = new Upgrades();
  const market = upstreams.all.find(({ row }) => row.name === 'market')?.upstream;
  addSignedInRoutes(server, {
    sessions,
    upstreams,
    site,
    clock,
    signal: stopping.signal,
    add: (routes, askerOf) => {
      const kubernetes = cluster !== undefined;
      addInstallationRoute(routes, { version: host.version, ways, upstreams, kubernetes, surroundings }, askerOf);
      cluster?.(routes, askerOf);
      if (market !== undefined) addGatewayRoutes(routes, { market, upgrades, streams, site, clock, log }, askerOf);
    },
  });
  await addPage(server, assets, page);
  await server.ready();
  host.keep('routes of the console', () => server.close());
  const url = await listener.listen(
    (request, response) => server.routing(request, response),
    (...upgrade) => upgrades.route(server, ...upgrade),
  );
  // Streams would hold the server up.
  host.keep('streams', () => stopping.abort(new StatusError('unavailable', 'the console is being stopped')), 'first');
  surroundings?.served(url);
  return { status: () => ({ signIn: ways, upstreams: names }) };
}

function siteFor(config: ConsoleSettings, { scheme, host }: HttpListener): Site {
  const publicUrl = config['console-public-url'];
  const hosts = config['console-allowed-hosts'];
  if (!isLoopback(host) && publicUrl === undefined && hosts.length === 0) {
    throw new StatusError('invalid_argument', `console-public-url must be given, or console-allowed-hosts: console-host is ${host}`);
  }
  // A proxy on the same machine may speak TLS for it.
  return siteOf({ scheme: publicUrl?.startsWith('https:') === true ? 'https' : scheme, hosts, publicUrl });
}

async function openUpstreams(host: Host): Promise<Upstreams> {
  const { config, clock, log, shared } = host;
  const urlOf = ({ name }: UpstreamRow): string | undefined => config[`console-${name}-url`];
  const rows: readonly UpstreamRow[] = upstreamTable;
  // Where the settings name none, they are those of this process.
  const served = rows.some((row) => urlOf(row) !== undefined) ? undefined : shared.find(sharedServed);
  const places: UpstreamPlace[] = [];
  for (const row of rows) {
    const url = urlOf(row);
    if (url === undefined && served === undefined) continue;
    const setting = `console-${row.name}-ca-file` as const;
    const trusted = await trustedFetch({ setting, caFile: config[setting], clock, log });
    host.keep(`connections to the ${row.title}`, () => trusted.close());
    // A role of this process that is started again serves on another port.
    places.push({ row, url: () => url ?? served?.of(row.role)?.rest, fetch: trusted.fetch });
  }
  if (places.length > 0) return new Upstreams(places, clock, log);
  throw new StatusError('invalid_argument', `one of ${upstreamSettings} must be given: a console shows what a service has`);
}

async function openOidc({ config, clock, log, keep }: Host): Promise<OidcIssuer> {
  const setting = 'console-oidc-ca-file';
  const trusted = await trustedFetch({ setting, caFile: config[setting], clock, log });
  keep('connections to the issuer', () => trusted.close());
  const secretFile = config['console-oidc-client-secret-file'];
  const home = (config['console-public-url'] ?? '').replace(/\/$/, '');
  return new OidcIssuer({
    issuer: config['console-oidc-issuer'] ?? '',
    clientId: config['console-oidc-client-id'] ?? '',
    clientSecret: secretFile === undefined ? undefined : await secretIn(secretFile),
    scopes: config['console-oidc-scopes'],
    parameters: Object.fromEntries(config['console-oidc-parameters'].map(parameterIn)),
    tokenKind: config['console-oidc-token'],
    callbackUrl: `${home}${oidcCallbackPath}`,
    homeUrl: `${home}/`,
    fetch: (url, { body, ...options }) => trusted.fetch(url, { ...options, body: body ?? null }),
    clock,
    log,
  });
}

function parameterIn(text: string): readonly [string, string] {
  const at = text.indexOf('=');
  return [text.slice(0, at), text.slice(at + 1)];
}

async function secretIn(path: string): Promise<string> {
  try {
    return (await readNamedSecret(path)).trim();
  } catch (thrown) {
    throw new StatusError('invalid_argument', `console-oidc-client-secret-file ${path} cannot be read: ${messageOf(thrown)}`);
  }
}

async function openKubernetes(host: Host): Promise<(routes: FastifyInstance, askerOf: AskerOf) => void> {
  const [client, { addKubernetesRoutes }] = await Promise.all([host.kubernetes(), import('./kubernetes/kubernetes-routes.ts')]);
  return (routes, askerOf) => addKubernetesRoutes(routes, client, askerOf);
}
