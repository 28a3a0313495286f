import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Duplex } from 'node:stream';
import { closeServer, type Health, type HealthPurpose, listen, probeAnswer, type TlsCertificates } from '@quartermaster/service';
import type { HttpConfig } from '../declaration/http-settings.ts';
import { watchedCertificates } from './role-certificates.ts';
import type { ServerHost } from './role-servers.ts';

/** Takes over the connection of a request that asks for a WebSocket, with what was read of it too far. */
export type UpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** A listener that is configured and does not listen yet. */
export interface HttpListener {
  /** `http` without TLS, which is loopback alone. */
  readonly scheme: 'http' | 'https';
  /** The address of the settings. */
  readonly host: string;
  /** Begins to serve and returns where: `https://127.0.0.1:8443`. To be called once. Probes are answered before `handle` sees them. Without `upgrade`, a request for a WebSocket is like any other. */
  listen(handle: RequestListener, upgrade?: UpgradeListener): Promise<string>;
}

const stopWithinMs = 2_000;

/** The HTTP server of a role, with a certificate that is followed and shows in its health. It ends with the host. */
export async function openHttpListener(host: ServerHost, config: HttpConfig, probes: Health): Promise<HttpListener> {
  const tls = await watchedCertificates(host, 'certificate', config);
  const scheme = tls === undefined ? 'http' : 'https';
  return {
    scheme,
    host: config.host,
    listen: async (handle, upgrade) => {
      const { server, release } = serverFor({ tls, handle: withProbes(handle, probes), upgrade });
      if (upgrade !== undefined) server.on('upgrade', upgrade);
      host.keep(
        'http server',
        async () => {
          release();
          if (server.listening) await closeServer(server, stopWithinMs, host.clock);
        },
        'first',
      );
      const port = await listen(server, config);
      const url = `${scheme}://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`;
      host.log.info('http server listens', { url });
      return url;
    },
  };
}

interface ServerParts {
  readonly tls: TlsCertificates | undefined;
  readonly handle: RequestListener;
  readonly upgrade: UpgradeListener | undefined;
}

function serverFor({ tls, handle, upgrade }: ServerParts): { readonly server: Server; readonly release: () => void } {
  const options = {
    // Clients ask for HTTP/2 in this way, too, and take an ordinary answer.
    shouldUpgradeCallback: ({ headers }: IncomingMessage) => upgrade !== undefined && headers.upgrade?.toLowerCase() === 'websocket',
  };
  if (tls === undefined) return { server: createServer(options, handle), release: () => {} };
  const server = createTlsServer({ ...options, ...tls.serverOptions() }, handle);
  return { server, release: tls.keep(server) };
}

const probePaths: Readonly<Record<string, HealthPurpose>> = { '/livez': 'live', '/readyz': 'ready' };

/** Probes are for kubelets, which have no credentials and name no host: they say one word. */
function withProbes(handle: RequestListener, health: Health): RequestListener {
  return (request, response) => {
    const purpose = probePaths[request.url?.split('?', 1)[0] ?? ''];
    if (purpose === undefined) handle(request, response);
    else void answerProbe(health, purpose, request, response);
  };
}

async function answerProbe(health: Health, purpose: HealthPurpose, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { status, contentType, text } = probeAnswer((await health.report(purpose)).state);
  request.resume();
  response.writeHead(status, { 'content-type': contentType, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
  response.end(text);
}
