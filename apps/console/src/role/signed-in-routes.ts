import { type Clock, StatusError } from '@quartermaster/kernel';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { requireOwnPage } from '../server/guard-requests.ts';
import { keepBodies, passedMethods, passOn, whenGone } from '../server/pass-on.ts';
import type { Site } from '../server/request-guard.ts';
import type { Asker, AskerOf } from './session/asker.ts';
import { endOf, type SealedSession } from './session/console-session.ts';
import { whileAllowed } from './session/while-allowed.ts';
import type { Sessions } from './sign-in/sessions.ts';
import { upstreamPath } from './upstreams/upstream-table.ts';
import type { Upstreams } from './upstreams/upstreams.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Of whoever asks; null where nobody has to have signed in. */
    session: SealedSession | null;
  }
}

export interface SignedInOptions {
  readonly sessions: Sessions;
  readonly upstreams: Upstreams;
  readonly site: Site;
  readonly clock: Clock;
  /** Of the role. */
  readonly signal: AbortSignal;
  /** Routes beside those of the upstreams. */
  readonly add: (routes: FastifyInstance, askerOf: AskerOf) => void;
}

/** Everything of the API but signing in: nobody without a session gets past the first hook. */
export function addSignedInRoutes(server: FastifyInstance, options: SignedInOptions): void {
  const { sessions, upstreams, site } = options;
  const askerOf: AskerOf = (request, reply) => asker(options, request, reply);
  server.decorateRequest('session', null);
  void server.register(async (routes) => {
    keepBodies(routes);
    routes.addHook('onRequest', async (request) => {
      request.session = await sessions.require(request.headers);
      requireOwnPage(request, site);
    });
    for (const { row, upstream } of upstreams.all) {
      for (const path of Object.entries<string>(row.paths)) {
        const [from] = path;
        routes.route({
          method: passedMethods,
          url: from.endsWith('/') ? `${from}*` : from,
          handler: async (request, reply) => {
            const asking = askerOf(request, reply);
            if (row.isForStaff === true) await asking.requireStaff();
            const { session, signal } = asking;
            return await passOn(upstream, request, reply, { path: upstreamPath(path, request.url), token: session.token }, signal);
          },
        });
      }
    }
    options.add(routes, askerOf);
    routes.route({
      method: passedMethods,
      url: '/api/*',
      handler: (request) => {
        throw new StatusError('not_found', `there is nothing at ${request.method} ${request.url} of this console`);
      },
    });
  });
}

function asker({ upstreams, clock, signal: stopping }: SignedInOptions, request: FastifyRequest, reply: FastifyReply): Asker {
  const { session } = request;
  if (session === null) throw new StatusError('internal', 'a route behind the sign-in was reached without a session');
  const ending = new AbortController();
  const ended = (): StatusError => new StatusError('unauthenticated', 'your session has ended: sign in again');
  const cancel = clock.schedule(endOf(session) - clock.now(), () => ending.abort(ended()));
  reply.raw.once('close', cancel);
  const signal = AbortSignal.any([whenGone(reply), ending.signal, stopping]);
  const requireLogReader = (): Promise<void> => upstreams.requireLogReader(session.token, signal);
  return {
    session,
    signal,
    whileKnown: () => whileAllowed(() => upstreams.callerOf(session.token, 'briefly', signal), clock, signal),
    requireStaff: () => upstreams.requireStaff(session.token, signal),
    requireClusterReader: () => upstreams.requireClusterReader(session.token, signal),
    requireLogReader,
    whileLogReader: () => whileAllowed(requireLogReader, clock, signal),
  };
}
