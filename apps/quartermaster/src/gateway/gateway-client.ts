import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { type RequestOptions, request } from 'node:https';
import { getCACertificates } from 'node:tls';
import type { JsonObject } from '@bufbuild/protobuf';
import { type Clock, StatusError, systemClock } from '@quartermaster/kernel';
import { WebSocket } from 'ws';
import { answerFailure, connectionFailure, type StreamEnd } from './gateway-failure.ts';
import { jsonAnswer } from './json-answer.ts';

export interface GatewayClientOptions {
  /** `https://provider.example:8443`. */
  readonly uri: string;
  /** PEM of the only authorities or certificates that are trusted. Default: those of the machine. */
  readonly ca?: string | undefined;
  readonly token?: string | undefined;
  /** PEM, with `key`, in place of a token. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  readonly clock?: Clock | undefined;
}

export interface GatewayStream {
  /** Of no answer for long, and of a connection that broke, too: it never rejects. */
  readonly ended: Promise<StreamEnd>;
  /** Resolves when the connection takes more. */
  send(bytes: Uint8Array): Promise<void>;
  close(): void;
}

/** The longest that a gateway may say in one answer or message. */
const maxAnswerBytes = 16 * 1024 * 1024;
/** A gateway asks every 10 s whether somebody is there. */
const silenceMs = 45_000;
const openMs = 20_000;

/** Asks one gateway, whose certificate is always verified. */
export class GatewayClient {
  readonly uri: string;
  readonly #connection: RequestOptions;
  readonly #clock: Clock;

  constructor({ uri, ca, token, cert, key, clock = systemClock }: GatewayClientOptions) {
    this.uri = originOf(uri);
    this.#clock = clock;
    this.#connection = {
      ca: ca ?? [...new Set([...getCACertificates('default'), ...getCACertificates('system')])],
      // What is given may be the certificate of the gateway itself.
      ...(ca === undefined ? {} : { allowPartialTrustChain: true }),
      ...(cert === undefined ? {} : { cert, key }),
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      agent: false,
    };
  }

  async get(path: string, signal: AbortSignal): Promise<JsonObject> {
    return await this.#ask('GET', path, undefined, signal);
  }

  async put(path: string, json: string, signal: AbortSignal): Promise<JsonObject> {
    return await this.#ask('PUT', path, json, signal);
  }

  /** Resolves once the gateway has agreed. `take` gets every message in its order; none comes while it runs. */
  async stream(path: string, take: (message: Buffer) => void, signal: AbortSignal): Promise<GatewayStream> {
    signal.throwIfAborted();
    const socket = new WebSocket(`${this.uri.replace(/^https/, 'wss')}${path}`, {
      ...this.#connection,
      perMessageDeflate: false,
      maxPayload: maxAnswerBytes,
      handshakeTimeout: openMs,
    });
    socket.on('message', (data) => take(data as Buffer));
    const ended = this.#endOf(socket);
    const abort = (): void => socket.terminate();
    signal.addEventListener('abort', abort, { once: true });
    void ended.then(() => signal.removeEventListener('abort', abort));
    await this.#agreed(socket).catch((thrown: unknown) => {
      signal.throwIfAborted();
      throw thrown;
    });
    return {
      ended,
      send: (bytes) => new Promise((resolve) => socket.send(bytes, () => resolve())),
      close: () => socket.close(1000),
    };
  }

  async #ask(method: string, path: string, json: string | undefined, signal: AbortSignal): Promise<JsonObject> {
    const asked = request(`${this.uri}${path}`, { ...this.#connection, method, signal });
    if (json !== undefined) asked.setHeader('content-type', 'application/json');
    try {
      asked.end(json);
      const [response] = (await once(asked, 'response')) as [IncomingMessage];
      return await this.#answerOf(response);
    } catch (thrown) {
      if (thrown instanceof StatusError) throw thrown;
      if (signal.aborted && !(signal.reason instanceof DOMException && signal.reason.name === 'TimeoutError')) throw signal.reason;
      throw connectionFailure(this.uri, signal.aborted ? signal.reason : thrown);
    }
  }

  async #answerOf(response: IncomingMessage): Promise<JsonObject> {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of response) {
      chunks.push(chunk as Buffer);
      size += (chunk as Buffer).length;
      if (size > maxAnswerBytes)
        throw new StatusError('unavailable', `the gateway ${this.uri} answered with more than ${maxAnswerBytes} bytes`);
    }
    const body = jsonAnswer(Buffer.concat(chunks));
    const { statusCode = 0 } = response;
    if (statusCode >= 200 && statusCode < 300) return body;
    throw answerFailure(this.uri, statusCode, body);
  }

  async #agreed(socket: WebSocket): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve);
      socket.on('error', (error) => reject(connectionFailure(this.uri, error)));
      socket.once('unexpected-response', (_request, response) => {
        void this.#refusal(response).then((refusal) => {
          reject(refusal);
          socket.terminate();
        });
      });
    });
  }

  /** Why no stream was opened. */
  async #refusal(response: IncomingMessage): Promise<unknown> {
    try {
      await this.#answerOf(response);
      const { statusCode = 0 } = response;
      return answerFailure(this.uri, statusCode, { message: `it answered with HTTP status ${statusCode} in place of a WebSocket` });
    } catch (thrown) {
      return thrown instanceof StatusError ? thrown : connectionFailure(this.uri, thrown);
    }
  }

  #endOf(socket: WebSocket): Promise<StreamEnd> {
    let heardAt = this.#clock.monotonic();
    const heard = (): void => {
      heardAt = this.#clock.monotonic();
    };
    socket.on('ping', heard).on('message', heard).on('open', heard);
    let isSilent = false;
    let cancel = (): void => {};
    const look = (): void => {
      isSilent = this.#clock.monotonic() - heardAt >= silenceMs;
      if (isSilent) socket.terminate();
      else cancel = this.#clock.schedule(silenceMs / 3, look);
    };
    look();
    return new Promise((resolve) => {
      socket.once('close', (code, reason) => {
        cancel();
        resolve(isSilent ? { code, reason: `it was silent for ${silenceMs / 1000} s` } : { code, reason: reason.toString() });
      });
    });
  }
}

/** Throws where a credential would go to nobody knows whom. */
function originOf(uri: string): string {
  const url = URL.canParse(uri) ? new URL(uri) : undefined;
  if (url?.protocol === 'https:' && url.username === '' && url.password === '' && url.search === '' && url.hash === '') {
    return `${url.origin}${url.pathname.replace(/\/$/, '')}`;
  }
  throw new StatusError(
    'invalid_argument',
    `the address of the gateway, "${uri}", must be https://HOST:PORT without user, query or fragment`,
  );
}
