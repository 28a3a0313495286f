import { discoveryRole } from '@quartermaster/inventory/roles';
import type { Role } from '@quartermaster/service';
import { fulfillment } from './fulfillment.ts';
import { inventory } from './inventory.ts';

/**
 * Every role of the product, in the order in which `up` starts them: a role may rely on those before it. This is the one list: a role
 * that is in it has its own command and shows in the console.
 */
export const roles: readonly Role[] = [fulfillment, inventory, discoveryRole];

/** The roles that `up` runs itself: those that need no cluster, and those that work on one. Agents run where the cluster puts them. */
export const rolesOfUp: { readonly alone: readonly Role[]; readonly onCluster: readonly Role[] } = {
  alone: [fulfillment],
  onCluster: [inventory],
};
