import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { bearerOf, type Clock, codeOf, type Log, StatusError } from '@quartermaster/kernel';
import { anonymous, type CallLimits, peerCertificateOf, type ReloadingTls, type StreamLimits } from '@quartermaster/rpc';
import { WebSocketServer } from 'ws';
import { closeCodes, StreamEnd, streamEndOf } from '../streams/close-codes.ts';
import { TenantSocket } from '../streams/tenant-socket.ts';
import type { IdentifyTenant } from '../who/identify-tenant.ts';
import type { Tenant } from '../who/tenant.ts';
import type { GatewayRoute, RouteRequest, RouteTable, Talk } from './gateway-route.ts';
import { refusalOf, sendAnswer, sendError, statusOf } from './http-answer.ts';
import { readBody } from './read-body.ts';
import { refuseConnection, refuseMalformed } from './refuse-connection.ts';

export interface GatewayServerOptions {
  readonly routes: RouteTable;
  readonly identify: IdentifyTenant;
  readonly limits: CallLimits | undefined;
  /** Of what anybody may ask: whoever asks that too often keeps no tenant out who comes from the same address. */
  readonly publicLimits: CallLimits | undefined;
  readonly streams: StreamLimits | undefined;
  readonly tls: ReloadingTls;
  readonly slowReaderMs: number;
  readonly clock: Clock;
  readonly log: Pick<Log, 'debug' | 'error'>;
  /** Told of every request that has been answered, and of every stream that has ended. */
  readonly onAnswer: (route: string, status: number) => void;
}

const defaultBodyBytes = 64 * 1024;
/** Of a message from a tenant: a frame of a shell. */
const maxMessageBytes = 64 * 1024;
const maxConnections = 10_000;

/** The HTTPS and WebSocket server for tenants. It does not listen yet. */
export class GatewayServer {
  readonly server: Server;
  readonly #options: GatewayServerOptions;
  readonly #sockets = new WebSocketServer({
    noServer: true,
    maxPayload: maxMessageBytes,
    perMessageDeflate: false,
    // A tenant that asks and does not read would have them wait without end: its socket answers.
    autoPong: false,
    handleProtocols: () => false,
  });
  readonly #open = new Set<TenantSocket>();
  readonly #release: () => void;

  constructor(options: GatewayServerOptions) {
    this.#options = options;
    const limits = { handshakeTimeout: 10_000, headersTimeout: 10_000, requestTimeout: 120_000, maxHeaderSize: 32 * 1024 };
    this.server = createServer({ ...options.tls.serverOptions(), ...limits }, (request, response) => {
      void this.#answer(request, response);
    });
    this.server.maxConnections = maxConnections;
    this.#release = options.tls.keep(this.server);
    this.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      void this.#upgrade(request, socket, head);
    });
    this.server.on('clientError', refuseMalformed);
  }

  get openStreams(): number {
    return this.#open.size;
  }

  /** Ends what is open, so that tenants connect elsewhere. */
  stop(): void {
    this.#release();
    for (const socket of this.#open) socket.close(new StreamEnd(closeCodes.restarting, 'the gateway is being restarted: connect again'));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    let name = 'none';
    let status = 200;
    try {
      const { route, parts, query } = this.#options.routes.find(request.method ?? '', request.url ?? '/');
      name = route.path;
      const asked: RouteRequest = { parts, query, peer: peerOf(request), signal: gone.signal };
      if (route.kind === 'stream') throw new StatusError('invalid_argument', 'header "upgrade": must be websocket: this is a stream');
      if (route.kind === 'public') {
        this.#admitStranger(request);
        sendAnswer(response, await route.answer(asked));
      } else {
        const tenant = await this.#admit(request);
        const body = request.method === 'GET' ? '' : await readBody(request, route.maxBodyBytes ?? defaultBodyBytes);
        sendAnswer(response, await route.answer({ ...asked, tenant }, body));
      }
    } catch (thrown) {
      const error = this.#refusal(thrown, name);
      // What is left of the request is not read: the connection cannot be used for another.
      if (!request.complete) response.setHeader('connection', 'close');
      sendError(response, error);
      status = statusOf(error);
    }
    this.#options.onAnswer(name, status);
  }

  async #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    // Until the WebSocket takes over nobody else listens, and a caller that goes away must not end the process.
    const note = (): void => void socket.destroy();
    socket.on('error', note);
    const gone = new AbortController();
    socket.once('close', () => gone.abort());
    let name = 'none';
    let ended: (() => void) | undefined;
    try {
      const { route, parts, query } = this.#options.routes.find(request.method ?? '', request.url ?? '/');
      name = route.path;
      if (route.kind !== 'stream') throw new StatusError('invalid_argument', 'header "upgrade": must not be there: this is no stream');
      const tenant = await this.#admit(request);
      ended = this.#options.streams?.opened(identityOf(tenant), peerOf(request));
      const talk = await open(route, { parts, query, peer: peerOf(request), signal: gone.signal, tenant });
      if (gone.signal.aborted) throw new StatusError('unavailable', 'the caller has gone');
      this.#sockets.handleUpgrade(request, socket, head, (client) => {
        socket.off('error', note);
        const { clock, slowReaderMs } = this.#options;
        void this.#talk(new TenantSocket({ socket: client, clock, slowReaderMs }), talk, name, ended);
        ended = undefined;
      });
      // It has refused the handshake by itself.
      ended?.();
    } catch (thrown) {
      ended?.();
      const error = this.#refusal(thrown, name);
      refuseConnection(socket, error);
      this.#options.onAnswer(name, statusOf(error));
    }
  }

  async #talk(socket: TenantSocket, talk: Talk, name: string, ended: (() => void) | undefined): Promise<void> {
    this.#open.add(socket);
    let end = new StreamEnd(closeCodes.done, '');
    try {
      await talk(socket);
    } catch (thrown) {
      end = streamEndOf(thrown);
      if (end.code === closeCodes.internal) this.#options.log.error('a stream to a tenant failed', { route: name, error: thrown });
    } finally {
      socket.close(end);
      this.#open.delete(socket);
      ended?.();
      this.#options.onAnswer(name, end.code);
    }
  }

  async #admit(request: IncomingMessage): Promise<Tenant> {
    const { limits, identify } = this.#options;
    const peer = peerOf(request);
    const { authorization } = request.headers;
    const token = bearerOf(authorization);
    limits?.arrived(peer, token);
    let tenant: Tenant;
    try {
      const certificate = peerCertificateOf(request.socket as TLSSocket);
      // A browser shows a certificate to whichever site asks it to: no page may use what is in it.
      if (certificate !== undefined && request.headers.origin !== undefined)
        throw new StatusError('permission_denied', 'header "origin": pages may not use client certificates: send a token');
      tenant = await identify({ authorization, certificate });
    } catch (thrown) {
      // Whoever could not be asked about is no stranger for that.
      if (codeOf(thrown) === 'unavailable') limits?.admitted(peer, token);
      else limits?.refused(peer, token);
      throw thrown;
    }
    // A tenant that calls too often is no stranger, either: its address has others.
    limits?.called(identityOf(tenant), peer, token);
    return tenant;
  }

  #admitStranger(request: IncomingMessage): void {
    const { publicLimits: limits } = this.#options;
    limits?.arrived(peerOf(request), undefined);
    limits?.called(anonymous, peerOf(request), undefined);
  }

  #refusal(thrown: unknown, route: string): StatusError {
    const error = refusalOf(thrown);
    if (error.code === 'internal') this.#options.log.error('a request of a tenant failed', { route, error: thrown });
    else this.#options.log.debug('a request of a tenant was refused', { route, error });
    return error;
  }
}

async function open(route: Extract<GatewayRoute, { kind: 'stream' }>, request: Parameters<typeof route.open>[0]): Promise<Talk> {
  try {
    return await route.open(request);
  } catch (thrown) {
    // That there is no such lease is told on the stream, where the ecosystem looks for it.
    if (!(thrown instanceof StatusError) || (thrown.code !== 'not_found' && thrown.code !== 'unavailable')) throw thrown;
    return () => Promise.reject(thrown);
  }
}

/** One caller, whatever it shows. */
export const identityOf = ({ owner }: Tenant) => ({ kind: 'token', name: owner, groups: [] }) as const;

const peerOf = ({ socket }: IncomingMessage): string => `${socket.remoteAddress ?? ''}:${socket.remotePort ?? ''}`;
