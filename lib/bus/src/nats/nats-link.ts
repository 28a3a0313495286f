import { type JetStreamClient, type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection, tokenAuthenticator, usernamePasswordAuthenticator } from '@nats-io/transport-node';
import { Backoff, codeOf, messageOf, present, StatusError, sleep } from '@quartermaster/kernel';
import type { BusSettings } from '../bus/bus-options.ts';
import { abortable, abortReason } from '../delivery/deadline.ts';
import { natsError } from './nats-errors.ts';

type NatsTls = { readonly [K in 'ca' | 'cert' | 'key' | 'caFile' | 'certFile' | 'keyFile']?: string | undefined };

/** How to reach a NATS server. Secrets are plain strings here and appear in no error and no log line. */
export interface NatsServerOptions {
  /** `nats://host:port` or `tls://host:port`, one or several of one cluster. Credentials have no place in them. */
  readonly servers: string | readonly string[];
  /** Shown in the server's list of connections. */
  readonly name?: string | undefined;
  readonly user?: string | undefined;
  /** A function is asked at each connection, and must not throw: that would end the bus. */
  readonly password?: string | (() => string) | undefined;
  readonly token?: string | (() => string) | undefined;
  /** Encrypts also where the URL does not say so. Texts in PEM, or files, which are read at each connection; the system's authorities when there is none. */
  readonly tls?: NatsTls | undefined;
  /** How often the server is asked whether it is there. Two asked in vain end the connection. 10 s when absent. */
  readonly pingIntervalMs?: number | undefined;
}

const requestTimeoutMs = 5_000;
/** A half-open connection is noticed within half a minute. */
const defaultPingIntervalMs = 10_000;

/** One connection to the server that comes back by itself for as long as it is not closed. */
export class NatsLink {
  readonly #connection: NatsConnection;
  readonly #settings: BusSettings;
  readonly #listeners = new Set<() => void>();
  readonly jetStream: JetStreamClient;
  readonly manager: JetStreamManager;
  #state: 'connected' | 'reconnecting' | 'closed' = 'connected';
  #reconnects = 0;

  private constructor(connection: NatsConnection, manager: JetStreamManager, settings: BusSettings) {
    this.#connection = connection;
    this.#settings = settings;
    this.manager = manager;
    this.jetStream = jetstream(connection, { timeout: requestTimeoutMs });
    void this.#follow();
    void this.#watchEnd();
  }

  /** Tries until the server answers or the signal aborts. A refused identity fails at once. */
  static async open(options: NatsServerOptions, settings: BusSettings, signal: AbortSignal): Promise<NatsLink> {
    const servers = checkServers(options.servers);
    const backoff = new Backoff(settings.backoff, settings.random);
    const reconnecting = new Backoff(settings.backoff, settings.random);
    for (;;) {
      try {
        const link = await NatsLink.#connect(options, servers, reconnecting, settings);
        link.onReconnect(() => reconnecting.reset());
        return link;
      } catch (thrown) {
        const error = natsError(thrown, 'connect');
        if (error.code !== 'unavailable') throw error;
        settings.log.warn('NATS does not answer', { servers, error: messageOf(error) });
        try {
          await sleep(settings.clock, backoff.nextMs(), signal);
        } catch {
          throw new StatusError('unavailable', `${messageOf(signal.reason)}: ${error.message} (${servers.join(', ')})`, { cause: error });
        }
      }
    }
  }

  static async #connect(options: NatsServerOptions, servers: string[], backoff: Backoff, settings: BusSettings): Promise<NatsLink> {
    const connection = await connect({
      servers,
      name: options.name ?? 'quartermaster',
      maxReconnectAttempts: -1,
      ignoreAuthErrorAbort: true,
      // Errors are wrapped with what was being done; the traces cost a fifth of the time of a publication.
      noAsyncTraces: true,
      reconnectDelayHandler: () => Math.max(1, backoff.nextMs()),
      pingInterval: options.pingIntervalMs ?? defaultPingIntervalMs,
      timeout: requestTimeoutMs,
      ...present({
        authenticator: authenticatorOf(options),
        tls: isEncrypted(options) ? present(options.tls ?? {}) : undefined,
      }),
    });
    try {
      return new NatsLink(connection, await jetstreamManager(connection, { timeout: requestTimeoutMs }), settings);
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  get state(): 'connected' | 'reconnecting' | 'closed' {
    return this.#state;
  }

  get reconnects(): number {
    return this.#reconnects;
  }

  /** Called after each return to a server, before anything that waited for it goes on. The result ends it. */
  onReconnect(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Repeats what failed because the server is away, with growing waits, until it works, fails otherwise or the signal aborts. An
   * attempt whose connection was lost is not waited for: its signal aborts, and the next begins when the server is back. So an
   * attempt must be repeatable, and do nothing after its signal has aborted.
   */
  async persistently<R>(doing: string, signal: AbortSignal, attempt: (signal: AbortSignal) => Promise<R>): Promise<R> {
    const backoff = new Backoff(this.#settings.backoff, this.#settings.random);
    let waitedFor = 'the bus is reconnecting to NATS';
    for (;;) {
      if (signal.aborted) throw abortReason(signal, waitedFor);
      if (this.#state !== 'reconnecting') {
        try {
          return await this.#once(attempt, signal);
        } catch (thrown) {
          if (signal.aborted) continue;
          const error = natsError(thrown, doing);
          if (codeOf(error) !== 'unavailable') throw error;
          waitedFor = error.message;
        }
      }
      await this.#pause(backoff.nextMs(), signal);
    }
  }

  /** Sends what waits to be sent, acknowledgements above all, and closes. */
  async close(): Promise<void> {
    if (this.#state === 'connected') {
      // The server may go away just now; there is nobody left to tell then.
      await Promise.race([this.#connection.flush().catch(() => undefined), sleep(this.#settings.clock, 1_000)]);
    }
    this.#state = 'closed';
    await this.#connection.close();
  }

  async #once<R>(attempt: (signal: AbortSignal) => Promise<R>, signal: AbortSignal): Promise<R> {
    const abandoned = new AbortController();
    const abandon = (): void => abandoned.abort(new StatusError('unavailable', 'the connection to NATS was lost meanwhile'));
    const forget = this.onReconnect(abandon);
    signal.addEventListener('abort', abandon, { once: true });
    try {
      return await abortable(attempt(abandoned.signal), abandoned.signal);
    } finally {
      forget();
      signal.removeEventListener('abort', abandon);
    }
  }

  /** A wait that ends early when the server is back. */
  async #pause(afterMs: number, signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      const end = (): void => {
        cancel();
        forget();
        signal.removeEventListener('abort', end);
        resolve();
      };
      const cancel = this.#settings.clock.schedule(afterMs, end);
      const forget = this.onReconnect(end);
      signal.addEventListener('abort', end, { once: true });
      if (signal.aborted) end();
    });
  }

  /** The client ends a connection for good only when it is told to; whatever else made it do so must not go unseen. */
  async #watchEnd(): Promise<void> {
    const error = await this.#connection.closed();
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    this.#settings.log.error('the client gave up the connection to NATS; restart the process', { error: messageOf(error ?? 'no reason') });
  }

  async #follow(): Promise<void> {
    const { log } = this.#settings;
    for await (const status of this.#connection.status()) {
      if (this.#state === 'closed') return;
      if (status.type === 'disconnect') {
        this.#state = 'reconnecting';
        log.warn('lost the connection to NATS', { server: status.server });
      } else if (status.type === 'reconnect') {
        this.#state = 'connected';
        this.#reconnects += 1;
        log.info('connected to NATS again', { server: status.server, reconnects: this.#reconnects });
        for (const listener of [...this.#listeners]) listener();
      } else if (status.type === 'error') {
        log.warn('NATS reported an error', { error: messageOf(status.error) });
      }
    }
  }
}

function authenticatorOf({ user, password, token }: NatsServerOptions) {
  if (token !== undefined) return tokenAuthenticator(token);
  return user === undefined ? undefined : usernamePasswordAuthenticator(user, password);
}

function isEncrypted({ servers, tls }: NatsServerOptions): boolean {
  return tls !== undefined || [servers].flat().some((server) => server.startsWith('tls:'));
}

function checkServers(servers: string | readonly string[]): string[] {
  const list = typeof servers === 'string' ? [servers] : [...servers];
  if (list.length === 0) throw new StatusError('invalid_argument', 'servers is empty: name at least one, such as nats://127.0.0.1:4222');
  for (const server of list) {
    // Not printed: it may hold a password.
    const url = URL.parse(server.includes('://') ? server : `nats://${server}`);
    if (url === null || !['nats:', 'tls:'].includes(url.protocol)) {
      throw new StatusError('invalid_argument', 'servers: an entry is not of the form nats://host:port or tls://host:port');
    }
    if (url.username !== '' || url.password !== '') {
      throw new StatusError('invalid_argument', 'servers: a URL contains credentials; pass them as user and password, or as token');
    }
  }
  return list;
}
