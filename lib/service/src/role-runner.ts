import { Backoff, isTerminal, messageOf, StatusError, sleep } from '@quartermaster/kernel';
import { failed, type HealthStatus, healthy } from './health.ts';
import type { StopDeadline } from './lifecycle.ts';
import type { Logger } from './logger.ts';
import type { Role, RoleStatus } from './role.ts';
import { RoleAttempt, type RoleEnvironment } from './role-attempt.ts';
import { withoutCredentials } from './sensitive.ts';

export interface RoleRunnerOptions extends RoleEnvironment {
  /** Told when the role failed and may not be started again. */
  onFatal(error: StatusError): void;
  readonly onState?: ((status: RoleStatus) => void) | undefined;
}

/** A failed role has this long to clear up before it is started again. */
const cleanupTimeoutMs = 10_000;

/** Keeps one role running: starts it, starts it again after a failure if it may be, and stops it. */
export class RoleRunner {
  readonly #role: Role;
  readonly #options: RoleRunnerOptions;
  readonly #log: Logger;
  readonly #backoff: Backoff | undefined;
  readonly #stopping = new AbortController();
  readonly #stopBegun = Promise.withResolvers<void>();
  readonly #firstReady = Promise.withResolvers<void>();
  #attempt: RoleAttempt | undefined;
  #running: Promise<void> | undefined;
  #state: RoleStatus['state'] = 'waiting';
  #since: number;
  #readyAt: number | undefined;
  #reason: string | undefined;
  #restarts = 0;

  constructor(role: Role, options: RoleRunnerOptions) {
    this.#role = role;
    this.#options = options;
    this.#log = options.log.child({ role: role.name });
    this.#backoff = role.restart === undefined ? undefined : new Backoff(role.restart, options.random);
    this.#since = options.clock.now();
    options.health.register(`role/${role.name}`, 'ready', () => this.#check());
    // Nobody may be waiting when it fails.
    this.#firstReady.promise.catch(() => {});
  }

  get name(): string {
    return this.#role.name;
  }

  status(): RoleStatus {
    return {
      name: this.#role.name,
      summary: this.#role.summary,
      state: this.#state,
      since: this.#since,
      restarts: this.#restarts,
      reason: this.#reason,
      detail: this.#detail(),
    };
  }

  /** Resolves when the role is ready for the first time, or when it was told to stop before. Rejects when it never will be. */
  start(): Promise<void> {
    this.#running ??= this.#keepRunning();
    return this.#firstReady.promise;
  }

  async stop(deadline: StopDeadline): Promise<void> {
    this.#to('stopping');
    this.#stopping.abort(new StatusError('unavailable', `role ${this.name} is being stopped`));
    this.#stopBegun.resolve();
    try {
      await this.#attempt?.stop(deadline);
      await this.#running;
    } finally {
      this.#to('stopped');
    }
  }

  /** The loop over the lives of the role. Ends when it is stopped or failed for good, and never rejects. */
  async #keepRunning(): Promise<void> {
    while (!this.#isStopping) {
      const attempt = new RoleAttempt(this.#role, { ...this.#options, log: this.#log });
      this.#attempt = attempt;
      const end = await this.#live(attempt);
      if (this.#isStopping || end === undefined) break;
      await this.#clearUp(attempt);
      if (!(await this.#mayTryAgain(end.thrown))) break;
    }
    this.#firstReady.resolve();
  }

  /** Returns what ended it; undefined when that was a stop. */
  async #live(attempt: RoleAttempt): Promise<{ readonly thrown: unknown } | undefined> {
    this.#to('starting', this.#reason);
    this.#readyAt = undefined;
    try {
      await Promise.race([attempt.begin(), this.#stopBegun.promise]);
      if (this.#isStopping) return undefined;
      this.#readyAt = this.#options.clock.monotonic();
      this.#to('ready');
      this.#log.info('role is ready');
      this.#firstReady.resolve();
      await Promise.race([attempt.failure, this.#stopBegun.promise]);
      return undefined;
    } catch (thrown) {
      return { thrown };
    }
  }

  async #mayTryAgain(thrown: unknown): Promise<boolean> {
    if (this.#isStopping) return false;
    const { clock } = this.#options;
    if (this.#backoff === undefined || isTerminal(thrown)) {
      this.#failForGood(thrown);
      return false;
    }
    const hasLasted = this.#readyAt !== undefined && clock.monotonic() - this.#readyAt >= (this.#role.restart?.maxMs ?? 0);
    if (hasLasted) this.#backoff.reset();
    const afterMs = this.#backoff.nextMs();
    this.#log.error('role failed, starting it again', { error: thrown, afterMs });
    this.#restarts += 1;
    this.#to('retrying', withoutCredentials(messageOf(thrown)));
    await Promise.race([sleep(clock, afterMs, this.#stopping.signal).catch(() => {}), this.#stopBegun.promise]);
    return !this.#isStopping;
  }

  #failForGood(thrown: unknown): void {
    const error = new StatusError(StatusError.from(thrown).code, `role ${this.name} failed`, { cause: thrown });
    this.#log.error('role failed permanently', { error: thrown });
    this.#to('failed', withoutCredentials(messageOf(thrown)));
    this.#firstReady.reject(error);
    this.#options.onFatal(error);
  }

  async #clearUp(attempt: RoleAttempt): Promise<void> {
    this.#to('retrying');
    const controller = new AbortController();
    const { promise: over, resolve } = Promise.withResolvers<void>();
    const cancel = this.#options.clock.schedule(cleanupTimeoutMs, () => {
      controller.abort(new StatusError('unavailable', 'the time for cleanup is over'));
      resolve();
    });
    try {
      await Promise.race([attempt.stop({ withinMs: cleanupTimeoutMs, signal: controller.signal }), over]);
    } catch (thrown) {
      this.#log.error('failed role did not stop cleanly', { error: thrown });
    } finally {
      cancel();
    }
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  #detail(): unknown {
    try {
      return this.#attempt?.status();
    } catch (thrown) {
      return { error: messageOf(thrown) };
    }
  }

  #check(): HealthStatus {
    if (this.#state === 'ready') return healthy;
    return failed(this.#reason === undefined ? `is ${this.#state}` : `is ${this.#state}: ${this.#reason}`);
  }

  #to(state: RoleStatus['state'], reason?: string): void {
    // What happens to a role that is being stopped no longer changes what it is.
    if (this.#isStopping && state !== 'stopping' && state !== 'stopped') return;
    this.#state = state;
    this.#since = this.#options.clock.now();
    this.#reason = reason;
    this.#options.onState?.(this.status());
  }
}
