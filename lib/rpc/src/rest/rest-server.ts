import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { TLSSocket } from 'node:tls';
import type { JsonValue, Message } from '@bufbuild/protobuf';
import { type Clock, httpStatus, StatusError, systemClock } from '@quartermaster/kernel';
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { checkExposure } from '../authentication.ts';
import { CallRunner, type CallRunnerOptions, CancelledCall, type IncomingCall } from '../call-runner.ts';
import { retryAfterHeader, retryAfterText } from '../error-details.ts';
import { summarize } from '../peer-certificate.ts';
import type { CallContext, ServedService } from '../service-handlers.ts';
import type { ReloadingTls } from '../tls-credentials.ts';
import { type OpenApiOptions, openApiDocument } from './openapi.ts';
import { malformedAnswer, refusalOf } from './refusal.ts';
import { errorJson, streamForm, writeJson } from './rest-answer.ts';
import { streamAnswer } from './stream-answer.ts';
import { type RestAnswer, type TranscodedCall, Transcoder, type TranscoderOptions } from './transcoder.ts';

/** Something beside the methods of services: a form of its own, a health check. */
export interface RestRoute {
  /** `/v1/node/:name`; a `GET`. */
  readonly path: string;
  /** Open to callers that are not known: probes. */
  readonly isPublic?: boolean | undefined;
  answer(request: RouteRequest, context: CallContext | undefined): Promise<RouteAnswer> | RouteAnswer;
}

export interface RouteRequest {
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
}

export type RouteAnswer =
  | { readonly json: JsonValue; readonly status?: number }
  | { readonly text: string; readonly contentType: string; readonly status?: number };

export interface RestServerOptions extends CallRunnerOptions, TranscoderOptions {
  readonly services?: readonly ServedService[] | undefined;
  readonly routes?: readonly RestRoute[] | undefined;
  /** Default 127.0.0.1. */
  readonly host?: string | undefined;
  /** Default 0, any free one. */
  readonly port?: number | undefined;
  readonly tls?: ReloadingTls | undefined;
  readonly allowInsecure?: boolean | undefined;
  /** Default 1 MiB. */
  readonly maxBodyBytes?: number | undefined;
  /** Describe the services at `/openapi.json`, to everybody: contracts are no secret. Default: not there. */
  readonly openApi?: Omit<OpenApiOptions, 'useProtoNames'> | undefined;
}

export interface RestServer {
  /** `http://127.0.0.1:8080` */
  readonly url: string;
  readonly port: number;
  /** Ends the streams, lets running answers finish for so long, then cuts them off. */
  stop(withinMs: number): Promise<void>;
}

/** Serves the methods that have a google.api.http rule as JSON over HTTP, and the given routes. */
export async function startRestServer(options: RestServerOptions): Promise<RestServer> {
  const clock = options.clock ?? systemClock;
  const host = options.host ?? '127.0.0.1';
  checkExposure(host, options);
  const runner = new CallRunner(options);
  const { tls } = options;
  let release = (): void => {};
  const fail = (thrown: unknown, reply: FastifyReply): FastifyReply => {
    // A caller that leaves while it sends is no more of a failure than one that leaves while it is answered.
    if (thrown instanceof CancelledCall || reply.request.socket.destroyed) return reply.code(499).send();
    const error = refusalOf(thrown);
    if (error.code === 'internal') options.log?.error('request failed', { error: thrown });
    const retryAfter = retryAfterText(error);
    if (retryAfter !== undefined) void reply.header(retryAfterHeader, retryAfter);
    return reply
      .code(httpStatus[error.code])
      .type('application/json')
      .send(`${JSON.stringify(errorJson(error))}\n`);
  };
  const app = fastify({
    clientErrorHandler: (thrown, socket) => {
      if (socket.writable) socket.end(malformedAnswer(thrown));
      else socket.destroy();
    },
    frameworkErrors: (thrown, _request, reply) => {
      void fail(thrown, reply);
    },
    bodyLimit: options.maxBodyBytes ?? 1024 * 1024,
    // Node's own protections against slow senders stay on.
    serverFactory: (handle): Server => {
      if (tls === undefined) return createServer(handle);
      const server = createTlsServer(tls.serverOptions(), handle);
      release = tls.keep(server);
      return server;
    },
  });
  app.removeContentTypeParser('text/plain');
  // Many clients name a type with every request, also with those that have no body.
  app.addHook('onRequest', (request, _reply, done) => {
    const { headers } = request.raw;
    if ((headers['content-length'] ?? '0') === '0' && headers['transfer-encoding'] === undefined) delete headers['content-type'];
    done();
  });
  app.setErrorHandler((thrown, _request, reply) => fail(thrown, reply));
  app.setNotFoundHandler((request, reply) =>
    fail(new StatusError('not_found', `nothing is served at ${request.method} ${pathIn(request)}`), reply),
  );
  for (const route of [...(options.routes ?? []), ...openApiRoutes(options)]) {
    app.get(route.path, (request, reply) => answerRoute(route, runner, request, reply));
  }
  const parts: Parts = { transcoder: new Transcoder(options.services ?? [], options), runner, clock };
  app.route({
    method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    url: '/*',
    handler: (request, reply) => answerCall(parts, request, reply),
  });

  try {
    await app.listen({ host, port: options.port ?? 0 });
  } catch (cause) {
    release();
    throw new StatusError(
      'unavailable',
      `cannot listen on ${host}:${options.port ?? 0}: stop what listens there, or choose another host or port`,
      { cause },
    );
  }
  const address = app.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : (options.port ?? 0);
  const url = `${tls === undefined ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
  options.log?.info('rest server listens', { url });
  return {
    url,
    port,
    stop: async (withinMs) => {
      release();
      runner.endStreams();
      const cancel = clock.schedule(withinMs, () => app.server.closeAllConnections());
      const cancelSweep = repeat(clock, sweepIntervalMs, () => app.server.closeIdleConnections());
      await app.close().finally(() => {
        cancel();
        cancelSweep();
      });
    },
  };
}

/** What answering a call takes. */
interface Parts {
  readonly transcoder: Transcoder;
  readonly runner: CallRunner;
  readonly clock: Clock;
}

/** Connections whose last answer ends while the server stops would be kept open for the next request. */
const sweepIntervalMs = 50;

function repeat(clock: Clock, intervalMs: number, run: () => void): () => void {
  let cancel = (): void => {};
  const turn = (): void => {
    cancel = clock.schedule(intervalMs, turn);
    run();
  };
  turn();
  return () => cancel();
}

function openApiRoutes({ openApi, services = [], useProtoNames = false }: RestServerOptions): RestRoute[] {
  if (openApi === undefined) return [];
  const descriptors = services.map((service) => service.descriptor);
  const json = openApiDocument(descriptors, { ...openApi, useProtoNames });
  return [{ path: '/openapi.json', isPublic: true, answer: () => ({ json }) }];
}

async function answerRoute(route: RestRoute, runner: CallRunner, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const query = queryIn(request);
  const parameters = request.params as Readonly<Record<string, string>>;
  const answer =
    route.isPublic === true
      ? await route.answer({ parameters, query }, undefined)
      : await runner.answer(route.path, incoming(request, reply), async (context) => route.answer({ parameters, query }, context));
  const status = answer.status ?? 200;
  if ('text' in answer) return reply.code(status).type(answer.contentType).send(answer.text);
  return reply.code(status).type('application/json').send(writeJson(answer.json, query));
}

async function answerCall(parts: Parts, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const query = queryIn(request);
  const call = parts.transcoder.read({ verb: request.method, path: pathIn(request), query, body: request.body as JsonValue | undefined });
  if (call.method.kind === 'stream') return await answerStream(call, parts, request, reply);
  const answer = call.answer(await parts.runner.unary(call.method, async () => call.request, incoming(request, reply)));
  if (answer.kind === 'raw') return reply.type(answer.contentType).header('cache-control', 'no-store').send(answer.bytes);
  return reply.type('application/json').send(writeJson(answer.json, query));
}

async function answerStream(call: TranscodedCall, parts: Parts, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const form = streamForm(request.headers.accept);
  const messages = parts.runner.stream(call.method, async () => call.request, incoming(request, reply));
  const toJson = (message: Message): JsonValue => jsonIn(call.answer(message));
  const text = await streamAnswer({ messages, form, clock: parts.clock, toJson });
  const sent = reply.type(form.contentType).header('cache-control', 'no-store').send(text);
  // The caller learns that the stream has begun, also while there is nothing to tell.
  reply.raw.flushHeaders();
  return sent;
}

/** A stream has one form for all its messages: bytes are text in it. */
function jsonIn(answer: RestAnswer): JsonValue {
  return answer.kind === 'json' ? answer.json : Buffer.from(answer.bytes).toString('base64');
}

function incoming(request: FastifyRequest, reply: FastifyReply): IncomingCall {
  const gone = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort();
  });
  const { socket } = request;
  return {
    transport: 'rest',
    peer: `${socket.remoteAddress ?? ''}:${socket.remotePort ?? ''}`,
    certificate: socket instanceof TLSSocket && socket.authorized ? summarize(socket.getPeerCertificate()) : undefined,
    header: (name) => {
      const value = request.headers[name];
      return Array.isArray(value) ? value.join(', ') : value;
    },
    signal: gone.signal,
  };
}

const pathIn = (request: FastifyRequest): string => request.url.split('?', 1)[0] ?? '/';
const queryIn = (request: FastifyRequest): URLSearchParams => new URLSearchParams(request.url.split('?').slice(1).join('?'));
