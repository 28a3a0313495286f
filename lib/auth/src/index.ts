export type { AccessPolicy, KnownCaller } from './access-policy.ts';
export { type AccessSettings, serviceAccountAudiences } from './access-settings.ts';
export { type AccessTable, accessTable, type MethodAccess, mayCall, rightsOf } from './access-table.ts';
export type { RefusedWrite, ReviewRight, ReviewToken, TokenOwner } from './authenticator.ts';
export { guardStreams } from './guard-streams.ts';
export { type LocalTokenOptions, LocalTokens } from './local-tokens.ts';
export { type Access, type AccessOptions, openAccess } from './open-access.ts';
export { type Principal, type PrincipalIdentity, principalOf, type Tenants } from './principal.ts';
export { readOrMake, type SecretFileOptions } from './secret-file.ts';
export { sessionHandlers } from './session-handlers.ts';
export { isSourceName, sourceNameRule } from './source-name.ts';
export {
  hasTenant,
  isOwn,
  isVisible,
  reservedTenants,
  sharedTenant,
  tenantsForCreate,
  tenantsForUpdate,
  visibleOf,
} from './tenancy.ts';
export { TokenVerifier } from './token-verifier.ts';
