import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Clock, codeOf, messageOf, StatusError, systemClock } from '@quartermaster/kernel';
import { WebSocketServer } from 'ws';
import { ChannelSocket, channelProtocols } from './channel-socket.ts';
import { type LogLine, selectLines } from './container-log.ts';
import { defaultCommands } from './default-commands.ts';
import type { ImageRegistry } from './image-registry.ts';
import type { Kubelet } from './kubelet.ts';
import type { PodRun } from './pod-run.ts';
import type { KubeletEndpoint } from './simulated-node.ts';

export interface KubeletServerOptions {
  /** PEM. API servers that verify kubelets want it for the address that they use, 127.0.0.1. */
  readonly certificate: string;
  readonly key: string;
  /** PEM of the authority whose client certificates are let in. Without it everybody on this machine is. */
  readonly clientAuthority?: string;
  /** 0 takes any free one. */
  readonly port?: number;
  readonly clock?: Clock;
}

const host = '127.0.0.1';

interface ContainerPath {
  readonly verb: string;
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly query: URLSearchParams;
}

/** The kubelet API of all simulated nodes: logs, exec and attach, as API servers ask for them. Listens on loopback only. */
export class KubeletServer {
  readonly #kubelet: Kubelet;
  readonly #images: ImageRegistry;
  readonly #server: Server;
  readonly #sockets = new WebSocketServer({
    noServer: true,
    handleProtocols: (offered) => channelProtocols.find((protocol) => offered.has(protocol)) ?? false,
  });
  readonly #port: number;
  readonly #clock: Clock;
  #endpoint: KubeletEndpoint | undefined;

  constructor(kubelet: Kubelet, images: ImageRegistry, options: KubeletServerOptions) {
    this.#kubelet = kubelet;
    this.#images = images;
    this.#port = options.port ?? 0;
    this.#clock = options.clock ?? systemClock;
    const verified =
      options.clientAuthority === undefined ? {} : { ca: options.clientAuthority, requestCert: true, rejectUnauthorized: true };
    this.#server = createServer({ cert: options.certificate, key: options.key, ...verified });
    this.#server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      void this.#answer(request, response);
    });
    this.#server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      void this.#upgrade(request, socket, head);
    });
  }

  get endpoint(): KubeletEndpoint | undefined {
    return this.#endpoint;
  }

  async start(): Promise<void> {
    this.#server.listen(this.#port, host);
    await once(this.#server, 'listening');
    this.#endpoint = { host, port: (this.#server.address() as AddressInfo).port };
  }

  async stop(): Promise<void> {
    if (this.#endpoint === undefined) return;
    const closed = once(this.#server, 'close');
    for (const socket of this.#sockets.clients) socket.terminate();
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const path = parsePath(request.url ?? '/');
      if (path?.verb === 'containerLogs') await this.#logs(path, response);
      else if (request.url === '/healthz') response.end('ok');
      else if (request.url?.startsWith('/pods') === true) this.#pods(response);
      else throw new StatusError('not_found', `the simulated kubelet does not serve ${request.url ?? ''}`);
    } catch (error) {
      if (!response.headersSent) response.writeHead(httpStatusOf(error), { 'content-type': 'text/plain' });
      response.end(messageOf(error));
    }
  }

  #pods(response: ServerResponse): void {
    const items = [...this.#kubelet.pods.entries()].map(({ key, uid, value }) => {
      const [namespace, name] = key.split('/');
      return { metadata: { namespace, name, uid }, spec: { nodeName: value.nodeName }, status: { phase: value.phase } };
    });
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ apiVersion: 'v1', kind: 'PodList', items }));
  }

  async #logs({ namespace, pod, container, query }: ContainerPath, response: ServerResponse): Promise<void> {
    const run = await this.#kubelet.runOf({ namespace, name: pod });
    const log = run.log(container, { previous: query.get('previous') === 'true' });
    if (log === undefined) throw new StatusError('not_found', `container ${container} of pod ${namespace}/${pod} has no such log`);
    const timestamps = query.get('timestamps') === 'true';
    const write = (line: LogLine): void => {
      response.write(`${timestamps ? `${new Date(line.wallMs).toISOString()} ` : ''}${line.text}\n`);
    };
    response.writeHead(200, { 'content-type': 'text/plain' });
    for (const line of selectLines(log.lines(), query, this.#clock.now())) write(line);
    if (query.get('follow') !== 'true') {
      response.end();
      return;
    }
    response.flushHeaders();
    const unfollow = log.follow(write, () => response.end());
    response.once('close', unfollow);
  }

  async #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    // Until the WebSocket takes over, nobody else listens, and a client that goes away must not end the process.
    socket.on('error', () => socket.destroy());
    try {
      const path = parsePath(request.url ?? '/');
      if (path === undefined || (path.verb !== 'exec' && path.verb !== 'attach')) {
        throw new StatusError('not_found', `the simulated kubelet streams exec and attach only, not ${request.url ?? ''}`);
      }
      if (request.headers.upgrade?.toLowerCase() !== 'websocket') {
        throw new StatusError('invalid_argument', 'the simulated kubelet streams over WebSocket only: use kubectl 1.31 or newer');
      }
      const run = await this.#kubelet.runOf({ namespace: path.namespace, name: path.pod });
      if (run.context(path.container) === undefined) {
        throw new StatusError('not_found', `pod ${path.namespace}/${path.pod} has no container ${path.container}`);
      }
      this.#sockets.handleUpgrade(request, socket, head, (client) => {
        const channel = new ChannelSocket(client);
        const ended = new AbortController();
        client.once('close', () => ended.abort(new Error('the client is gone')));
        if (path.verb === 'exec') void this.#exec(run, path, channel, ended.signal);
        else attach(run, path.container, channel, ended.signal);
      });
    } catch (error) {
      const text = messageOf(error);
      socket.end(
        `HTTP/1.1 ${httpStatusOf(error)} Refused\r\ncontent-type: text/plain\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
      );
    }
  }

  async #exec(run: PodRun, { container, query }: ContainerPath, channel: ChannelSocket, signal: AbortSignal): Promise<void> {
    const context = run.context(container);
    if (context === undefined) return;
    const role = this.#images.roleOf(context.container.image, context.container.args);
    const execute = role?.exec ?? defaultCommands;
    const log = (text: string): void => run.log(container, { previous: false })?.append(this.#clock.now(), text);
    try {
      const result = await execute({ ...context, log }, query.getAll('command'), channel.stdin(), signal);
      channel.write('stdout', result.stdout ?? '');
      channel.write('stderr', result.stderr ?? '');
      channel.end(result.exitCode);
    } catch (error) {
      channel.write('stderr', `${messageOf(error)}\n`);
      channel.end(1);
    }
  }
}

/** Shows the container's output from now on. */
function attach(run: PodRun, container: string, channel: ChannelSocket, signal: AbortSignal): void {
  const log = run.log(container, { previous: false });
  const unfollow = log?.follow(
    (line) => channel.write('stdout', `${line.text}\n`),
    () => channel.end(0),
  );
  signal.addEventListener('abort', () => unfollow?.(), { once: true });
}

/** `/verb/namespace/pod/container`, or with a uid before the container, as older API servers ask. */
function parsePath(url: string): ContainerPath | undefined {
  // Not resolved against a base: a path that begins with two slashes would read as a host.
  const [path = '', search = ''] = url.split('?', 2);
  const query = new URLSearchParams(search);
  const [verb = '', namespace, pod, ...rest] = path.split('/').slice(1).map(decoded);
  const container = rest.at(-1);
  if (namespace === undefined || pod === undefined || container === undefined) return undefined;
  return { verb, namespace, pod, container, query };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch (cause) {
    throw new StatusError('invalid_argument', `"${part}" in the path is not percent-encoded text`, { cause });
  }
}

function httpStatusOf(error: unknown): number {
  const code = codeOf(error);
  if (code === 'not_found') return 404;
  if (code === 'invalid_argument') return 400;
  return code === 'unavailable' ? 503 : 500;
}
