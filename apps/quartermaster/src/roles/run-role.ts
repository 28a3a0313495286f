import { systemClock } from '@quartermaster/kernel';
import {
  attachProcess,
  createLogger,
  exitCodeOf,
  Health,
  installTraceContext,
  Lifecycle,
  Metrics,
  type ProcessHost,
  type Role,
  runRoles,
} from '@quartermaster/service';
import { version } from '../product/product.ts';
import { failureText } from '../text/failure-line.ts';
import type { Output } from '../text/output.ts';
import { startRoleAdmin } from './role-admin.ts';
import { loadRoleConfig, processConfig } from './role-config.ts';

export interface RunRoleOptions {
  readonly role: Role;
  /** Every role that there is. */
  readonly known: readonly Role[];
  /** Settings of the command line. */
  readonly args: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
  /** This process unless given. */
  readonly host?: ProcessHost | undefined;
}

/**
 * Runs one role as a process of its own until it is told to stop or fails, and resolves with the exit code. Throws when the settings
 * are wrong.
 */
export async function runRole({ role, known, args, environment, host }: RunRoleOptions, { out, err }: Output): Promise<number> {
  const clock = systemClock;
  const log = createLogger({ destination: out, clock });
  const config = await loadRoleConfig({ roles: [role], known, others: [processConfig], args, environment, clock, log });
  const follow = (): void => log.setLevel(processConfig.slice(config.current)['log-level']);
  follow();
  config.subscribe(follow);
  const lifecycle = new Lifecycle({ clock, log });
  lifecycle.add({ name: 'trace context', stop: installTraceContext() });
  lifecycle.add({ name: 'configuration', stop: () => config.close() });
  // The process ends as soon as everything has stopped: what is to be said is said before that.
  void lifecycle.ended.then(({ reason }) => reason.kind === 'failure' && err.write(failureText(reason.error).text));
  attachProcess(lifecycle, { log, host });
  try {
    const metrics = new Metrics({ log });
    const health = new Health({ clock });
    await startRoleAdmin({ config: config.current, health, metrics, lifecycle, clock, log });
    await runRoles([role], { config, version, log, metrics, health, lifecycle, clock });
  } catch (error) {
    await lifecycle.stop({ kind: 'failure', error });
  }
  return exitCodeOf(await lifecycle.ended);
}
