import { createMemoryBus } from '@quartermaster/bus';
import type { PartState } from '@quartermaster/console';
import type { Clock } from '@quartermaster/kernel';
import type { KubeClient } from '@quartermaster/kube';
import { Health, type Lifecycle, type Logger, Metrics, type Role, type RoleStatus, runRoles, SharedParts } from '@quartermaster/service';
import type { PartBoard } from '../console/part-board.ts';
import { loadRoleConfig } from '../roles/role-config.ts';
import type { InventorySlot } from '../roles/running-inventory.ts';
import { sharedBus, sharedInventory, sharedKubeClient } from '../roles/shared-keys.ts';
import { inStep, type Progress } from '../text/progress.ts';

export interface StartRolesOptions {
  readonly roles: readonly Role[];
  /** Every role that there is: a configuration file may speak of those that do not run here. */
  readonly known: readonly Role[];
  readonly inventory: InventorySlot;
  readonly client: KubeClient;
  readonly parts: PartBoard;
  readonly progress: Progress;
  readonly log: Logger;
  readonly clock: Clock;
  readonly lifecycle: Lifecycle;
}

/** Whoever asks finds the addresses in the run file, so that two installations never want the same port. */
const anyPorts = ['--inventory-grpc-port', '0', '--inventory-rest-port', '0'];

const partStates: Readonly<Record<RoleStatus['state'], PartState>> = {
  waiting: 'starting',
  starting: 'starting',
  ready: 'ready',
  retrying: 'degraded',
  failed: 'failed',
  stopping: 'stopped',
  stopped: 'stopped',
};

/** Starts every role in this process, on shared parts, each when the one before it is ready. */
export async function startRoles({
  roles,
  known,
  inventory,
  client,
  parts,
  progress,
  log,
  clock,
  lifecycle,
}: StartRolesOptions): Promise<void> {
  if (roles.length === 0) return;
  await inStep(progress, 'roles', async (step) => {
    const config = await loadRoleConfig({ roles, known, others: [], args: anyPorts, environment: process.env, clock, log });
    lifecycle.add({ name: 'configuration', stop: () => config.close() });
    const shared = new SharedParts();
    const bus = createMemoryBus({ clock });
    lifecycle.add({ name: 'bus', stop: () => bus.close() });
    shared.provide(sharedKubeClient, client);
    shared.provide(sharedBus, bus);
    shared.provide(sharedInventory, inventory);
    await runRoles(roles, {
      config,
      log,
      metrics: new Metrics(),
      health: new Health({ clock }),
      lifecycle,
      shared,
      clock,
      onState: ({ name, state, reason, restarts }) => {
        if (state === 'starting') step.update(name);
        parts.set(name, 'role', { state: partStates[state], reason, facts: restarts === 0 ? {} : { restarts: String(restarts) } });
      },
    });
    return { result: undefined, detail: roles.map(({ name }) => name).join(', ') };
  });
}
