import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog } from '@quartermaster/kernel';
import { startEmbeddedPostgres } from '@quartermaster/store/embedded';

const serverVariable = 'QUARTERMASTER_TEST_DATABASE_URL';

/**
 * Gives the test files of the run one PostgreSQL, by the variable that names a server of one's own: unless that is set already, an embedded
 * server that ends with the run, however that ends. Workers start later and inherit the variable. Returns how to end it.
 */
export async function setup(): Promise<() => Promise<void>> {
  const given = process.env[serverVariable];
  if (given !== undefined && given !== '') return async () => {};
  const directory = await mkdtemp(join(tmpdir(), 'quartermaster-postgres-'));
  const server = await startEmbeddedPostgres({ directory, log: silentLog, isDurable: false });
  process.env[serverVariable] = server.url;
  return async () => {
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  };
}
