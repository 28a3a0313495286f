import { readFileSync } from 'node:fs';
import type { Bus, Generation, PublishOptions, StateTopic } from '@quartermaster/bus';
import { StatusError } from '@quartermaster/kernel';
import type { ConfigValues } from '@quartermaster/service';
import { type BusConfig, busSettings } from '../declaration/bus-settings.ts';
import { type RoleBus, type StatePublisher, sharedBus } from '../declaration/shared-keys.ts';
import type { RoleHost } from './role-host.ts';

/** The bus of this process, or the one of the settings; undefined where there is neither. */
export function openBus(host: Pick<RoleHost, 'shared' | 'name' | 'keep'>, config: ConfigValues): RoleBus | undefined {
  const shared = host.shared.find(sharedBus);
  if (shared !== undefined) return shared;
  const settings = busSettings.slice(config);
  if (settings['nats-servers'] === undefined) return undefined;
  const bus = new LateBus(settings, `quartermaster-${host.name}`);
  host.keep('bus', () => bus.close());
  return { bus, isShared: true };
}

/** A bus that need not be there yet: each try connects if nothing has, and fails alone when it cannot. */
class LateBus implements StatePublisher {
  readonly #settings: BusConfig;
  readonly #name: string;
  #connection: Promise<Bus> | undefined;

  constructor(settings: BusConfig, name: string) {
    this.#settings = settings;
    this.#name = name;
  }

  async publish<T>(topic: StateTopic<T>, value: T, options?: PublishOptions): Promise<Generation> {
    this.#connection ??= this.#connect();
    const connecting = this.#connection;
    const bus = await connecting.catch((error: unknown) => {
      if (this.#connection === connecting) this.#connection = undefined;
      throw error;
    });
    return await bus.publish(topic, value, options);
  }

  async close(): Promise<void> {
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
