import { type Access, type AccessOptions, LocalTokens, openAccess as openServiceAccess } from '@quartermaster/auth';
import type { Clock } from '@quartermaster/kernel';
import type { AccessSettings } from './access-settings.ts';
import { marketAccess } from './access-table.ts';
import { callerRoles } from './caller-roles.ts';

const service = 'market';

/** Who may call the service, as its settings say. */
export async function openAccess(
  options: Omit<AccessOptions<AccessSettings>, 'service' | 'roles' | 'tableOf'>,
): Promise<Access<AccessSettings>> {
  return await openServiceAccess({ ...options, service, roles: callerRoles, tableOf: () => marketAccess });
}

/** Makes sure that there is a key of local tokens which can be used. */
export async function ensureTokenKey(keyFile: string, clock: Clock): Promise<void> {
  await LocalTokens.open(keyFile, { name: service, roles: callerRoles }, clock);
}
