import { fulfillmentRole } from '@quartermaster/fulfillment/roles';
import { StatusError } from '@quartermaster/kernel';
import type { ServedAddresses } from '@quartermaster/runtime';
import type { DataDirectory } from './data-directory.ts';
import { LocalAccess } from './local-access.ts';
import { type RoleSite, startRoles } from './start-roles.ts';

export interface UpFulfillment {
  /** Where it serves now. */
  readonly served: () => ServedAddresses;
  readonly access: LocalAccess;
}

/** Starts what needs no cluster: the fulfillment service on its database, with tokens for those who use this machine. */
export async function startAlone(site: RoleSite, directory: DataDirectory): Promise<UpFulfillment> {
  const access = await LocalAccess.open(directory.fulfillment, site.clock);
  await startRoles(site, { step: 'fulfillment', phase: 'alone', args: ['--fulfillment-local-key-file', access.keyFile] });
  const served = (): ServedAddresses => {
    const found = site.served.of(fulfillmentRole.name);
    if (found === undefined) throw new StatusError('internal', 'the address of the fulfillment service is not known');
    return found;
  };
  return { served, access };
}
