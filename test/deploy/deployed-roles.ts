import { clusterRole } from '@quartermaster/cluster/roles';
import { consoleRole } from '@quartermaster/console/roles';
import { fulfillmentRole } from '@quartermaster/fulfillment/roles';
import { discoveryRole, inventoryRole } from '@quartermaster/inventory/roles';
import { marketRole } from '@quartermaster/market/roles';
import type { Role } from '@quartermaster/service';

export interface DeployedRole {
  readonly role: Pick<Role, 'name' | 'deployment'>;
  /** Whether its pods may reach into their node: agents read what only root may read. */
  readonly isPrivileged: boolean;
}

/** Every role that runs in a cluster. They are declared here, not started. */
export const deployedRoles = {
  fulfillment: { role: fulfillmentRole, isPrivileged: false },
  market: { role: marketRole, isPrivileged: false },
  inventory: { role: inventoryRole, isPrivileged: false },
  cluster: { role: clusterRole, isPrivileged: false },
  discovery: { role: discoveryRole, isPrivileged: true },
  console: { role: consoleRole, isPrivileged: false },
} as const satisfies Record<string, DeployedRole>;
