import { silentLog } from '@quartermaster/kernel';
import { type Database, type DatabaseObserver, openDatabase } from '@quartermaster/store';
import { guardChanges, startTestPostgres } from '@quartermaster/store/testing';
import { migrateFulfillment } from '../src/serve/fulfillment.ts';

export interface TestDatabases {
  /** A new database with all tables of the service. */
  open(observer?: DatabaseObserver): Promise<Database>;
  /** Closes all of them. */
  stop(): Promise<void>;
}

/** PostgreSQL for a test file. */
export async function startTestDatabases(): Promise<TestDatabases> {
  const prepare = async (url: string): Promise<void> => {
    await migrateFulfillment(url, { log: silentLog });
    await guardChanges(url);
  };
  const postgres = await startTestPostgres({ prepare });
  const opened: Database[] = [];
  return {
    open: async (observer) => {
      const database = openDatabase({ url: await postgres.createDatabase(), poolSize: 4, log: silentLog, observer });
      opened.push(database);
      return database;
    },
    stop: async () => {
      await Promise.all(opened.map((database) => database.close()));
      await postgres.stop();
    },
  };
}
