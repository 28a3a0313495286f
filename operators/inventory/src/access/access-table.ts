import { type AccessTable, accessTable, type MethodAccess } from '@quartermaster/auth';
import { removalsAccess } from '@quartermaster/runtime/host';
import { callerRoles, type Role } from './caller-roles.ts';

const read: MethodAccess<Role> = { callers: ['admin', 'reader'], effect: 'read' };

const { verb, plural, group } = callerRoles.admin.right;
const wayIn = {
  reader: `it requires the role admin: the setting inventory-admins, or in the cluster the right to ${verb} ${plural}.${group}`,
};

/** What is served beside the methods of contracts, by its path. */
export const routes = {
  inventory: '/v1/inventory',
  onlyNode: '/v1/node',
  node: '/v1/node/:name',
  session: '/v1/session',
  metrics: '/metrics',
} as const;

/** Every method and path that the operator serves, and who may call it. What is not in it is closed to everybody. */
export const inventoryAccess: AccessTable = new Map([
  ...accessTable({
    'quartermaster.inventory.v1.InventoryService': {
      GetSnapshot: read,
      WatchInventory: read,
      ListAllocations: read,
      GetStatus: read,
      Explain: read,
    },
    'quartermaster.inventory.v1.InventoryViewsService': { GetView: read, WatchViews: read, Search: read, GetHistory: read },
    'akash.inventory.v1.ClusterRPC': { QueryCluster: read, StreamCluster: read },
    'akash.inventory.v1.NodeRPC': { QueryNode: read, StreamNode: read },
    ...removalsAccess<Role>({ list: ['admin', 'reader'], approve: ['admin'], wayIn }),
  }),
  ...Object.values(routes).map((path) => [path, read] as const),
]);
