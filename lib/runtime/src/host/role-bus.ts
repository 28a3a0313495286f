import { readFileSync } from 'node:fs';
import type { Bus } from '@quartermaster/bus';
import { type Clock, StatusError, sleep } from '@quartermaster/kernel';
import type { ConfigValues } from '@quartermaster/service';
import { type BusConfig, busSettings } from '../declaration/bus-settings.ts';
import { type RoleBus, sharedBus } from '../declaration/shared-keys.ts';
import type { RoleHost } from './role-host.ts';

/** The bus of this process, or the one of the settings; undefined where there is neither. */
export function openBus(host: Pick<RoleHost, 'shared' | 'name' | 'keep' | 'clock' | 'signal'>, config: ConfigValues): RoleBus | undefined {
  const shared = host.shared.find(sharedBus);
  if (shared !== undefined) return shared;
  const settings = busSettings.slice(config);
  if (settings['nats-servers'] === undefined) return undefined;
  const bus = new LateBus(settings, `quartermaster-${host.name}`, host);
  host.keep('bus', () => bus.close());
  return { bus, isShared: true };
}

const retryIntervalMs = 1_000;

/** A bus that need not be there yet: a publish connects if nothing has, and fails alone when it cannot; a subscription is made once the bus is there. */
class LateBus {
  readonly #settings: BusConfig;
  readonly #name: string;
  readonly #clock: Clock;
  readonly #ending: AbortSignal;
  readonly #closing = new AbortController();
  #connection: Promise<Bus> | undefined;

  constructor(settings: BusConfig, name: string, { clock, signal }: Pick<RoleHost, 'clock' | 'signal'>) {
    this.#settings = settings;
    this.#name = name;
    this.#clock = clock;
    this.#ending = AbortSignal.any([signal, this.#closing.signal]);
  }

  // Both kinds of topics go through alike: the bus tells them apart.
  readonly publish = (async (...args: Parameters<Bus['publish']>) => (await this.#connected()).publish(...args)) as Bus['publish'];

  readonly subscribe = (async (...args: Parameters<Bus['subscribe']>) => {
    const [, , options] = args;
    const signal = options?.signal === undefined ? this.#ending : AbortSignal.any([this.#ending, options.signal]);
    const bus = await this.#whenConnected(signal);
    return await bus.subscribe(...args);
  }) as Bus['subscribe'];

  async #whenConnected(signal: AbortSignal): Promise<Bus> {
    for (;;) {
      signal.throwIfAborted();
      try {
        return await this.#connected();
      } catch (error) {
        // A file that cannot be read does not come by waiting alone; whoever publishes is told the same.
        if (error instanceof StatusError && error.code === 'invalid_argument') throw error;
        await sleep(this.#clock, retryIntervalMs, signal);
      }
    }
  }

  async #connected(): Promise<Bus> {
    this.#connection ??= this.#connect();
    const connecting = this.#connection;
    return await connecting.catch((error: unknown) => {
      if (this.#connection === connecting) this.#connection = undefined;
      throw error;
    });
  }

  async close(): Promise<void> {
    this.#closing.abort(new StatusError('unavailable', 'the bus is closed'));
    const bus = await this.#connection?.catch(() => undefined);
    await bus?.close();
  }

  async #connect(): Promise<Bus> {
    const settings = this.#settings;
    const { connectNatsBus } = await import('@quartermaster/bus');
    const [caFile, certFile, keyFile] = (['nats-ca-file', 'nats-cert-file', 'nats-key-file'] as const).map((key) => {
      readerOf(settings, key);
      return settings[key];
    });
    return await connectNatsBus({
      servers: settings['nats-servers'] ?? [],
      name: this.#name,
      user: settings['nats-user'],
      password: readerOf(settings, 'nats-password-file'),
      token: readerOf(settings, 'nats-token-file'),
      tls: caFile === undefined && certFile === undefined ? undefined : { caFile, certFile, keyFile },
      signal: this.#ending,
    });
  }
}

/** Reads the file at each call, since credentials are renewed. Throws when it cannot be read now; later its last text stands in. */
function readerOf(
  settings: BusConfig,
  key: 'nats-password-file' | 'nats-token-file' | 'nats-ca-file' | 'nats-cert-file' | 'nats-key-file',
): (() => string) | undefined {
  const path = settings[key];
  if (path === undefined) return undefined;
  const read = (): string => readFileSync(path, 'utf8').trimEnd();
  let text: string;
  try {
    text = read();
  } catch (cause) {
    throw new StatusError('invalid_argument', `${key} ${path} cannot be read: create it or name another file`, { cause });
  }
  return () => {
    try {
      text = read();
    } catch {
      // It is being replaced: the next connection finds it again.
    }
    return text;
  };
}
