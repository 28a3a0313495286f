import { readFile } from 'node:fs/promises';
import type { Bus, Generation, PublishOptions, StateTopic } from '@quartermaster/bus';
import { StatusError } from '@quartermaster/kernel';
import type { ConfigValues } from '@quartermaster/service';
import { type BusConfig, busSettings } from '../declaration/bus-settings.ts';
import { sharedBus } from '../declaration/shared-keys.ts';
import type { RoleHost } from './role-host.ts';

/** What a role needs of a bus on which it publishes states. */
export interface StatePublisher {
  publish<T>(topic: StateTopic<T>, value: T, options?: PublishOptions): Promise<Generation>;
}

export interface RoleBus {
  readonly bus: StatePublisher;
  /** Other replicas of the role publish on it, too: then only the leader may. */
  readonly isShared: boolean;
}

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
    const [{ connectNatsBus }, password, token, ca, cert, key] = await Promise.all([
      import('@quartermaster/bus'),
      contentOf(settings, 'nats-password-file'),
      contentOf(settings, 'nats-token-file'),
      contentOf(settings, 'nats-ca-file'),
      contentOf(settings, 'nats-cert-file'),
      contentOf(settings, 'nats-key-file'),
    ]);
    const tls = ca === undefined && cert === undefined ? undefined : { ca, cert, key };
    const user = settings['nats-user'];
    return await connectNatsBus({ servers: settings['nats-servers'] ?? [], name: this.#name, user, password, token, tls });
  }
}

async function contentOf(
  settings: BusConfig,
  key: 'nats-password-file' | 'nats-token-file' | 'nats-ca-file' | 'nats-cert-file' | 'nats-key-file',
): Promise<string | undefined> {
  const path = settings[key];
  if (path === undefined) return undefined;
  try {
    return (await readFile(path, 'utf8')).trimEnd();
  } catch (cause) {
    throw new StatusError('invalid_argument', `${key} ${path} cannot be read: create it or name another file`, { cause });
  }
}
