export { type AccessSettings, accessShape } from './access-settings.ts';
export { openAccess, openLocalTokens } from './open-access.ts';
