import type { IncomingMessage } from 'node:http';
import { connect as connectTcp } from 'node:net';
import type { Duplex } from 'node:stream';
import { messageOf, StatusError } from '@quartermaster/kernel';
import { WebSocketServer } from 'ws';
import type { Kubelet } from '../kubelet/kubelet.ts';
import type { KubeletEndpoint } from '../node/simulated-node.ts';
import { channelProtocols } from './channel-socket.ts';
import { httpStatusOf, parseKubeletPath } from './kubelet-path.ts';
import { PodPorts } from './pod-ports.ts';
import { forwardPorts } from './port-forward.ts';
import { type ExecContext, runExec } from './run-exec.ts';

/** What this kubelet streams -> the protocols that it takes for it, the newest first. */
const protocols: Readonly<Record<string, readonly string[]>> = { exec: channelProtocols, portForward: ['v4.channel.k8s.io'] };

/**
 * The connections of a kubelet that outlast one answer: exec and port-forward over WebSocket, and the way into the pods' network: CONNECT
 * to a pod's address and port, for API servers that reach pods through a proxy.
 */
export class KubeletStreams {
  readonly #kubelet: Kubelet;
  readonly #context: ExecContext;
  readonly #ports = new PodPorts();
  readonly #sockets = new WebSocketServer({
    noServer: true,
    handleProtocols: (offered, { url = '' }) => protocols[parseKubeletPath(url)?.verb ?? '']?.find((each) => offered.has(each)) ?? false,
  });
  readonly #open = new Set<Duplex>();

  constructor(kubelet: Kubelet, context: ExecContext) {
    this.#kubelet = kubelet;
    this.#context = context;
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
      other.once('close', () => {
        // What it has said before its end may still be on its way.
        if (!other.readableEnded) socket.destroy();
      });
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
      if (path.verb === 'exec' && run.logOfRunning(path.container) === undefined)
        throw new StatusError('unavailable', `container ${path.container} of pod ${path.namespace}/${path.pod} is not running`);
      this.#sockets.handleUpgrade(request, socket, head, (client) => {
        if (path.verb === 'exec') void runExec(run, path, client, this.#context);
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
}

function refuse(socket: Duplex, error: unknown): void {
  const text = messageOf(error);
  socket.end(
    `HTTP/1.1 ${httpStatusOf(error)} Refused\r\ncontent-type: text/plain\r\ncontent-length: ${Buffer.byteLength(text)}\r\nconnection: close\r\n\r\n${text}`,
  );
}
