import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import { type Clock, type Log, messageOf, StatusError, systemClock } from '@quartermaster/kernel';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { ensureConsoleBuilt } from '../build/ensure-console-built.ts';
import type { ConsoleSource } from '../console-source.ts';
import { searchPath, streamPath, topicsPath } from '../topics/stream-message.ts';
import { FulfillmentRoutes } from './fulfillment-routes.ts';
import type { FulfillmentAccess } from './fulfillment-upstream.ts';
import { isLoopbackHost, refusalOf } from './request-guard.ts';
import { securityHeaders } from './security-headers.ts';
import { TopicFeed } from './topic-feed.ts';

export interface ConsoleOptions {
  readonly source: ConsoleSource;
  /** A loopback address: the console has no login, so nothing else is accepted. */
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly log: Log;
  /** The folder of the built page. Without it the page is built first where that is needed. */
  readonly assets?: string | undefined;
  readonly clock?: Clock | undefined;
  /** Absent where there is none: the pages of hosts and clusters are not shown then. */
  readonly fulfillment?: FulfillmentAccess | undefined;
}

export interface RunningConsole {
  readonly url: string;
  /** Ends every stream and frees the port. */
  stop(): Promise<void>;
}

const noncePlaceholder = '__CSP_NONCE__';

/** More than any page follows at once. */
const maxTopics = 16;

/** Serves the console until stopped. Refuses with a StatusError that says what to do when the address cannot be had. */
export async function startConsole(options: ConsoleOptions): Promise<RunningConsole> {
  const { source, host, port, log, clock = systemClock } = options;
  if (!isLoopbackHost(host)) {
    throw new StatusError('invalid_argument', `host is ${host}: the console has no login and listens on loopback only; use 127.0.0.1`);
  }
  const assets = options.assets ?? (await ensureConsoleBuilt({ log }));
  const page = await readPage(assets);
  const feed = new TopicFeed(source, clock, log);
  const server = fastify({ forceCloseConnections: true });
  const close = async (): Promise<void> => {
    feed.close();
    await server.close();
  };
  try {
    handleErrors(server, log);
    guardRequests(server);
    const fulfillment = new FulfillmentRoutes(options.fulfillment, clock);
    fulfillment.add(server);
    addApi(server, feed, clock, (request) => fulfillment.requireStaff(request));
    await server.register(fastifyStatic, { root: join(assets, 'assets'), prefix: '/assets/', index: false, immutable: true, maxAge: '1y' });
    addPage(server, page);
    const url = await server.listen({ host, port });
    return { url, stop: close };
  } catch (error) {
    await close();
    throw explainListen(error, host, port);
  }
}

async function readPage(assets: string): Promise<string> {
  try {
    return await readFile(join(assets, 'index.html'), 'utf8');
  } catch (cause) {
    throw new StatusError('failed_precondition', `assets names ${assets}, where there is no built console: build it first`, { cause });
  }
}

function guardRequests(server: FastifyInstance): void {
  server.addHook('onRequest', async (request, reply) => {
    const nonce = randomBytes(16).toString('base64');
    request.nonce = nonce;
    reply.headers(securityHeaders(nonce));
    const refusal = refusalOf({
      host: request.headers.host,
      origin: request.headers.origin,
      fetchSite: isNavigation(request) ? undefined : headerOf(request, 'sec-fetch-site'),
    });
    if (refusal !== undefined) throw new StatusError('permission_denied', refusal);
  });
  server.decorateRequest('nonce', '');
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Allows the inline styles of this one answer. */
    nonce: string;
  }
}

/** A link on another site may open the console: what it opens, that site cannot read. */
const isNavigation = (request: FastifyRequest): boolean => headerOf(request, 'sec-fetch-mode') === 'navigate';

function headerOf(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** What the installation is made of, for those who run it. `requireStaff` throws for all others. */
function addApi(server: FastifyInstance, feed: TopicFeed, clock: Clock, requireStaff: (request: FastifyRequest) => void): void {
  server.get(`${topicsPath}/*`, (request, reply) => {
    requireStaff(request);
    const state = feed.read(request.url.slice(topicsPath.length + 1)) ?? null;
    return reply.header('cache-control', 'no-store').send({ sentAt: clock.now(), state });
  });
  server.get(searchPath, (request, reply) => {
    requireStaff(request);
    const [query = ''] = parametersOf(request, 'q');
    return reply.header('cache-control', 'no-store').send({ hits: feed.search(query) });
  });
  server.get(streamPath, (request, reply) => {
    requireStaff(request);
    openStream(request, reply, feed);
  });
}

function parametersOf(request: FastifyRequest, name: string): readonly string[] {
  return new URL(request.url, 'http://localhost').searchParams.getAll(name);
}

function openStream(request: FastifyRequest, reply: FastifyReply, feed: TopicFeed): void {
  const topics = parametersOf(request, 'topic');
  if (topics.length === 0 || topics.length > maxTopics) {
    throw new StatusError('invalid_argument', `the stream was asked for ${topics.length} topics: name 1 to ${maxTopics}, each as topic=…`);
  }
  // A topic that there is not is refused before the answer begins.
  for (const topic of topics) feed.read(topic);
  reply.hijack();
  const { raw } = reply;
  // The page is on this machine: what matters is that a small change leaves at once.
  request.raw.socket.setNoDelay(true);
  raw.writeHead(200, {
    ...securityHeaders(request.nonce),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    connection: 'keep-alive',
    'x-accel-buffering': 'no',
  });
  const subscription = feed.subscribe({ write: (text) => raw.write(text) }, topics);
  raw.on('drain', () => subscription.resume());
  raw.once('close', () => subscription.end());
}

/** Every path that is no file and no API is a view of the page, which finds out itself which one. */
function addPage(server: FastifyInstance, page: string): void {
  server.get('/*', (request, reply) => {
    if (request.url.startsWith('/api/')) {
      throw new StatusError(
        'not_found',
        `nothing is served at ${request.url}: the console serves ${topicsPath}/…, ${searchPath} and ${streamPath}`,
      );
    }
    return reply
      .header('cache-control', 'no-store')
      .type('text/html; charset=utf-8')
      .send(page.replaceAll(noncePlaceholder, request.nonce));
  });
}

const httpStatus: Readonly<Record<string, number>> = {
  invalid_argument: 400,
  unauthenticated: 401,
  permission_denied: 403,
  not_found: 404,
  failed_precondition: 412,
  unavailable: 503,
};

function handleErrors(server: FastifyInstance, log: Log): void {
  server.setNotFoundHandler((request) => {
    throw new StatusError('not_found', `there is no ${request.method} ${request.url}`);
  });
  server.setErrorHandler((error, _request, reply) => {
    if (error instanceof StatusError) {
      const { code, message, details } = error;
      return reply.code(httpStatus[code] ?? 500).send({ code, message, details });
    }
    const status = statusOf(error);
    if (status < 500) return reply.code(status).send({ code: 'invalid_argument', message: messageOf(error) });
    log.error('the console failed to answer', { error: messageOf(error) });
    return reply.code(500).send({ code: 'internal', message: 'the console failed to answer; see its log' });
  });
}

function statusOf(error: unknown): number {
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined;
  return typeof status === 'number' && status >= 400 ? status : 500;
}

function explainListen(error: unknown, host: string, port: number): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const wayOut = 'choose another with --port (0 takes any free one)';
  if (code === 'EADDRINUSE') {
    return new StatusError('already_exists', `port ${port} on ${host} is in use by another program: stop that program, or ${wayOut}`, {
      cause: error,
    });
  }
  if (code === 'EACCES') {
    return new StatusError('permission_denied', `port ${port} on ${host} may not be opened by this user: ${wayOut}`, { cause: error });
  }
  return error;
}
