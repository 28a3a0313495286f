import { clusterRole } from '@quartermaster/cluster/roles';
import { consoleRole } from '@quartermaster/console/roles';
import { fulfillmentRole } from '@quartermaster/fulfillment/roles';
import { discoveryRole, inventoryRole } from '@quartermaster/inventory/roles';
import { marketRole } from '@quartermaster/market/roles';
import type { DeclaredRole } from '@quartermaster/runtime';

/**
 * Every role of the product, in the order in which `up` starts them: a role may rely on those before it. This is the one list: a role
 * that is in it has its own command (`roleCommand`), and `up` runs it as its declaration says.
 */
export const roles: readonly DeclaredRole[] = [fulfillmentRole, marketRole, inventoryRole, clusterRole, discoveryRole, consoleRole];
