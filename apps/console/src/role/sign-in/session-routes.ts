import { codeOf, type Log, messageOf, type Random, StatusError } from '@quartermaster/kernel';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sessionPath } from '../../console-session.ts';
import { requireOwnPage } from '../../server/guard-requests.ts';
import { keepBodies, whenGone } from '../../server/pass-on.ts';
import type { Site } from '../../server/request-guard.ts';
import {
  type FlowBegun,
  type FlowEnded,
  linksPath,
  oidcCallbackPath,
  oidcPath,
  type SignInProblem,
  type SignInWay,
} from '../../session-view.ts';
import type { SealedCookie } from '../session/sealed-cookie.ts';
import { isKeyShown, newSessionKey } from '../session/session-key.ts';
import type { LinkCodes } from './link-codes.ts';
import type { OidcIssuer, StartedFlow } from './oidc-issuer.ts';
import type { SessionAnswer, Sessions } from './sessions.ts';
import { credentialIn, queryIn, returnPathIn, tokenIn } from './sign-in-request.ts';

export interface SessionRoutesOptions {
  readonly sessions: Sessions;
  readonly ways: readonly SignInWay[];
  readonly site: Site;
  readonly links: LinkCodes;
  readonly oidc: OidcIssuer | undefined;
  readonly flows: SealedCookie<StartedFlow>;
  readonly now: () => number;
  readonly random: Random;
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
    // A browser that comes from the issuer shows no key: its page ends the flow, out of a fragment that goes to no server.
    routes.get(oidcCallbackPath, async (request, reply) => {
      requireOidc(options.oidc);
      return await reply.redirect(`/#returned=${encodeURIComponent(new URL(request.url, 'http://console').search)}`, 303);
    });
    await routes.register(async (own) => {
      own.addHook('onRequest', async (request) => requireOwnPage(request, site));
      own.post(sessionPath, async (request, reply) => await signIn(options, request, reply));
      own.delete(sessionPath, async (request, reply) => {
        const { cookies, location } = await sessions.end(request.headers);
        return withCookies(reply, cookies).send({ location });
      });
      own.post(oidcPath, async (request, reply) => await beginFlow(options, request, reply));
      own.post(oidcCallbackPath, async (request, reply) => await finishFlow(options, request, reply));
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
    return send(reply, await links.redeem(credential.code, (token) => sessions.open(request.headers, 'link', { token }, signal)));
  }
  requireWay(ways, 'token');
  const token = tokenIn(credential.token);
  if (request.headers['x-dry-run'] === 'true') return reply.send(await sessions.check(token, signal));
  return send(reply, await sessions.open(request.headers, 'token', { token }, signal));
}

async function beginFlow(
  { oidc, flows, now, random }: SessionRoutesOptions,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { key, keyHash } = newSessionKey(random);
  const { location, flow } = await requireOidc(oidc).begin({ returnTo: returnPathIn(request.body), keyHash });
  const answer: FlowBegun = { location, key };
  return withCookies(reply, await flows.seal(request.headers, flow, now() + flowForMs)).send(answer);
}

/** Ends the flow that this very page began: a flow that another port of the machine put into the browser has a key that the page does not have. */
async function finishFlow(options: SessionRoutesOptions, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { sessions, flows, log } = options;
  const oidc = requireOidc(options.oidc);
  const flow = await flows.open(request.headers);
  withCookies(reply, flows.drop(request.headers));
  if (flow.kind !== 'open' || !isKeyShown(request.headers, flow.value.keyHash)) throw cameToNothing('expired');
  let stage: SignInProblem = 'refused';
  try {
    const tokens = await oidc.finish(queryIn(request.body), flow.value);
    stage = 'unknown';
    const { view, cookies } = await sessions.open(request.headers, 'oidc', tokens, whenGone(reply));
    const answer: FlowEnded = { ...view, returnTo: flow.value.returnTo };
    return await withCookies(reply, cookies).send(answer);
  } catch (thrown) {
    log.warn('a sign-in at the issuer came to nothing', { error: messageOf(thrown) });
    throw cameToNothing(codeOf(thrown) === 'unavailable' ? 'unavailable' : stage);
  }
}

const cameToNothing = (problem: SignInProblem): StatusError =>
  new StatusError(problem === 'unavailable' ? 'unavailable' : 'unauthenticated', `the sign-in at the issuer came to nothing: ${problem}`, {
    details: { reason: problem },
  });

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
