import { join } from 'node:path';
import type { PartState } from '@quartermaster/console';
import type { Clock } from '@quartermaster/kernel';
import type { DeclaredRole, ServedRoles } from '@quartermaster/runtime';
import {
  type Health,
  type Lifecycle,
  type Logger,
  type Metrics,
  type RoleStatus,
  runRoles,
  type SharedParts,
} from '@quartermaster/service';
import { version } from '../product/product.ts';
import { loadRoleConfig } from '../roles/role-config.ts';
import { roles as known } from '../roles/roles.ts';
import { takesTokens } from '../roles/token-services.ts';
import { inStep, type Progress } from '../text/progress.ts';
import { folderOfRole } from './data-directory.ts';
import type { PartBoard } from './part-board.ts';

/** What the roles of one `up` have in common. */
export interface RoleSite {
  /** Where each role that keeps data has a directory of its own. */
  readonly dataDirectory: string;
  readonly shared: SharedParts;
  readonly served: ServedRoles;
  readonly metrics: Metrics;
  readonly health: Health;
  readonly parts: PartBoard;
  readonly progress: Progress;
  readonly log: Logger;
  readonly clock: Clock;
  readonly lifecycle: Lifecycle;
}

export interface StartRolesOptions {
  readonly phase: 'alone' | 'on-cluster' | 'last';
  /** Signs the tokens of this installation, which all roles take that ask who calls. */
  readonly keyFile?: string | undefined;
  /** Settings that `up` decides, besides ports and directories. */
  readonly args?: readonly string[] | undefined;
  /** Settings of the installation that somebody may have set otherwise. */
  readonly presets?: readonly string[] | undefined;
  /** What the step says when all of them are ready; their names unless given. */
  readonly detail?: (() => string) | undefined;
}

const stepNames = { alone: 'roles without a cluster', 'on-cluster': 'roles on the cluster', last: 'console' } as const;

const partStates: Readonly<Record<RoleStatus['state'], PartState>> = {
  waiting: 'starting',
  starting: 'starting',
  ready: 'ready',
  retrying: 'degraded',
  failed: 'failed',
  stopping: 'stopped',
  stopped: 'stopped',
};

/** Starts the roles of a phase in this process, on shared parts, each when the one before it is ready. */
export async function startRoles(site: RoleSite, { phase, keyFile, args = [], presets, detail }: StartRolesOptions): Promise<void> {
  const { parts, progress, log, clock, lifecycle, metrics, health, shared } = site;
  const name = stepNames[phase];
  const roles = known.filter(({ declaration }) => declaration.up === phase);
  await inStep(progress, name, async (step) => {
    const decided = [...roles.flatMap((role) => settingsOf(role, site, keyFile)), ...args];
    const config = await loadRoleConfig({ roles, known, others: [], presets, args: decided, environment: process.env, clock, log });
    lifecycle.add({ name: `configuration of ${name}`, stop: () => config.close() });
    await runRoles(roles, {
      version,
      config,
      log,
      metrics,
      health,
      configCheck: `config/${phase}`,
      lifecycle,
      shared,
      clock,
      onState: ({ name: role, state, reason, restarts }) => {
        if (state === 'starting') step.update(role);
        parts.set(role, 'role', { state: partStates[state], reason, facts: restarts === 0 ? {} : { restarts: String(restarts) } });
      },
    });
    return { result: undefined, detail: detail?.() ?? roles.map((role) => role.name).join(', ') };
  });
}

/** Whoever asks finds the addresses in the run file, so that two installations never want the same port. */
function settingsOf(role: DeclaredRole, { dataDirectory }: RoleSite, keyFile: string | undefined): string[] {
  const { prefix } = role.declaration;
  const given = (name: string, value: string | undefined): string[] => (value === undefined ? [] : [`--${prefix}-${name}`, value]);
  // One that is given again later counts.
  const ports = role.portFlags.flatMap((flag) => [flag, '0']);
  const folder = folderOfRole(role);
  return [
    ...ports,
    ...given('data-directory', folder && join(dataDirectory, folder)),
    ...given('local-key-file', takesTokens(role) ? keyFile : undefined),
  ];
}
