import { fulfillmentRole } from '@quartermaster/fulfillment/roles';
import { StatusError } from '@quartermaster/kernel';
import type { ServedAddresses } from '@quartermaster/runtime';
import type { LocalAccess } from './local-access.ts';
import { type RoleSite, startRoles } from './start-roles.ts';

export interface UpFulfillment {
  /** Where it serves now. Throws while it is started again. */
  readonly served: () => ServedAddresses;
  readonly access: LocalAccess;
}

/** Starts the roles that need no cluster. */
export async function startAlone(site: RoleSite, opening: Promise<LocalAccess>): Promise<UpFulfillment> {
  const access = await opening;
  await startRoles(site, { phase: 'alone', keyFile: access.keyFile });
  const served = (): ServedAddresses => {
    const found = site.served.of(fulfillmentRole.name);
    if (found === undefined) throw new StatusError('unavailable', 'the fulfillment service is being started again: try again in a moment');
    return found;
  };
  return { served, access };
}
