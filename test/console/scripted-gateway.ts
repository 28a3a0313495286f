import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { createCertificateAuthority } from '../kube/certificates.ts';

/** One stream that somebody opened at the gateway. */
export interface OpenedStream {
  readonly socket: WebSocket;
  /** `/lease/1/1/1/logs?follow=true` */
  readonly path: string;
  readonly authorization: string | undefined;
  /** Binary frames that came: their first byte, and the rest. */
  readonly frames: { readonly kind: number; readonly data: Buffer }[];
}

/** The gateway of a provider, by the numbers of its contract: what it says is up to the test. */
export class ScriptedGateway {
  readonly certificate: string;
  readonly opened: OpenedStream[] = [];
  /** Instead of the next stream: a status, and what the body says. */
  refusal: { readonly status: number; readonly message: string } | undefined;
  readonly #server: Server;
  readonly #sockets = new WebSocketServer({ noServer: true });

  private constructor({ certificate, key }: { readonly certificate: string; readonly key: string }, authority: string) {
    this.certificate = authority;
    this.#server = createServer({ cert: certificate, key });
    this.#server.on('upgrade', (request, socket, head) => {
      const { refusal } = this;
      if (refusal !== undefined) {
        const body = JSON.stringify({ message: refusal.message });
        socket.end(`HTTP/1.1 ${refusal.status} Refused\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`);
        return;
      }
      this.#sockets.handleUpgrade(request, socket, head, (opened) => this.#take(request, opened));
    });
  }

  static async start(): Promise<ScriptedGateway> {
    const authority = await createCertificateAuthority(`gateway ${randomUUID()}`);
    const gateway = new ScriptedGateway(
      await authority.issueServer({ commonName: 'gateway', hosts: ['127.0.0.1'] }),
      authority.certificate,
    );
    gateway.#server.listen(0, '127.0.0.1');
    await once(gateway.#server, 'listening');
    return gateway;
  }

  get uri(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The last one that was opened. */
  get last(): OpenedStream {
    const last = this.opened.at(-1);
    if (last === undefined) throw new Error('nobody has opened a stream');
    return last;
  }

  line(name: string, message: string): void {
    this.last.socket.send(JSON.stringify({ name, message }));
  }

  /** A frame of a shell. */
  frame(kind: number, data: string): void {
    this.last.socket.send(Buffer.concat([Buffer.from([kind]), Buffer.from(data)]));
  }

  async stop(): Promise<void> {
    for (const { socket } of this.opened) socket.terminate();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #take({ url = '', headers }: IncomingMessage, socket: WebSocket): void {
    const stream: OpenedStream = { socket, path: url, authorization: headers.authorization, frames: [] };
    socket.on('message', (data: Buffer) => void stream.frames.push({ kind: data[0] ?? -1, data: data.subarray(1) }));
    this.opened.push(stream);
  }
}
