/** The role alone, without what it is made of. */
export { clusterRole, sharedInventoryToken, sharedMarketToken } from './cluster-role.ts';
