import { ViewFeed } from '@quartermaster/inventory/views';
import { type Clock, type Log, StatusError, systemClock } from '@quartermaster/kernel';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { ensureConsoleBuilt } from '../build/ensure-console-built.ts';
import type { ConsoleSource } from '../console-source.ts';
import type { FulfillmentAccess } from '../fulfillment-access.ts';
import { encodeMessage, searchPath, streamPath, topicsPath } from '../topics/stream-message.ts';
import { answerErrors } from './answer-errors.ts';
import { addPage, readPage } from './built-page.ts';
import { consoleViews } from './console-views.ts';
import { FulfillmentRoutes } from './fulfillment-routes.ts';
import { guardRequests } from './guard-requests.ts';
import { isLoopbackHost } from './request-guard.ts';
import { search } from './search.ts';
import { securityHeaders } from './security-headers.ts';

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
  const feed = new ViewFeed({ open: consoleViews(source), subscribe: (changed) => source.subscribe(changed), clock, log });
  const server = fastify({ forceCloseConnections: true });
  const close = async (): Promise<void> => {
    feed.close();
    await server.close();
  };
  try {
    answerErrors(server, log);
    guardRequests(server);
    const fulfillment = new FulfillmentRoutes(options.fulfillment, clock);
    fulfillment.add(server);
    addApi(server, { feed, source, clock }, (request) => fulfillment.requireStaff(request));
    await addPage(server, assets, page);
    const url = await server.listen({ host, port });
    return { url, stop: close };
  } catch (error) {
    await close();
    throw explainListen(error, host, port);
  }
}

/** What the installation is made of, for those who run it. `requireStaff` throws for all others. */
function addApi(
  server: FastifyInstance,
  { feed, source, clock }: { readonly feed: ViewFeed; readonly source: ConsoleSource; readonly clock: Clock },
  requireStaff: (request: FastifyRequest) => void,
): void {
  server.get(`${topicsPath}/*`, (request, reply) => {
    requireStaff(request);
    const state = feed.read(request.url.slice(topicsPath.length + 1)) ?? null;
    return reply.header('cache-control', 'no-store').send({ sentAt: clock.now(), state });
  });
  server.get(searchPath, (request, reply) => {
    requireStaff(request);
    const [query = ''] = parametersOf(request, 'q');
    return reply.header('cache-control', 'no-store').send({ hits: search(source, query) });
  });
  server.get(streamPath, (request, reply) => {
    requireStaff(request);
    openStream(request, reply, feed);
  });
}

function parametersOf(request: FastifyRequest, name: string): readonly string[] {
  return new URL(request.url, 'http://localhost').searchParams.getAll(name);
}

function openStream(request: FastifyRequest, reply: FastifyReply, feed: ViewFeed): void {
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
    ...securityHeaders(request.nonce, { isSecure: false }),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    connection: 'keep-alive',
    'x-accel-buffering': 'no',
  });
  const subscription = feed.subscribe({ write: (messages) => raw.write(messages.map(encodeMessage).join('')) }, topics);
  raw.on('drain', () => subscription.resume());
  raw.once('close', () => subscription.end());
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
