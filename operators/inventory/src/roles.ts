/** The roles alone, without what they are made of. */
export { discoveryRole } from './discovery/agent/discovery-role.ts';
export type { Inventory } from './operator/inventory.ts';
export { inventoryRole, sharedInventory } from './operator/inventory-role.ts';
