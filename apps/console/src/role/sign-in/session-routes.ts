import { codeOf, type Log, messageOf, StatusError } from '@quartermaster/kernel';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sessionPath } from '../../console-session.ts';
import { requireOwnPage } from '../../server/guard-requests.ts';
import { keepBodies, whenGone } from '../../server/pass-on.ts';
import type { Site } from '../../server/request-guard.ts';
import { linksPath, oidcCallbackPath, oidcPath, type SignInProblem, type SignInWay } from '../../session-view.ts';
import type { SealedCookie } from '../session/sealed-cookie.ts';
import type { LinkCodes } from './link-codes.ts';
import type { OidcIssuer, StartedFlow } from './oidc-issuer.ts';
import type { SessionAnswer, Sessions } from './sessions.ts';
import { credentialIn, returnPathIn, tokenIn } from './sign-in-request.ts';

export interface SessionRoutesOptions {
  readonly sessions: Sessions;
  readonly ways: readonly SignInWay[];
  readonly site: Site;
  readonly links: LinkCodes;
  readonly oidc: OidcIssuer | undefined;
  readonly flows: SealedCookie<StartedFlow>;
  readonly now: () => number;
  readonly log: Log;
}

/** As long as a person may take at the issuer. */
const flowForMs = 10 * 60_000;

/** The routes that are open to those who have not signed in yet. */
export function addSessionRoutes(server: FastifyInstance, options: SessionRoutesOptions): void {
  const { sessions, ways, site, links } = options;
  void server.register(async (routes) => {
    keepBodies(routes);
    routes.addHook('onRequest', async (_request, reply) => void reply.header('cache-control', 'no-store'));
    routes.get(sessionPath, async (request, reply) => send(reply, await sessions.look(request.headers, whenGone(reply))));
    // The token that it has to show is what a page of another site does not have.
    routes.post(linksPath, async (request, reply) => {
      requireWay(ways, 'link');
      const token = bearerOf(request);
      await sessions.check(token, whenGone(reply));
      const { code, endsAt } = links.issue(token);
      return reply.send({ url: `${site.scheme}://${request.headers.host}/#code=${code}`, code, endsAt });
    });
    routes.get(oidcCallbackPath, async (request, reply) => await finishFlow(options, request, reply));
    await routes.register(async (own) => {
      own.addHook('onRequest', async (request) => requireOwnPage(request, site));
      own.post(sessionPath, async (request, reply) => await signIn(options, request, reply));
      own.delete(sessionPath, async (request, reply) => {
        const { cookies, location } = await sessions.end(request.headers);
        return withCookies(reply, cookies).send({ location });
      });
      own.post(oidcPath, async (request, reply) => await beginFlow(options, request, reply));
    });
  });
}

async function signIn(
  { sessions, ways, links }: SessionRoutesOptions,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const credential = credentialIn(request.body);
  const signal = whenGone(reply);
  if ('code' in credential) {
    requireWay(ways, 'link');
    return send(reply, await sessions.open(request.headers, 'link', { token: links.redeem(credential.code) }, signal));
  }
  requireWay(ways, 'token');
  const token = tokenIn(credential.token);
  if (request.headers['x-dry-run'] === 'true') return reply.send(await sessions.check(token, signal));
  return send(reply, await sessions.open(request.headers, 'token', { token }, signal));
}

async function beginFlow({ oidc, flows, now }: SessionRoutesOptions, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { location, flow } = await requireOidc(oidc).begin(returnPathIn(request.body));
  return withCookies(reply, await flows.seal(request.headers, flow, now() + flowForMs)).send({ location });
}

/** The issuer sends a browser here: whatever comes of it, the browser goes on to the page, which says what it was. */
async function finishFlow(options: SessionRoutesOptions, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { sessions, flows, log } = options;
  const oidc = requireOidc(options.oidc);
  const dropped = flows.drop(request.headers);
  const back = (problem: SignInProblem): FastifyReply => withCookies(reply, dropped).redirect(`/#sign-in=${problem}`, 303);
  const flow = await flows.open(request.headers);
  if (flow.kind !== 'open') return back('expired');
  let stage: SignInProblem = 'refused';
  try {
    const tokens = await oidc.finish(new URL(request.url, 'http://console').search, flow.value);
    stage = 'unknown';
    const { cookies } = await sessions.open(request.headers, 'oidc', tokens, whenGone(reply));
    return await withCookies(reply, [...dropped, ...cookies]).redirect(flow.value.returnTo, 303);
  } catch (thrown) {
    log.warn('a sign-in at the issuer came to nothing', { error: messageOf(thrown) });
    return back(codeOf(thrown) === 'unavailable' ? 'unavailable' : stage);
  }
}

function requireOidc(oidc: OidcIssuer | undefined): OidcIssuer {
  if (oidc !== undefined) return oidc;
  throw notHere('oidc');
}

function requireWay(ways: readonly SignInWay[], way: SignInWay): void {
  if (!ways.includes(way)) throw notHere(way);
}

const notHere = (way: SignInWay): StatusError =>
  new StatusError('failed_precondition', `nobody signs in by ${way} here: console-sign-in does not list it`);

function bearerOf({ headers }: FastifyRequest): string {
  const [, token] = /^Bearer (\S+)$/.exec(headers.authorization ?? '') ?? [];
  if (token !== undefined) return token;
  throw new StatusError('unauthenticated', 'a link is for the holder of a token: send the header "authorization: Bearer <token>"');
}

const send = (reply: FastifyReply, { view, cookies }: SessionAnswer): FastifyReply => withCookies(reply, cookies).send(view);

const withCookies = (reply: FastifyReply, cookies: readonly string[]): FastifyReply =>
  cookies.length === 0 ? reply : reply.header('set-cookie', [...cookies]);
