import type { IncomingMessage } from 'node:http';
import { connect as connectTcp } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Clock, messageOf, StatusError } from '@quartermaster/kernel';
import { WebSocketServer } from 'ws';
import { defaultCommands } from '../kubelet/default-commands.ts';
import type { ImageRegistry } from '../kubelet/image-registry.ts';
import type { Kubelet } from '../kubelet/kubelet.ts';
import type { PodRun } from '../kubelet/pod-run.ts';
import type { KubeletEndpoint } from '../node/simulated-node.ts';
import { ChannelSocket, channelProtocols } from './channel-socket.ts';
import { httpStatusOf, type KubeletPath, parseKubeletPath } from './kubelet-path.ts';
import { PodPorts } from './pod-ports.ts';
import { type ConnectPort, forwardOverSpdy, forwardOverWebSocket, forwardProtocols, spdyUpgrade } from './port-forward.ts';

const socketsFor = (protocols: readonly string[]): WebSocketServer =>
  new WebSocketServer({ noServer: true, handleProtocols: (offered) => protocols.find((protocol) => offered.has(protocol)) ?? false });

/**
 * The connections of a kubelet that outlast one answer: exec and attach over WebSocket, port-forward over WebSocket or SPDY, and the way
 * into the pods' network: CONNECT to a pod's address and port, for API servers that reach pods through a proxy.
 */
export class KubeletStreams {
  readonly #kubelet: Kubelet;
  readonly #images: ImageRegistry;
  readonly #clock: Clock;
  readonly #ports = new PodPorts();
  readonly #commands = socketsFor(channelProtocols);
  readonly #forwards = socketsFor(forwardProtocols);
  readonly #open = new Set<Duplex>();

  constructor(kubelet: Kubelet, images: ImageRegistry, clock: Clock) {
    this.#kubelet = kubelet;
    this.#images = images;
    this.#clock = clock;
  }

  /** Cuts what is open: the HTTP server no longer knows of these connections, and would wait for them. */
  stop(): void {
    for (const socket of this.#open) socket.destroy();
  }

  /** Leads the connection to a pod's port, or to the kubelet's own endpoint. */
  async tunnel(target: string, own: KubeletEndpoint | undefined, socket: Duplex, head: Buffer): Promise<void> {
    this.#keep(socket);
    try {
      const [, host = '', port = ''] = /^(.+):(\d{1,5})$/.exec(target) ?? [];
      const other =
        own !== undefined && host === own.host && Number(port) === own.port
          ? connectTcp(own.port, own.host)
          : this.#ports.connect(await this.#kubelet.runAt(host, Number(port)), Number(port));
      other.on('error', () => socket.destroy());
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      if (head.length > 0) other.write(head);
      socket.pipe(other).pipe(socket);
      socket.once('close', () => other.destroy());
      other.once('close', () => socket.destroy());
    } catch (error) {
      refuse(socket, error);
    }
  }

  async upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    this.#keep(socket);
    try {
      const path = parseKubeletPath(request.url ?? '/');
      if (path?.verb === 'portForward') await this.#forward(path, request, socket, head);
      else if (path?.verb === 'exec' || path?.verb === 'attach') await this.#command(path, request, socket, head);
      else throw new StatusError('not_found', `the simulated kubelet streams exec, attach and portForward, not ${request.url ?? ''}`);
    } catch (error) {
      refuse(socket, error);
    }
  }

  #keep(socket: Duplex): void {
    this.#open.add(socket);
    socket.once('close', () => this.#open.delete(socket));
    // Until a stream takes over, nobody else listens, and a client that goes away must not end the process.
    socket.on('error', () => socket.destroy());
  }

  async #forward(path: KubeletPath, request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const run = await this.#kubelet.runOf({ namespace: path.namespace, name: path.pod });
    const ports = path.query.getAll('port').map(Number);
    const connect: ConnectPort = (port) => this.#ports.connect(run, port);
    if (isWebSocket(request)) {
      this.#forwards.handleUpgrade(request, socket, head, (client) => forwardOverWebSocket(client, ports, connect));
      return;
    }
    if (request.headers.upgrade?.toUpperCase() !== spdyUpgrade)
      throw new StatusError('invalid_argument', `port-forward takes an upgrade to websocket or ${spdyUpgrade}`);
    const version = 'x-stream-protocol-version: portforward.k8s.io';
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: ${spdyUpgrade}\r\n${version}\r\n\r\n`);
    if (head.length > 0) socket.unshift(head);
    forwardOverSpdy(socket, connect);
  }

  async #command(path: KubeletPath, request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    if (!isWebSocket(request)) {
      throw new StatusError('invalid_argument', 'the simulated kubelet runs commands over WebSocket only: use kubectl 1.31 or newer');
    }
    const run = await this.#kubelet.runOf({ namespace: path.namespace, name: path.pod });
    if (run.context(path.container) === undefined) {
      throw new StatusError('not_found', `pod ${path.namespace}/${path.pod} has no container ${path.container}`);
    }
    this.#commands.handleUpgrade(request, socket, head, (client) => {
      const channel = new ChannelSocket(client);
      const ended = new AbortController();
      client.once('close', () => ended.abort(new Error('the client is gone')));
      if (path.verb === 'exec') void this.#exec(run, path, channel, ended.signal);
      else attach(run, path.container, channel, ended.signal);
    });
  }

  async #exec(run: PodRun, { container, query }: KubeletPath, channel: ChannelSocket, signal: AbortSignal): Promise<void> {
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

const isWebSocket = (request: IncomingMessage): boolean => request.headers.upgrade?.toLowerCase() === 'websocket';

function refuse(socket: Duplex, error: unknown): void {
  const text = messageOf(error);
  socket.end(
    `HTTP/1.1 ${httpStatusOf(error)} Refused\r\ncontent-type: text/plain\r\ncontent-length: ${Buffer.byteLength(text)}\r\nconnection: close\r\n\r\n${text}`,
  );
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
