/** What a declaration of a service says of its callers, without what finds out who they are. */
export { accessShape } from './access-settings.ts';
export type { CallerRole, CallerRoles } from './caller-role.ts';
export { sharedTenant } from './tenancy.ts';
