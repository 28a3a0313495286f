export type { AccessPolicy, Subject } from './access-policy.ts';
export { type AccessSettings, accessPolicyOf, accessShape } from './access-settings.ts';
export { accessTable, type MethodAccess, mayCall, rightsOf } from './access-table.ts';
export type { RefusedWrite } from './authenticator.ts';
export { guardStreams } from './guard-streams.ts';
export { type LocalTokenOptions, LocalTokens } from './local-tokens.ts';
export { type Access, type AccessOptions, openAccess } from './open-access.ts';
export { type Principal, type PrincipalIdentity, principalOf, type Role, roles, type Tenants } from './principal.ts';
export { sessionsService } from './sessions-service.ts';
export {
  hasTenant,
  isVisible,
  reservedTenants,
  sharedTenant,
  tenantsForCreate,
  tenantsForUpdate,
  visibleOf,
} from './tenancy.ts';
