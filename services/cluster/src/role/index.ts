/** The role alone, without what it is made of. */
export { clusterRole, sharedInventoryToken } from './cluster-role.ts';
