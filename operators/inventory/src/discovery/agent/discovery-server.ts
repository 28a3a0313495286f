import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { type Clock, type Log, silentLog, systemClock } from '@quartermaster/kernel';
import { closeServer, type ListenAddress, listen } from '@quartermaster/service';
import type { DiscoveryAgent } from './discovery-agent.ts';

export interface DiscoveryAnswersOptions {
  readonly agent: Pick<DiscoveryAgent, 'facts' | 'status' | 'usage'>;
  /** A scan that is older than this makes the agent unhealthy. */
  readonly maxScanAgeMs: number;
  readonly clock?: Clock | undefined;
  readonly log?: Log | undefined;
}

export type DiscoveryServerOptions = DiscoveryAnswersOptions & ListenAddress;

export interface DiscoveryServer {
  readonly port: number;
  stop(withinMs: number): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** `/healthz`, `/v1/hardware` (what the last scan found) and `/v1/usage` (how busy the GPUs are), as JSON and read-only. */
export function discoveryAnswers(options: DiscoveryAnswersOptions): RequestListener {
  const { clock = systemClock, log = silentLog } = options;
  return (request, response) => {
    answerTo(options, clock, request).then(
      (answer) => send(response, answer),
      (error: unknown) => {
        log.error('request to the discovery server failed', { path: request.url, error });
        send(response, { status: 500, body: { message: 'the request failed: see the log of this agent' } });
      },
    );
  };
}

export async function startDiscoveryServer(options: DiscoveryServerOptions): Promise<DiscoveryServer> {
  const { clock = systemClock } = options;
  const server = createServer(discoveryAnswers(options));
  const port = await listen(server, options);
  return { port, stop: async (withinMs) => await closeServer(server, withinMs, clock) };
}

async function answerTo({ agent, maxScanAgeMs }: DiscoveryAnswersOptions, clock: Clock, request: IncomingMessage): Promise<Answer> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return { status: 405, body: { message: 'only GET and HEAD are supported' } };
  switch (request.url?.split('?', 1)[0]) {
    case '/healthz':
      return healthAnswer(agent, maxScanAgeMs, clock.now());
    case '/v1/hardware':
      if (agent.facts === undefined) return { status: 503, body: { message: 'the first scan has not finished: retry in a moment' } };
      return { status: 200, body: { scannedAt: timeText(agent.status.scannedAt), hardware: agent.facts } };
    case '/v1/usage': {
      const gpus = await agent.usage();
      return { status: 200, body: { observedAt: timeText(clock.now()), gpus } };
    }
    default:
      return { status: 404, body: { message: 'not found: there are /healthz, /v1/hardware and /v1/usage' } };
  }
}

function healthAnswer({ status }: DiscoveryAnswersOptions['agent'], maxScanAgeMs: number, now: number): Answer {
  const { scannedAt } = status;
  const isCurrent = scannedAt !== undefined && now - scannedAt <= maxScanAgeMs;
  // An API server that is away is no fault of this process: restarting it would not help.
  return { status: isCurrent ? 200 : 503, body: { ok: isCurrent, ...status, scannedAt: timeText(scannedAt) } };
}

const timeText = (at: number | undefined): string | undefined => (at === undefined ? undefined : new Date(at).toISOString());

function send(response: ServerResponse, { status, body }: Answer): void {
  const text = `${JSON.stringify(body)}\n`;
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(status === 405 ? { allow: 'GET, HEAD' } : {}),
  });
  response.end(response.req.method === 'HEAD' ? undefined : text);
}
