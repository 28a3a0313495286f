import { join } from 'node:path';
import { silentLog } from '@quartermaster/kernel';
import { type Database, migrate, openDatabase } from '@quartermaster/store';
import { guardChanges, startTestPostgres } from '@quartermaster/store/embedded';

export interface TestDatabases {
  /** A new database with all tables of the service. */
  open(): Promise<Database>;
  /** Closes all of them. */
  stop(): Promise<void>;
}

/** PostgreSQL for a test file. */
export async function startTestDatabases(): Promise<TestDatabases> {
  const directory = join(import.meta.dirname, '../migrations');
  const prepare = async (url: string): Promise<void> => {
    await migrate({ url }, { directory, log: silentLog });
    await guardChanges(url);
  };
  const postgres = await startTestPostgres({ prepare });
  const opened: Database[] = [];
  return {
    open: async () => {
      const database = openDatabase({ url: await postgres.createDatabase(), poolSize: 4, log: silentLog });
      opened.push(database);
      return database;
    },
    stop: async () => {
      await Promise.all(opened.map((database) => database.close()));
      await postgres.stop();
    },
  };
}
