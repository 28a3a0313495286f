/**
 * A role is something that the executable can run, alone or beside others in one process: an operator, a service, an agent. Adding one
 * means writing an object of this type and putting it into the executable's list.
 */
import { type BackoffOptions, type Clock, type Random, StatusError } from '@quartermaster/kernel';
import type { ConfigDefinition, ConfigValues } from './config/define-config.ts';
import type { HealthRegistry } from './health.ts';
import type { StopDeadline } from './lifecycle.ts';
import type { Logger } from './logger.ts';
import type { Metrics } from './metrics.ts';
import type { Deployment } from './read-manifests.ts';
import type { SharedParts } from './shared-parts.ts';

export interface Role<C extends ConfigValues = ConfigValues> {
  /** Kebab-case. On the command line, in logs, metrics and health. */
  readonly name: string;
  /** One sentence for the help text. */
  readonly summary: string;
  readonly config: ConfigDefinition<C>;
  /** How long to wait before it is started again after a failure. Without it a failure stops the process. */
  readonly restart?: BackoffOptions | undefined;
  /** What it needs in a cluster. Absent for a role that does not run in one. */
  readonly deployment?: Deployment | undefined;

  /**
   * Starts working and resolves when it has begun; `ready` of the handle tells when it is of use. May be called again after a failure,
   * but never while an earlier one runs. A failure is thrown, and then nothing may be left running.
   */
  start(context: RoleContext<C>): Promise<RoleHandle>;
}

export interface RoleContext<C extends ConfigValues = ConfigValues> {
  /** As it was when the role was started. */
  readonly config: C;
  /** Told when reloadable keys of this role changed. Ends with the role. */
  readonly onConfig: (listener: (config: C, changed: readonly string[]) => void) => void;
  /** Of the executable. */
  readonly version: string;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Checks registered here carry the role's name and end with it. */
  readonly health: HealthRegistry;
  readonly clock: Clock;
  readonly random: Random;
  /** Aborts when a start is to be given up, and when the role has to be gone: after `stop` has returned or run out of time. */
  readonly signal: AbortSignal;
  readonly shared: SharedParts;
  /** Says that the role can no longer work. It is stopped, and started again if it may be. Only the first call of a start counts. */
  readonly fail: (thrown: unknown) => void;
}

export interface RoleHandle {
  /** Resolves when the role is of use: caches complete, ports open. Rejects when it never will be. Without it, it is at once. */
  ready?(signal: AbortSignal): Promise<void>;
  /** Finishes what was begun and takes nothing new. Called once. */
  stop(deadline: StopDeadline): void | Promise<void>;
  /** Facts for people, as JSON. */
  status?(): unknown;
}

export interface RoleStatus {
  readonly name: string;
  readonly summary: string;
  readonly state: 'waiting' | 'starting' | 'ready' | 'retrying' | 'failed' | 'stopping' | 'stopped';
  /** When it came to this state, in milliseconds since the epoch. */
  readonly since: number;
  /** How often it was started again. */
  readonly restarts: number;
  /** Why it is not ready, or why it was last started again. */
  readonly reason?: string | undefined;
  /** What the role says itself. */
  readonly detail?: unknown;
}

/** A role whose `start` knows the types of its settings without repeating them. A bad name is a bug and throws. */
export function defineRole<C extends ConfigValues>(role: Role<C>): Role<C> {
  if (/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(role.name)) return role;
  throw new StatusError('internal', `role ${JSON.stringify(role.name)} must have a kebab-case name, such as ip-allocator`);
}
