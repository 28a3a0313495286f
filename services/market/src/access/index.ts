export { type AccessSettings, accessShape } from './access-settings.ts';
export { accountFor, providerOf } from './account-of.ts';
export { ensureTokenKey, openAccess } from './open-access.ts';
