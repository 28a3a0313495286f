export type { RoleBus, StatePublisher } from '../declaration/shared-keys.ts';
export { type EmbeddedDatabase, EmbeddedServers } from './embedded-servers.ts';
export { openKeyRing } from './key-ring-file.ts';
export { RoleCaches, type StaleCache } from './role-caches.ts';
export type { RoleDatabase, RoleDatabaseOptions } from './role-database.ts';
export { RoleHost } from './role-host.ts';
export { type LedController, RoleLeadership, type Term } from './role-leadership.ts';
export { type ServeOptions, type ServerHost, startRoleServers } from './role-servers.ts';
