import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { type Clock, type Log, silentLog, systemClock } from '@quartermaster/kernel';
import {
  type AdmitCaller,
  closeServer,
  credentialsOf,
  type ListenAddress,
  listen,
  probeAnswer,
  refusalOf,
  type TlsCertificates,
} from '@quartermaster/service';
import type { DiscoveryAgent } from './discovery-agent.ts';

export interface DiscoveryServerOptions {
  readonly agent: Pick<DiscoveryAgent, 'scanAgeMs' | 'stalledMs' | 'usage'>;
  /** With a scan that is older than this, the agent is not ready: what it says is no longer so. */
  readonly maxScanAgeMs: number;
  readonly tls: Pick<TlsCertificates, 'serverOptions' | 'keep'>;
  readonly admit: AdmitCaller;
  readonly clock?: Clock | undefined;
  readonly log?: Log | undefined;
}

export interface DiscoveryServer {
  readonly port: number;
  stop(withinMs: number): Promise<void>;
}

interface Answer {
  readonly status: number;
  /** Text is sent as it is, anything else as JSON. */
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * A machine may take long to be read, the first time above all, and a restart begins anew: an agent that has not read it for so long is at fault itself. What hangs in the kernel is
 * not waited for.
 */
export const maxStallMs = 1_800_000;
/** Who connects and says nothing is cut off after this. */
const handshakeMs = 10_000;

/**
 * `/readyz` and `/livez`, one word for anybody, since kubelets have no credentials, and `/v1/usage`, how busy the GPUs are, as JSON for those who are admitted. Over TLS alone. It does
 * not listen yet; `release` ends that it gets new certificates.
 */
export function createDiscoveryServer(options: DiscoveryServerOptions): { readonly server: Server; readonly release: () => void } {
  const { log = silentLog, tls } = options;
  const server = createServer({ ...tls.serverOptions(), handshakeTimeout: handshakeMs }, (request, response) => {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    answerTo(options, request, gone.signal).then(
      (answer) => send(response, answer),
      (error: unknown) => {
        const refused = refusalOf(error);
        if (refused !== undefined) return send(response, { ...refused, body: { message: refused.message } });
        log.error('request to the discovery server failed', { path: request.url, error });
        send(response, { status: 500, body: { message: 'the request failed: see the log of this agent' } });
      },
    );
  });
  return { server, release: tls.keep(server) };
}

export async function startDiscoveryServer(options: DiscoveryServerOptions & ListenAddress): Promise<DiscoveryServer> {
  const { clock = systemClock } = options;
  const { server, release } = createDiscoveryServer(options);
  const port = await listen(server, options).catch((thrown: unknown) => {
    release();
    throw thrown;
  });
  return {
    port,
    stop: async (withinMs) => {
      release();
      await closeServer(server, withinMs, clock);
    },
  };
}

async function answerTo(options: DiscoveryServerOptions, request: IncomingMessage, signal: AbortSignal): Promise<Answer> {
  const { agent, maxScanAgeMs, admit, clock = systemClock } = options;
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return { status: 405, body: { message: 'only GET and HEAD are supported' }, headers: { allow: 'GET, HEAD' } };
  }
  switch (request.url?.split('?', 1)[0]) {
    case '/readyz':
      // An API server that is away is no fault of this process.
      return probe(agent.scanAgeMs !== undefined && agent.scanAgeMs <= maxScanAgeMs);
    case '/livez':
      return probe(agent.stalledMs <= maxStallMs);
    case '/v1/usage': {
      await admit(credentialsOf(request, clock.now()), signal);
      return { status: 200, body: { observedAt: new Date(clock.now()).toISOString(), gpus: await agent.usage() } };
    }
    default:
      return { status: 404, body: { message: 'not found: there are /readyz, /livez and /v1/usage' } };
  }
}

function probe(isGood: boolean): Answer {
  const { status, text } = probeAnswer(isGood ? 'ok' : 'failed');
  return { status, body: text };
}

function send(response: ServerResponse, { status, body, headers }: Answer): void {
  const text = typeof body === 'string' ? body : `${JSON.stringify(body)}\n`;
  response.writeHead(status, {
    'content-type': typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...headers,
  });
  response.end(response.req.method === 'HEAD' ? undefined : text);
}
