import type { PartState } from '@quartermaster/console';
import type { Clock } from '@quartermaster/kernel';
import {
  Health,
  type Lifecycle,
  type Logger,
  Metrics,
  type Role,
  type RoleStatus,
  runRoles,
  type SharedParts,
} from '@quartermaster/service';
import type { PartBoard } from '../console/part-board.ts';
import { loadRoleConfig } from '../roles/role-config.ts';
import { roles as known } from '../roles/roles.ts';
import { inStep, type Progress } from '../text/progress.ts';

export interface StartRolesOptions {
  /** What the step is called. */
  readonly step: string;
  readonly roles: readonly Role[];
  /** Settings that `up` decides. */
  readonly args: readonly string[];
  readonly shared: SharedParts;
  readonly parts: PartBoard;
  readonly progress: Progress;
  readonly log: Logger;
  readonly clock: Clock;
  readonly lifecycle: Lifecycle;
}

const partStates: Readonly<Record<RoleStatus['state'], PartState>> = {
  waiting: 'starting',
  starting: 'starting',
  ready: 'ready',
  retrying: 'degraded',
  failed: 'failed',
  stopping: 'stopped',
  stopped: 'stopped',
};

/** Starts roles in this process, on shared parts, each when the one before it is ready. */
export async function startRoles({
  step: name,
  roles,
  args,
  shared,
  parts,
  progress,
  log,
  clock,
  lifecycle,
}: StartRolesOptions): Promise<void> {
  await inStep(progress, name, async (step) => {
    const config = await loadRoleConfig({ roles, known, others: [], args, environment: process.env, clock, log });
    lifecycle.add({ name: `configuration of ${name}`, stop: () => config.close() });
    await runRoles(roles, {
      config,
      log,
      metrics: new Metrics(),
      health: new Health({ clock }),
      lifecycle,
      shared,
      clock,
      onState: ({ name: role, state, reason, restarts }) => {
        if (state === 'starting') step.update(role);
        parts.set(role, 'role', { state: partStates[state], reason, facts: restarts === 0 ? {} : { restarts: String(restarts) } });
      },
    });
    return { result: undefined, detail: roles.map((role) => role.name).join(', ') };
  });
}
