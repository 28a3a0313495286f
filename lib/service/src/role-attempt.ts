import { StatusError } from '@quartermaster/kernel';
import type { LiveConfig } from './config/watch-config.ts';
import type { Health } from './health.ts';
import type { StopDeadline } from './lifecycle.ts';
import type { Logger } from './logger.ts';
import type { Role, RoleContext, RoleHandle } from './role.ts';

export interface RoleEnvironment extends Pick<RoleContext, 'clock' | 'random' | 'metrics' | 'shared' | 'version'> {
  readonly config: LiveConfig;
  readonly log: Logger;
  readonly health: Health;
}

/** One life of a role, from its start to its failure or stop. */
export class RoleAttempt {
  readonly #role: Role;
  readonly #environment: RoleEnvironment;
  readonly #controller = new AbortController();
  readonly #failure = Promise.withResolvers<never>();
  readonly #cleanups: (() => void)[] = [];
  #handle: RoleHandle | undefined;
  #starting: Promise<RoleHandle> | undefined;
  #stopping: Promise<void> | undefined;

  constructor(role: Role, environment: RoleEnvironment) {
    this.#role = role;
    this.#environment = environment;
    // It may fail when nobody is waiting for that yet.
    this.#failure.promise.catch(() => {});
  }

  /** Rejects with what the role gave to `fail`, and never resolves. */
  get failure(): Promise<never> {
    return this.#failure.promise;
  }

  /** Starts the role and resolves when it is ready. */
  async begin(): Promise<void> {
    // Also what is thrown before the first await is to arrive as a rejection.
    this.#starting = Promise.resolve().then(() => this.#role.start(this.#context()));
    this.#handle = await this.#starting;
    await Promise.race([this.#handle.ready?.(this.#controller.signal), this.#failure.promise]);
  }

  status(): unknown {
    return this.#handle?.status?.();
  }

  /** A start under way is told to give up; what runs is stopped in order. Everything that came with the life ends with it. */
  stop(deadline: StopDeadline): Promise<void> {
    this.#stopping ??= this.#stop(deadline);
    return this.#stopping;
  }

  async #stop(deadline: StopDeadline): Promise<void> {
    const end = (): void => this.#controller.abort(new StatusError('unavailable', `role ${this.#role.name} is being stopped`));
    deadline.signal.addEventListener('abort', end, { once: true });
    try {
      if (this.#handle === undefined) end();
      const handle = await this.#starting?.catch(() => undefined);
      await handle?.stop(deadline);
    } finally {
      end();
      deadline.signal.removeEventListener('abort', end);
      for (const cleanup of this.#cleanups.splice(0)) cleanup();
    }
  }

  #context(): RoleContext {
    const { config, log, health, ...rest } = this.#environment;
    const scope = health.scope(this.#role.name);
    this.#cleanups.push(() => scope.clear());
    const own = new Set(this.#role.config.keys.map((key) => key.name));
    return {
      ...rest,
      log,
      health: scope,
      config: this.#role.config.slice(config.current),
      onConfig: (listener) => {
        const unsubscribe = config.subscribe((change) => {
          const changed = change.changed.filter((name) => own.has(name));
          if (changed.length > 0) listener(this.#role.config.slice(change.values), changed);
        });
        this.#cleanups.push(unsubscribe);
      },
      signal: this.#controller.signal,
      fail: (thrown) => this.#failure.reject(thrown),
    };
  }
}
