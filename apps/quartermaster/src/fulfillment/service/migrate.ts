import { StatusError, systemClock } from '@quartermaster/kernel';
import { databaseSettings } from '@quartermaster/runtime';
import { createLogger, type Role } from '@quartermaster/service';
import { loadRoleConfig, processConfig } from '../../roles/role-config.ts';
import type { Output } from '../../text/output.ts';

/** Brings the database that the settings name to what this release needs, before any process of the release starts. */
export async function migrateDatabase(role: Role, known: readonly Role[], args: readonly string[], { out, err }: Output): Promise<void> {
  const log = createLogger({ destination: err, clock: systemClock });
  const config = await loadRoleConfig({
    roles: [role],
    known,
    others: [processConfig],
    args,
    environment: process.env,
    clock: systemClock,
    log,
  });
  try {
    const { url } = databaseSettings('fulfillment').read(config.current);
    if (url === undefined) {
      throw new StatusError(
        'failed_precondition',
        'no fulfillment-database-url is given: an embedded database is migrated when the service starts',
      );
    }
    const { migrateFulfillment } = await import('@quartermaster/fulfillment');
    await migrateFulfillment(url, { log, clock: systemClock });
    out.write('The database is what this release needs.\n');
  } finally {
    await config.close();
  }
}
