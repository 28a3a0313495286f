import {
  create,
  type DescMethod,
  type DescMethodServerStreaming,
  type DescMethodUnary,
  type DescService,
  type Message,
  type MessageInitShape,
  type MessageShape,
} from '@bufbuild/protobuf';
import {
  backoffMs,
  type Clock,
  isLoopback,
  type Random,
  retryAfterMsOf,
  StatusError,
  sleep,
  systemClock,
  systemRandom,
} from '@quartermaster/kernel';
import { ChannelCredentials, ClientError, createChannel, createClient, Metadata } from 'nice-grpc';
import { decodeError, detailsTrailer } from './error-details.ts';
import { definitionOf, isRepeatable, pathOf } from './service-definition.ts';

export interface RpcClientOptions {
  /** `host:port`, or `unix:///path` for a socket of this machine. */
  readonly address: string;
  /** Absent: plain text. */
  readonly tls?: ClientTls | undefined;
  /** Asked before every call, so that it may change. */
  readonly token?: (() => Promise<string> | string) | undefined;
  /** How long a call that answers once may take, with all its tries. Default 30 s. Streams have no end of their own. */
  readonly deadlineMs?: number | undefined;
  /** How often a read is tried in all when the server is unavailable. Default 4. */
  readonly tries?: number | undefined;
  /** Of an answer. Default 256 MiB: the inventory of a large cluster is one message. */
  readonly maxAnswerBytes?: number | undefined;
  /** Send the token in plain text to other machines. */
  readonly allowInsecure?: boolean | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
}

export interface ClientTls {
  /** PEM. Default: the authorities that Node knows. */
  readonly ca?: string | undefined;
  /** PEM, with `key`: the client's own certificate. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  /** The name that the server's certificate must have, where it is not the address. */
  readonly serverName?: string | undefined;
  /** Believe whoever answers. A person must have asked for this. Default false. */
  readonly skipVerification?: boolean | undefined;
}

export interface RpcCallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly deadlineMs?: number | undefined;
  /** Sent as metadata. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** A service as its callers see it. Every failure is a StatusError, except the reason of an aborted signal. */
export type ServiceClient<S extends DescService> = {
  readonly [M in keyof S['method']]: S['method'][M] extends DescMethodUnary<infer I, infer O>
    ? (request: MessageInitShape<I>, options?: RpcCallOptions) => Promise<MessageShape<O>>
    : S['method'][M] extends DescMethodServerStreaming<infer I, infer O>
      ? (request: MessageInitShape<I>, options?: RpcCallOptions) => AsyncGenerator<MessageShape<O>, void, undefined>
      : never;
};

export interface RpcChannel {
  client<S extends DescService>(service: S): ServiceClient<S>;
  /** Ends running calls. */
  close(): void;
}

interface GrpcCallOptions {
  metadata: Metadata;
  signal: AbortSignal;
  onTrailer(trailer: Metadata): void;
}

type Unary = (request: Message, options: GrpcCallOptions) => Promise<Message>;
type Streaming = (request: Message, options: GrpcCallOptions) => AsyncIterable<Message>;

/** Connects when first used and again whenever needed. */
export function openRpcChannel(options: RpcClientOptions): RpcChannel {
  const { address, tls, token, allowInsecure = false } = options;
  const host = address.startsWith('unix:') ? address : address.replace(/:\d+$/, '');
  if (tls === undefined && token !== undefined && !isLoopback(host) && !allowInsecure) {
    throw new StatusError('invalid_argument', `address ${address}: a token would be sent in plain text; give tls, or allow it explicitly`);
  }
  const channel = createChannel(address, credentialsOf(tls), {
    'grpc.max_receive_message_length': options.maxAnswerBytes ?? 256 * 1024 * 1024,
    'grpc.keepalive_time_ms': 60_000,
    'grpc.keepalive_timeout_ms': 20_000,
    'grpc.max_reconnect_backoff_ms': 5_000,
    // A proxy would read tokens that were meant to stay on this machine.
    'grpc.enable_http_proxy': tls === undefined ? 0 : 1,
    ...(tls?.serverName === undefined ? {} : { 'grpc.ssl_target_name_override': tls.serverName, 'grpc.default_authority': tls.serverName }),
  });
  const caller = new RpcCaller(options);
  return {
    client: <S extends DescService>(service: S) => {
      const raw = createClient(definitionOf(service), channel) as Readonly<Record<string, Unary | Streaming>>;
      const methods = service.methods.map((method) => [method.localName, caller.method(method, raw[method.localName])]);
      return Object.fromEntries(methods) as ServiceClient<S>;
    },
    close: () => channel.close(),
  };
}

function credentialsOf(tls: ClientTls | undefined): ChannelCredentials {
  if (tls === undefined) return ChannelCredentials.createInsecure();
  const pem = (text: string | undefined): Buffer | null => (text === undefined ? null : Buffer.from(text));
  return ChannelCredentials.createSsl(pem(tls.ca), pem(tls.key), pem(tls.cert), { rejectUnauthorized: tls.skipVerification !== true });
}

class RpcCaller {
  readonly #options: RpcClientOptions;
  readonly #clock: Clock;
  readonly #random: Random;

  constructor(options: RpcClientOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? systemRandom;
  }

  method(method: DescMethod, raw: Unary | Streaming | undefined) {
    if (method.methodKind === 'server_streaming') {
      return (request: Message, options: RpcCallOptions = {}) =>
        this.#stream(method, raw as Streaming, create(method.input, request), options);
    }
    return (request: Message, options: RpcCallOptions = {}) => this.#unary(method, raw as Unary, create(method.input, request), options);
  }

  async #unary(method: DescMethod, raw: Unary, request: Message, options: RpcCallOptions): Promise<Message> {
    const deadlineMs = options.deadlineMs ?? this.#options.deadlineMs ?? 30_000;
    const deadline = new AbortController();
    const cancel = this.#clock.schedule(deadlineMs, () => {
      deadline.abort(new StatusError('unavailable', `${pathOf(method)} at ${this.#options.address} took longer than ${deadlineMs} ms`));
    });
    const signal = options.signal === undefined ? deadline.signal : AbortSignal.any([options.signal, deadline.signal]);
    const tries = isRepeatable(method) ? (this.#options.tries ?? 4) : 1;
    try {
      for (let failures = 1; ; failures += 1) {
        try {
          return await this.#attempt(method, raw, request, options, signal);
        } catch (thrown) {
          if (!isPassing(thrown) || signal.aborted || failures >= tries) throw thrown;
          const waitMs = backoffMs(failures, { firstMs: 100, maxMs: 5_000, factor: 2 }, this.#random);
          await sleep(this.#clock, Math.max(waitMs, retryAfterMsOf(thrown) ?? 0), signal);
        }
      }
    } finally {
      cancel();
    }
  }

  async #attempt(method: DescMethod, raw: Unary, request: Message, options: RpcCallOptions, signal: AbortSignal): Promise<Message> {
    const trailers: Metadata[] = [];
    try {
      return await raw(request, { metadata: await this.#metadata(options), signal, onTrailer: (trailer) => trailers.push(trailer) });
    } catch (thrown) {
      throw this.#failure(method, thrown, trailers, signal);
    }
  }

  async *#stream(method: DescMethod, raw: Streaming, request: Message, options: RpcCallOptions): AsyncGenerator<Message, void, undefined> {
    const signal = options.signal ?? new AbortController().signal;
    const trailers: Metadata[] = [];
    try {
      yield* raw(request, { metadata: await this.#metadata(options), signal, onTrailer: (trailer) => trailers.push(trailer) });
    } catch (thrown) {
      throw this.#failure(method, thrown, trailers, signal);
    }
  }

  async #metadata(options: RpcCallOptions): Promise<Metadata> {
    const metadata = Metadata(options.headers ?? {});
    const token = await this.#options.token?.();
    // The library would repeat the token in its complaint.
    if (token !== undefined && !/^[\x21-\x7e]+$/.test(token)) {
      throw new StatusError(
        'invalid_argument',
        'the token must be one word of printable ASCII characters: check the file or the variable that holds it',
      );
    }
    if (token !== undefined) metadata.set('authorization', `Bearer ${token}`);
    return metadata;
  }

  #failure(method: DescMethod, thrown: unknown, trailers: readonly Metadata[], signal: AbortSignal): unknown {
    if (signal.aborted) return signal.reason;
    if (!(thrown instanceof ClientError)) return thrown;
    const text = thrown.details === '' ? `${pathOf(method)} at ${this.#options.address} failed` : thrown.details;
    return decodeError(thrown.code, text, trailers.at(-1)?.get(detailsTrailer), thrown);
  }
}

function isPassing(thrown: unknown): boolean {
  return thrown instanceof StatusError && (thrown.code === 'unavailable' || thrown.code === 'resource_exhausted');
}
