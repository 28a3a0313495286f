export type { StatePublisher } from '../declaration/shared-keys.ts';
export { MemoryFuseStore } from '../fuse/fuse-store.ts';
export type { Removable } from '../fuse/removal-fuse.ts';
export { removalsAccess } from '../fuse/removals-service.ts';
export { type FuseOptions, type FuseTerm, RoleFuse } from '../fuse/role-fuse.ts';
export type { RoleDatabase, RoleDatabaseOptions } from './role-database.ts';
export { RoleHost } from './role-host.ts';
export { type LedController, RoleLeadership, type Term } from './role-leadership.ts';
export { type ServeOptions, startRoleServers } from './role-servers.ts';
