import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import type { TLSSocket } from 'node:tls';
import { selfSignedTls, type TlsCertificates } from '@quartermaster/service';
import { type WebSocket, WebSocketServer } from 'ws';

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** Without `Bearer`. */
  readonly token: string | undefined;
  /** Common name of the certificate of the client. */
  readonly commonName: string | undefined;
  readonly body: string;
}

interface Answer {
  readonly status: number;
  readonly body?: unknown;
}

/** A gateway of which a test says what it answers. Its certificate is self-signed, for `localhost`. */
export class FakeGateway {
  readonly asked: Asked[] = [];
  /** Answers requests, and refuses streams unless it answers 101. */
  answer: (asked: Asked) => Answer = () => ({ status: 101 });
  /** Plays a stream. */
  play: (socket: WebSocket, asked: Asked) => unknown = (socket) => socket.close(1000);
  readonly #certificates: TlsCertificates;
  readonly #server: Server;
  #port = 0;
  readonly #sockets = new WebSocketServer({ noServer: true });

  private constructor(certificates: TlsCertificates) {
    this.#certificates = certificates;
    const { cert, key } = certificates.serverOptions();
    this.#server = createServer({ cert, key, requestCert: true, rejectUnauthorized: false });
  }

  static async start(): Promise<FakeGateway> {
    const gateway = new FakeGateway(await selfSignedTls({ commonName: 'localhost' }));
    gateway.#server.on('request', (request, response) => {
      void askedOf(request).then((asked) => {
        gateway.asked.push(asked);
        const { status, body } = gateway.answer(asked);
        response
          .writeHead(status, { 'content-type': 'application/json' })
          .end(typeof body === 'string' ? body : JSON.stringify(body ?? {}));
      });
    });
    gateway.#server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
      const asked = plainly(request, '');
      gateway.asked.push(asked);
      const { status, body = {} } = gateway.answer(asked);
      if (status === 101) gateway.#sockets.handleUpgrade(request, socket, head, (opened) => void gateway.play(opened, asked));
      else socket.end(`HTTP/1.1 ${status} No\r\nconnection: close\r\n\r\n${JSON.stringify(body)}`);
    });
    gateway.#server.listen(0, 'localhost');
    await once(gateway.#server, 'listening');
    gateway.#port = (gateway.#server.address() as AddressInfo).port;
    return gateway;
  }

  get uri(): string {
    return `https://localhost:${this.port}`;
  }

  get port(): number {
    return this.#port;
  }

  /** PEM: it is its own authority. */
  get ca(): string {
    return String(this.#certificates.serverOptions().cert);
  }

  /** Answers streams with these messages, and that there are no more. */
  tell(...messages: readonly unknown[]): void {
    this.play = (socket) => {
      for (const message of messages) socket.send(JSON.stringify(message));
      socket.close(1000);
    };
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets.clients) socket.terminate();
    this.#server.closeAllConnections();
    this.#server.close();
    await this.#certificates.close();
  }
}

const askedOf = async (request: IncomingMessage): Promise<Asked> => plainly(request, await text(request));

function plainly(request: IncomingMessage, body: string): Asked {
  const url = new URL(request.url ?? '', 'https://localhost');
  const { subject } = (request.socket as TLSSocket).getPeerCertificate();
  return {
    method: request.method ?? '',
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    token: request.headers.authorization?.replace(/^Bearer /, ''),
    commonName: subject?.CN?.toString(),
    body,
  };
}
