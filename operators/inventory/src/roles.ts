/** The roles alone, without what they are made of. */
export { discoveryRole } from './discovery/agent/discovery-role.ts';
export { inventoryRole, sharedAgents } from './operator/inventory-role.ts';
