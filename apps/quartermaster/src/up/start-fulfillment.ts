import { StatusError } from '@quartermaster/kernel';
import { SharedParts } from '@quartermaster/service';
import { rolesOfUp } from '../roles/roles.ts';
import type { RunningFulfillment } from '../roles/running-fulfillment.ts';
import { sharedFulfillment } from '../roles/shared-keys.ts';
import { Slot } from '../roles/slot.ts';
import type { DataDirectory } from './data-directory.ts';
import { LocalAccess } from './local-access.ts';
import { type StartRolesOptions, startRoles } from './start-roles.ts';

export interface UpFulfillment {
  readonly running: RunningFulfillment;
  readonly access: LocalAccess;
}

export interface StartFulfillmentOptions extends Pick<StartRolesOptions, 'parts' | 'progress' | 'log' | 'clock' | 'lifecycle'> {
  readonly directory: DataDirectory;
}

/** Starts the fulfillment service on its database: an embedded one in the data directory, unless the settings name another. Needs no cluster. */
export async function startFulfillment({ directory, ...options }: StartFulfillmentOptions): Promise<UpFulfillment> {
  const access = await LocalAccess.open(directory.fulfillment, options.clock);
  const slot = new Slot<RunningFulfillment>();
  const shared = new SharedParts();
  shared.provide(sharedFulfillment, slot);
  // Whoever asks finds the addresses in the run file, so that two installations never want the same port.
  const anyPorts = ['grpc', 'rest', 'certificate'].flatMap((name) => [`--fulfillment-${name}-port`, '0']);
  const args = ['--fulfillment-data-directory', directory.fulfillment, '--fulfillment-local-key-file', access.keyFile, ...anyPorts];
  await startRoles({ ...options, step: 'fulfillment', roles: rolesOfUp.alone, args, shared });
  const running = slot.current;
  if (running === undefined) throw new StatusError('internal', 'the fulfillment service does not say where it serves');
  return { running, access };
}
