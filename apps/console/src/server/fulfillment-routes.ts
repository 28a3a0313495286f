import { Readable } from 'node:stream';
import { type Clock, StatusError } from '@quartermaster/kernel';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type CallerFacts, consoleHeader, isStaffRole, type SessionAnswer, sessionPath } from '../console-session.ts';
import { ConsoleSessions, type SessionState, sessionCookie } from './console-sessions.ts';
import { type FulfillmentAccess, FulfillmentUpstream } from './fulfillment-upstream.ts';

/** Answered by the fulfillment service, at the same paths. */
const passedOn = ['/api/fulfillment/*', '/api/private/*', '/api/events/*', '/api/quartermaster/*', '/openapi.json'];

/** Nothing else of a request reaches the service: no cookie, and no identity that the page made up. */
const requestHeaders = ['accept', 'content-type', 'x-dry-run'];
const answerHeaders = ['content-type', 'content-disposition', 'retry-after'];

/** As much as the service itself takes. */
const bodyLimit = 4 * 1024 * 1024;

/** How the installation itself looks at things while nobody has signed in. */
const localRole = 'provider';

/** Who looks, and the way to the fulfillment service. */
export class FulfillmentRoutes {
  readonly #sessions = new ConsoleSessions();
  readonly #upstream: FulfillmentUpstream | undefined;

  constructor(access: FulfillmentAccess | undefined, clock: Clock) {
    this.#upstream = access === undefined ? undefined : new FulfillmentUpstream(access, clock);
  }

  /** Throws unless the request comes from those who may see what the installation is made of. */
  requireStaff(request: FastifyRequest): void {
    const state = this.#stateOf(request);
    const role = state.kind === 'token' ? state.session.role : localRole;
    if (isStaffRole(role)) return;
    throw new StatusError('permission_denied', `the inventory requires the role admin or provider; your role is ${role}`);
  }

  add(server: FastifyInstance): void {
    void server.register(async (routes) => {
      routes.removeAllContentTypeParsers();
      routes.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit }, (_request, body, done) => done(null, body));
      routes.addHook('onRequest', async (request) => requireOwnPage(request));
      routes.get(sessionPath, async (request, reply) => await this.#tell(request, reply));
      routes.post(sessionPath, async (request, reply) => await this.#signIn(request, reply));
      routes.delete(sessionPath, async (request, reply) => this.#signOut(request, reply));
      for (const url of passedOn) {
        routes.route({
          method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
          url,
          handler: async (request, reply) => await this.#pass(request, reply),
        });
      }
    });
  }

  async #pass(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const upstream = this.#upstream;
    if (upstream === undefined) throw new StatusError('not_found', 'this console has no fulfillment service to ask');
    const state = this.#stateOf(request);
    const answer = await upstream.send(
      {
        method: request.method,
        path: request.url,
        headers: picked(requestHeaders, (name) => request.headers[name]),
        body: request.body instanceof Uint8Array ? request.body : undefined,
        token: state.kind === 'token' ? state.session.token : undefined,
      },
      whenGone(reply),
    );
    // What streams leaves at once: a change that waits for a full packet is late.
    request.raw.socket.setNoDelay(true);
    reply.code(answer.status).header('cache-control', 'no-store');
    reply.headers(picked(answerHeaders, (name) => answer.headers.get(name) ?? undefined));
    return reply.send(answer.body === null ? '' : Readable.fromWeb(answer.body));
  }

  async #tell(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    return reply.header('cache-control', 'no-store').send(await this.#answerFor(request, reply));
  }

  async #answerFor(request: FastifyRequest, reply: FastifyReply): Promise<SessionAnswer> {
    if (this.#upstream === undefined) return { kind: 'none', role: localRole };
    const state = this.#stateOf(request);
    const { kind } = state;
    const role = state.kind === 'token' ? state.session.role : localRole;
    try {
      const caller = await this.#callerOf(state.kind === 'token' ? state.session.token : undefined, whenGone(reply));
      return { kind, role: caller.role, caller };
    } catch (thrown) {
      if (!(thrown instanceof StatusError) || thrown.code !== 'unavailable') throw thrown;
      return { kind, role, problem: thrown.message };
    }
  }

  async #signIn(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    if (this.#upstream === undefined) throw new StatusError('failed_precondition', 'this console has no fulfillment service to sign in to');
    const token = tokenIn(request.body);
    const caller = await this.#callerOf(token, whenGone(reply));
    const answer: SessionAnswer = { kind: 'token', role: caller.role, caller };
    reply.header('cache-control', 'no-store');
    if (request.headers['x-dry-run'] === 'true') return reply.send(answer);
    const before = this.#sessions.stateOf(request.headers);
    if (before.kind === 'token') this.#sessions.close(before.id);
    const id = this.#sessions.open({ token, name: caller.name, role: caller.role });
    return reply.header('set-cookie', sessionCookie(request.headers.host, id)).send(answer);
  }

  #signOut(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const state = this.#sessions.stateOf(request.headers);
    if (state.kind === 'token') this.#sessions.close(state.id);
    return reply.header('set-cookie', sessionCookie(request.headers.host, undefined)).header('cache-control', 'no-store').send({});
  }

  async #callerOf(token: string | undefined, signal: AbortSignal): Promise<CallerFacts> {
    const path = '/api/quartermaster/v1/session';
    const answer = await this.#upstream?.send({ method: 'GET', path, headers: { accept: 'application/json' }, token }, signal);
    const body = (await answer?.json()) as CallerFacts & { readonly message?: string };
    if (answer?.ok === true) return body;
    const why = body.message ?? `it responded with ${answer?.status ?? 'nothing'}`;
    if (answer?.status === 401) throw new StatusError('unauthenticated', `the fulfillment service rejected the token: ${why}`);
    throw new StatusError('unavailable', `the fulfillment service did not identify you: ${why}`);
  }

  #stateOf(request: FastifyRequest): Exclude<SessionState, { readonly kind: 'ended' }> {
    const state = this.#sessions.stateOf(request.headers);
    if (state.kind !== 'ended') return state;
    throw new StatusError('unauthenticated', 'your session has ended: sign in again, or sign out to use the console without a session');
  }
}

/** What changes something comes from our own pages alone, and they say so. */
function requireOwnPage({ method, headers }: FastifyRequest): void {
  if (method === 'GET' || method === 'HEAD') return;
  if (headers.origin === `http://${headers.host}` && headers[consoleHeader] === '1') return;
  throw new StatusError(
    'permission_denied',
    `only the console's own pages may make changes here: use the fulfillment API, or send the Origin of the console and ${consoleHeader}: 1`,
  );
}

function tokenIn(body: unknown): string {
  let token: unknown;
  try {
    token = (JSON.parse(Buffer.from(body as Uint8Array).toString('utf8')) as { readonly token?: unknown }).token;
  } catch {
    token = undefined;
  }
  // A header takes no other characters, and no token has them.
  if (typeof token === 'string' && /^[\x21-\x7e]+$/.test(token.trim())) return token.trim();
  throw new StatusError('invalid_argument', 'token: must be a single line of printable characters without spaces');
}

function whenGone(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  return gone.signal;
}

function picked(names: readonly string[], read: (name: string) => string | readonly string[] | undefined): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = read(name);
      return typeof value === 'string' ? [[name, value] as const] : [];
    }),
  );
}
