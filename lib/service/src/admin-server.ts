import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type Clock, isLoopback, type Log, StatusError, silentLog, systemClock } from '@quartermaster/kernel';
import { type AdmitCaller, credentialsOf, refusalOf } from './admit-caller.ts';
import type { Health, HealthPurpose, HealthReport } from './health.ts';
import { connectionsOf, listen } from './listen.ts';
import type { Metrics } from './metrics.ts';
import { probeAnswer } from './probe-answer.ts';
import type { TlsCertificates } from './tls.ts';

export interface AdminServerOptions {
  readonly health: Health;
  readonly metrics: Metrics;
  /** Default 127.0.0.1. Beyond loopback, `tls` and `admit` are needed. */
  readonly host?: string | undefined;
  /** Default 0, any free one. */
  readonly port?: number | undefined;
  /** With it the server speaks HTTPS, and asks clients for certificates if there is an authority for them. With `admit`, a client may come without. */
  readonly tls?: TlsCertificates | undefined;
  /** Who may see more than one word. On loopback everybody may unless it is given. */
  readonly admit?: AdmitCaller | undefined;
  readonly clock?: Clock | undefined;
  readonly log?: Log | undefined;
}

export interface AdminServer {
  /** `http://127.0.0.1:9090` */
  readonly url: string;
  readonly port: number;
  /** Lets running answers finish for so long, then cuts them off. */
  stop(withinMs: number): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

const defaultHost = '127.0.0.1';

const plain = (status: number, text: string): Answer => ({ status, contentType: 'text/plain; charset=utf-8', text });

/**
 * Serves `/livez` and `/readyz` (200 or 503) and `/metrics`. Probes answer with one word to anybody, since kubelets have no credentials; with `?verbose` they list the
 * checks and their reasons. Whoever asks for that or for metrics must be admitted. On loopback, where nobody is asked for, a failure always lists the checks.
 */
export async function startAdminServer(options: AdminServerOptions): Promise<AdminServer> {
  const log = options.log ?? silentLog;
  const host = options.host ?? defaultHost;
  if (!isLoopback(host) && (options.tls === undefined || options.admit === undefined)) {
    throw new StatusError(
      'invalid_argument',
      `the admin server would be reachable from other machines at ${host}: give it a certificate and a way to know its callers, or use 127.0.0.1`,
    );
  }
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    void respond(options, request, response).catch((thrown: unknown) => {
      log.error('request to the admin server failed', { path: request.url, error: thrown });
      response.destroy();
    });
  };
  const { server, release } = createFor(options, handle);
  const port = await listen(server, { host, port: options.port ?? 0 }).catch((thrown: unknown) => {
    release();
    throw thrown;
  });
  const url = `${options.tls === undefined ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
  log.info('admin server listens', { url });
  return {
    url,
    port,
    stop: async (withinMs) => {
      release();
      await closeServer(server, withinMs, options.clock ?? systemClock);
    },
  };
}

function createFor({ tls, admit }: AdminServerOptions, handle: RequestListener): { server: Server; release: () => void } {
  if (tls === undefined) return { server: createServer(handle), release: () => {} };
  // A probe shows no certificate: who shows none is refused when it asks for more.
  const probes = admit === undefined ? {} : { rejectUnauthorized: false };
  const server = createTlsServer({ ...tls.serverOptions(), ...probes }, handle);
  return { server, release: tls.keep(server) };
}

/** Resolves when every connection is closed: idle ones at once, busy ones when they are done or the time is over. */
export async function closeServer(server: Server, withinMs: number, clock: Clock): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  server.closeIdleConnections();
  const cancel = clock.schedule(withinMs, () => {
    server.closeAllConnections();
    for (const socket of connectionsOf(server)) socket.destroy();
  });
  await closed;
  cancel();
}

async function respond(options: AdminServerOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const answer = await answerTo(options, request, gone.signal).catch(refusal);
  response.writeHead(answer.status, {
    'content-type': answer.contentType,
    'content-length': Buffer.byteLength(answer.text),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...answer.headers,
  });
  response.end(request.method === 'HEAD' ? undefined : answer.text);
}

function refusal(thrown: unknown): Answer {
  const refused = refusalOf(thrown);
  if (refused === undefined) throw thrown;
  return { ...plain(refused.status, `${refused.message}\n`), headers: refused.headers };
}

async function answerTo(options: AdminServerOptions, request: IncomingMessage, signal: AbortSignal): Promise<Answer> {
  const { health, metrics, admit, clock = systemClock } = options;
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return { ...plain(405, 'only GET and HEAD are understood here\n'), headers: { allow: 'GET, HEAD' } };
  const [path = '/', query = ''] = (request.url ?? '/').split('?', 2);
  const isVerbose = new URLSearchParams(query).has('verbose');
  const probe = async (purpose: HealthPurpose): Promise<Answer> => {
    if (isVerbose) await admit?.(credentialsOf(request, clock.now()), signal);
    const report = await health.report(purpose);
    if (isVerbose || admit === undefined) return healthAnswer(purpose, report, isVerbose);
    return probeAnswer(report.state);
  };
  switch (path) {
    case '/livez':
      return await probe('live');
    case '/readyz':
      return await probe('ready');
    case '/metrics': {
      await admit?.(credentialsOf(request, clock.now()), signal);
      const { contentType, text } = await metrics.scrape();
      return { status: 200, contentType, text };
    }
    default:
      return plain(404, 'not found: there are /livez, /readyz and /metrics\n');
  }
}

function healthAnswer(purpose: HealthPurpose, report: HealthReport, isVerbose: boolean): Answer {
  const isFailed = report.state === 'failed';
  const summary = isFailed ? `not ${purpose}` : report.state === 'degraded' ? `${purpose}, degraded` : 'ok';
  const checks = isVerbose || isFailed ? report.checks.map(checkLine) : [];
  return plain(isFailed ? 503 : 200, `${[...checks, summary].join('\n')}\n`);
}

function checkLine({ name, state, reason, since }: HealthReport['checks'][number]): string {
  const mark = state === 'ok' ? '+' : state === 'degraded' ? '~' : '-';
  const why = reason === undefined ? '' : `: ${reason}`;
  return `[${mark}] ${name} ${state} since ${new Date(since).toISOString()}${why}`;
}
