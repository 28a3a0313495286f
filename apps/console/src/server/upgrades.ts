import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { StatusError } from '@quartermaster/kernel';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type WebSocket, WebSocketServer } from 'ws';
import { consoleHeader } from '../console-session.ts';
import { keyProtocol, mostMessageBytes, streamProtocol } from '../gateway-view.ts';

interface Upgrade {
  readonly socket: Duplex;
  readonly head: Buffer;
}

/**
 * WebSockets of our own pages. A request for one goes the way of every other request, through the hooks to a route, and is refused there by the same rules
 * and in the same words; a route that takes it calls `accept`.
 */
export class Upgrades {
  readonly #waiting = new WeakMap<IncomingMessage, Upgrade>();
  readonly #sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: mostMessageBytes,
    handleProtocols: () => streamProtocol,
    // A browser never asks, and what asks without reading would have answers wait here without end.
    autoPong: false,
  });

  /** For the `upgrade` event of the server. */
  route(server: FastifyInstance, request: IncomingMessage, socket: Duplex, head: Buffer): void {
    // Nobody listens until a stream takes over, and a client that goes away must not end the process.
    socket.on('error', () => socket.destroy());
    this.#waiting.set(request, { socket, head });
    const key = protocolsOf(request).find((protocol) => protocol.startsWith(keyProtocol));
    if (key !== undefined) request.headers[consoleHeader] = key.slice(keyProtocol.length);
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket as Parameters<ServerResponse['assignSocket']>[0]);
    response.once('finish', () => socket.end(() => socket.destroy()));
    server.routing(request, response);
  }

  /** The WebSocket that was asked for, which is not read before `resume`. Throws for a request for none, and once the browser has gone. */
  async accept({ raw }: FastifyRequest, reply: FastifyReply): Promise<WebSocket> {
    const upgrade = this.#waiting.get(raw);
    if (upgrade === undefined || !protocolsOf(raw).includes(streamProtocol)) {
      throw new StatusError('invalid_argument', `this is a WebSocket of the protocol ${streamProtocol}: ask for both`);
    }
    reply.hijack();
    return await new Promise((resolve, reject) => {
      upgrade.socket.once('close', () => reject(new StatusError('aborted', 'the browser has gone')));
      this.#sockets.handleUpgrade(raw, upgrade.socket, upgrade.head, (socket) => {
        socket.pause();
        resolve(socket);
      });
    });
  }
}

const protocolsOf = ({ headers }: IncomingMessage): readonly string[] =>
  (headers['sec-websocket-protocol'] ?? '').split(',').map((each) => each.trim());
