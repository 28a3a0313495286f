import { type Access, type AccessOptions, LocalTokens, openAccess as openServiceAccess, type SecretFileOptions } from '@quartermaster/auth';
import type { Clock } from '@quartermaster/kernel';
import type { AccessSettings } from './access-settings.ts';
import { accessTableOf } from './access-table.ts';
import { callerRoles } from './caller-roles.ts';

const service = 'fulfillment';

/** Who may call the service, as its settings say. */
export async function openAccess(
  options: Omit<AccessOptions<AccessSettings>, 'service' | 'roles' | 'tableOf'>,
): Promise<Access<AccessSettings>> {
  return await openServiceAccess({ ...options, service, roles: callerRoles, tableOf: accessTableOf });
}

/** Tokens that the service accepts, signed with the key in the file; one is made when there is none. */
export async function openLocalTokens(keyFile: string, clock: Clock, file?: SecretFileOptions): Promise<LocalTokens> {
  return await LocalTokens.open(keyFile, { name: service, roles: callerRoles }, clock, file);
}
