import { type Clock, messageOf, systemClock } from '@quartermaster/kernel';
import { withoutCredentials } from './sensitive.ts';

/** `degraded`: it works, but a person should look. */
export type HealthState = 'ok' | 'degraded' | 'failed';

export interface HealthStatus {
  readonly state: HealthState;
  /** Why it is not ok, as a sentence for a person. */
  readonly reason?: string | undefined;
}

/** Asked at each probe. What it throws counts as failed. It must answer from what is known: a probe is no time for a request. */
export type HealthCheck = () => HealthStatus | Promise<HealthStatus>;

export interface CheckReport extends HealthStatus {
  readonly name: string;
  /** When a probe first saw this state, in milliseconds since the epoch. */
  readonly since: number;
}

export interface HealthReport {
  readonly state: HealthState;
  readonly checks: readonly CheckReport[];
}

/**
 * `live`: without it only a restart helps. `ready`: without it the process should get no work; a lost dependency belongs here, since
 * restarting does not bring it back.
 */
export type HealthPurpose = 'live' | 'ready';

/** Where parts register their checks. */
export interface HealthRegistry {
  /** Names are unique within a registry; a second one takes the place of the first. Returns what takes it away. */
  register(name: string, purpose: HealthPurpose, check: HealthCheck): () => void;
}

/** The same registry with a prefix. `clear` takes everything away that was registered through it. */
export interface HealthScope extends HealthRegistry {
  clear(): void;
}

export const healthy: HealthStatus = { state: 'ok' };
export const degraded = (reason: string): HealthStatus => ({ state: 'degraded', reason });
export const failed = (reason: string): HealthStatus => ({ state: 'failed', reason });

interface Registered {
  readonly name: string;
  readonly purpose: HealthPurpose;
  readonly check: HealthCheck;
  state: HealthState | undefined;
  since: number;
}

/** Liveness and readiness of one process, from named checks. */
export class Health implements HealthRegistry {
  readonly #checks = new Map<string, Registered>(); // name -> check
  readonly #clock: Clock;
  readonly #timeoutMs: number;

  constructor(
    options: {
      readonly clock?: Clock | undefined /** A check that takes longer has failed. Default 2 s. */;
      readonly timeoutMs?: number | undefined;
    } = {},
  ) {
    this.#clock = options.clock ?? systemClock;
    this.#timeoutMs = options.timeoutMs ?? 2000;
  }

  register(name: string, purpose: HealthPurpose, check: HealthCheck): () => void {
    const entry: Registered = { name, purpose, check, state: undefined, since: this.#clock.now() };
    this.#checks.set(name, entry);
    return () => {
      if (this.#checks.get(name) === entry) this.#checks.delete(name);
    };
  }

  scope(prefix: string): HealthScope {
    const removers = new Set<() => void>();
    return {
      register: (name, purpose, check) => {
        const remove = this.register(`${prefix}/${name}`, purpose, check);
        removers.add(remove);
        return () => {
          removers.delete(remove);
          remove();
        };
      },
      clear: () => {
        for (const remove of removers) remove();
        removers.clear();
      },
    };
  }

  /** Never rejects. The worst state of any check is the state of all. A process without checks is ok. */
  async report(purpose: HealthPurpose): Promise<HealthReport> {
    const entries = [...this.#checks.values()].filter((entry) => entry.purpose === purpose);
    const checks = await Promise.all(entries.map((entry) => this.#ask(entry)));
    const states = new Set(checks.map((check) => check.state));
    return { state: states.has('failed') ? 'failed' : states.has('degraded') ? 'degraded' : 'ok', checks };
  }

  async #ask(entry: Registered): Promise<CheckReport> {
    const status = await this.#statusOf(entry);
    if (status.state !== entry.state) {
      entry.state = status.state;
      entry.since = this.#clock.now();
    }
    // Reasons are often the text of an error, and anybody who can probe reads them.
    const reason = status.reason && withoutCredentials(status.reason);
    return { state: status.state, reason, name: entry.name, since: entry.since };
  }

  async #statusOf(entry: Registered): Promise<HealthStatus> {
    let cancel: () => void = () => {};
    const timeout = new Promise<HealthStatus>((resolve) => {
      cancel = this.#clock.schedule(this.#timeoutMs, () => resolve(failed(`did not answer within ${this.#timeoutMs} ms`)));
    });
    try {
      return await Promise.race([Promise.resolve(entry.check()), timeout]);
    } catch (thrown) {
      return failed(messageOf(thrown));
    } finally {
      cancel();
    }
  }
}
