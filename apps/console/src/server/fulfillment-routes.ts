import { type Clock, StatusError } from '@quartermaster/kernel';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type CallerFacts, isStaffRole, type SessionAnswer, sessionPath } from '../console-session.ts';
import type { FulfillmentAccess } from '../fulfillment-access.ts';
import { ConsoleSessions, type SessionState, sessionCookie } from './console-sessions.ts';
import { requireOwnPage } from './guard-requests.ts';
import { keepBodies, passedMethods, passOn, whenGone } from './pass-on.ts';
import { Upstream } from './upstream.ts';

/** Answered by the fulfillment service, at the same paths. */
const passedOn = ['/api/fulfillment/*', '/api/private/*', '/api/events/*', '/api/quartermaster/*', '/openapi.json'];

/** How the installation itself looks at things while nobody has signed in. */
const localRole = 'provider';

/** Who looks, and the way to the fulfillment service. */
export class FulfillmentRoutes {
  readonly #sessions = new ConsoleSessions();
  readonly #access: FulfillmentAccess | undefined;
  readonly #upstream: Upstream | undefined;

  constructor(access: FulfillmentAccess | undefined, clock: Clock) {
    this.#access = access;
    this.#upstream = access === undefined ? undefined : new Upstream({ title: 'fulfillment service', url: () => access.restUrl(), clock });
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
      keepBodies(routes);
      routes.addHook('onRequest', async (request) => requireOwnPage(request));
      routes.get(sessionPath, async (request, reply) => await this.#tell(request, reply));
      routes.post(sessionPath, async (request, reply) => await this.#signIn(request, reply));
      routes.delete(sessionPath, async (request, reply) => this.#signOut(request, reply));
      for (const url of passedOn) {
        routes.route({
          method: passedMethods,
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
    const token = state.kind === 'token' ? state.session.token : await this.#ownToken();
    return await passOn(upstream, request, reply, { path: request.url, token });
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

  async #ownToken(): Promise<string> {
    return (await this.#access?.token()) ?? '';
  }

  async #callerOf(given: string | undefined, signal: AbortSignal): Promise<CallerFacts> {
    const token = given ?? (await this.#ownToken());
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
