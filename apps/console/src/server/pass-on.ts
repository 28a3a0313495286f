import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Upstream } from './upstream.ts';

/** Nothing else of a request reaches an upstream: no cookie, and no identity that the page made up. */
const requestHeaders = ['accept', 'content-type', 'x-dry-run'];
const answerHeaders = ['content-type', 'content-disposition', 'retry-after'];

/** As much as the services themselves take. */
const bodyLimit = 4 * 1024 * 1024;

export const passedMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Bodies stay bytes: what they mean is for whoever they are passed on to. */
export function keepBodies(routes: FastifyInstance): void {
  routes.removeAllContentTypeParsers();
  routes.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit }, (_request, body, done) => done(null, body));
}

/** Asks an upstream what a page asks, as somebody, and answers as it answers; a stream passes as it comes. */
export async function passOn(
  upstream: Upstream,
  request: FastifyRequest,
  reply: FastifyReply,
  { path, token }: { readonly path: string; readonly token: string },
  signal: AbortSignal = whenGone(reply),
): Promise<FastifyReply> {
  const answer = await upstream.send(
    {
      method: request.method,
      path,
      headers: picked(requestHeaders, (name) => request.headers[name]),
      body: request.body instanceof Uint8Array ? request.body : undefined,
      token,
    },
    signal,
  );
  // What streams leaves at once: a change that waits for a full packet is late.
  request.raw.socket.setNoDelay(true);
  reply.code(answer.status).header('cache-control', 'no-store');
  reply.headers(picked(answerHeaders, (name) => answer.headers.get(name) ?? undefined));
  return reply.send(answer.body === null ? '' : Readable.from(answer.body, { objectMode: false }));
}

/** Aborts when whoever asked has gone. */
export function whenGone(reply: FastifyReply): AbortSignal {
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
