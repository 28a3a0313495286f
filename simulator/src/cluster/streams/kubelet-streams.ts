import type { IncomingMessage } from 'node:http';
import { connect as connectTcp } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Clock, messageOf, StatusError } from '@quartermaster/kernel';
import { type WebSocket, WebSocketServer } from 'ws';
import { defaultCommands } from '../kubelet/default-commands.ts';
import type { ImageRegistry } from '../kubelet/image-registry.ts';
import type { Kubelet } from '../kubelet/kubelet.ts';
import type { PodRun } from '../kubelet/pod-run.ts';
import type { KubeletEndpoint } from '../node/simulated-node.ts';
import { ChannelSocket, channelProtocols } from './channel-socket.ts';
import { httpStatusOf, type KubeletPath, parseKubeletPath } from './kubelet-path.ts';
import { PodPorts } from './pod-ports.ts';
import { forwardPorts } from './port-forward.ts';

/** What this kubelet streams -> the protocols that it takes for it, the newest first. */
const protocols: Readonly<Record<string, readonly string[]>> = { exec: channelProtocols, portForward: ['v4.channel.k8s.io'] };

/**
 * The connections of a kubelet that outlast one answer: exec and port-forward over WebSocket, and the way into the pods' network: CONNECT
 * to a pod's address and port, for API servers that reach pods through a proxy.
 */
export class KubeletStreams {
  readonly #kubelet: Kubelet;
  readonly #images: ImageRegistry;
  readonly #clock: Clock;
  readonly #ports = new PodPorts();
  readonly #sockets = new WebSocketServer({
    noServer: true,
    handleProtocols: (offered, { url = '' }) => protocols[parseKubeletPath(url)?.verb ?? '']?.find((each) => offered.has(each)) ?? false,
  });
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
      const taken = protocols[path?.verb ?? ''];
      if (path === undefined || taken === undefined)
        throw new StatusError('not_found', `the simulated kubelet streams exec and portForward, not ${request.url ?? ''}`);
      const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((each) => each.trim());
      if (!taken.some((protocol) => offered.includes(protocol))) {
        const why = 'kubectl exec needs version 1.31 or newer, and kubectl port-forward is not supported';
        throw new StatusError(
          'invalid_argument',
          `the simulated kubelet takes ${path.verb} over WebSocket with ${taken.join(' or ')} only: ${why}`,
        );
      }
      const run = await this.#kubelet.runOf({ namespace: path.namespace, name: path.pod });
      if (path.verb === 'exec' && run.context(path.container) === undefined)
        throw new StatusError('not_found', `pod ${path.namespace}/${path.pod} has no container ${path.container}`);
      this.#sockets.handleUpgrade(request, socket, head, (client) => {
        if (path.verb === 'exec') void this.#exec(run, path, client);
        else forwardPorts(client, path.query.getAll('port').map(Number), (port) => this.#ports.connect(run, port));
      });
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

  async #exec(run: PodRun, { container, query }: KubeletPath, client: WebSocket): Promise<void> {
    const channel = new ChannelSocket(client);
    const ended = new AbortController();
    client.once('close', () => ended.abort(new Error('the client disconnected')));
    const context = run.context(container);
    if (context === undefined) return;
    const role = this.#images.roleOf(context.container.image, context.container.args);
    const execute = role?.exec ?? defaultCommands;
    const log = (text: string): void => run.log(container, { previous: false })?.append(this.#clock.now(), text);
    try {
      const result = await execute({ ...context, log }, query.getAll('command'), channel.stdin(), ended.signal);
      channel.write('stdout', result.stdout ?? '');
      channel.write('stderr', result.stderr ?? '');
      channel.end(result.exitCode);
    } catch (error) {
      channel.write('stderr', `${messageOf(error)}\n`);
      channel.end(1);
    }
  }
}

function refuse(socket: Duplex, error: unknown): void {
  const text = messageOf(error);
  socket.end(
    `HTTP/1.1 ${httpStatusOf(error)} Refused\r\ncontent-type: text/plain\r\ncontent-length: ${Buffer.byteLength(text)}\r\nconnection: close\r\n\r\n${text}`,
  );
}
