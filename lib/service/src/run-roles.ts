import { type Clock, type Random, StatusError, systemClock, systemRandom } from '@quartermaster/kernel';
import type { LiveConfig } from './config/watch-config.ts';
import { degraded, type Health, healthy } from './health.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { Logger } from './logger.ts';
import type { Metrics } from './metrics.ts';
import type { Role, RoleStatus } from './role.ts';
import { RoleRunner } from './role-runner.ts';
import { SharedParts } from './shared-parts.ts';

export interface RunRolesOptions {
  /** Of all these roles: loaded with what `joinConfigs` makes of their definitions. */
  readonly config: LiveConfig;
  /** Of the executable. */
  readonly version: string;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly health: Health;
  /** What the check of the configuration is called; `config` unless given. Roles that are run in several goes, each with its own, need several names. */
  readonly configCheck?: string | undefined;
  /** Each role becomes a part of it. A role that fails for good begins its stop. */
  readonly lifecycle: Lifecycle;
  readonly shared?: SharedParts | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
  /** Told of every state that a role comes to, for a person who waits. */
  readonly onState?: ((status: RoleStatus) => void) | undefined;
}

export interface RunningRoles {
  status(): readonly RoleStatus[];
}

/**
 * Starts roles in one process, in the order of the list, each when the one before is ready: what a role needs stands before it. Resolves
 * when all are ready, or when a stop began meanwhile. When a role cannot be started, everything is stopped and its error is thrown.
 */
export async function runRoles(roles: readonly Role[], options: RunRolesOptions): Promise<RunningRoles> {
  refuseTwins(roles);
  const { lifecycle, health, metrics } = options;
  const shared = options.shared ?? new SharedParts();
  const runners = roles.map((role) => runnerOf(role, shared, options));
  const running: RunningRoles = { status: () => runners.map((runner) => runner.status()) };
  health.register(options.configCheck ?? 'config', 'ready', () => configHealth(options.config));
  measure(metrics, running);
  for (const runner of runners) {
    if (lifecycle.signal.aborted) break;
    lifecycle.add({ name: runner.name, stop: (deadline) => runner.stop(deadline) });
    try {
      await runner.start();
    } catch (thrown) {
      await lifecycle.stop({ kind: 'failure', error: thrown });
      throw thrown;
    }
  }
  return running;
}

function runnerOf(role: Role, shared: SharedParts, options: RunRolesOptions): RoleRunner {
  const { config, log, metrics, health, lifecycle, version } = options;
  return new RoleRunner(role, {
    config,
    version,
    log,
    metrics,
    health,
    clock: options.clock ?? systemClock,
    random: options.random ?? systemRandom,
    shared,
    onFatal: (error) => void lifecycle.stop({ kind: 'failure', error }),
    onState: options.onState,
  });
}

function refuseTwins(roles: readonly Role[]): void {
  const names = roles.map((role) => role.name);
  const twin = names.find((name, i) => names.indexOf(name) !== i);
  if (twin !== undefined) throw new StatusError('internal', `role ${twin} is listed twice`);
}

/** A process with an ignored file works, but not as somebody wants it to. */
function configHealth(config: LiveConfig) {
  const { state, problem, needsRestart } = config.status();
  if (state === 'broken') return degraded(`the last valid configuration stays in effect: ${problem ?? 'the file is broken'}`);
  if (state === 'restart-needed') return degraded(`changed settings need a restart: ${needsRestart.join(', ')}`);
  return healthy;
}

function measure(metrics: Metrics, running: RunningRoles): void {
  metrics.collectGauge({ name: 'quartermaster_role_ready', help: 'Whether a role is ready (1) or not (0).', labels: ['role'] }, () =>
    running.status().map(({ name, state }) => ({ labels: { role: name }, value: state === 'ready' ? 1 : 0 })),
  );
  metrics.collectCounter({ name: 'quartermaster_role_restarts_total', help: 'Restarts of a role after a failure.', labels: ['role'] }, () =>
    running.status().map(({ name, restarts }) => ({ labels: { role: name }, value: restarts })),
  );
}
