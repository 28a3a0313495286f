import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog } from '@quartermaster/kernel';
import pg from 'pg';
import { startEmbeddedPostgres } from '../src/embedded/index.ts';

export interface TestPostgres {
  /** The URL of a new database: a copy of the prepared one, in some 40 ms. */
  createDatabase(): Promise<string>;
  /** Removes everything. Close all connections before. */
  stop(): Promise<void>;
}

export interface TestPostgresOptions {
  /** Runs once, on the database that all others are copies of; closes its connections before it returns. */
  readonly prepare?: ((url: string) => Promise<void>) | undefined;
  /** An embedded server that nobody else uses: for tests that transactions of other databases, which the feed has to wait for, would disturb. */
  readonly isAlone?: boolean | undefined;
}

/** A server for tests, that of the run or one of somebody's own: the URL of a user who may create databases. */
const serverVariable = 'QUARTERMASTER_TEST_DATABASE_URL';

/**
 * Databases for a test file. Nothing of it survives: on a server that is there already all databases that were made are dropped
 * again, and an embedded one, which is started where there is none, keeps no promise about a machine that stops.
 */
export async function startTestPostgres({ prepare, isAlone = false }: TestPostgresOptions = {}): Promise<TestPostgres> {
  const server = await testServer(isAlone ? undefined : process.env[serverVariable]);
  const admin = new pg.Client({ connectionString: server.url });
  const prefix = `qm_test_${randomBytes(6).toString('hex')}`;
  const made: string[] = [];
  const create = async (source: string): Promise<string> => {
    const name = `${prefix}_${made.length}`;
    made.push(name);
    await admin.query(`create database ${name} template ${source}`);
    return withDatabase(server.url, name);
  };
  try {
    await admin.connect();
    const template = await create('template0');
    await prepare?.(template);
  } catch (thrown) {
    await admin.end();
    await server.stop();
    throw thrown;
  }
  return {
    createDatabase: () => create(`${prefix}_0`),
    async stop() {
      if (!server.isOwn) {
        for (const name of made) await drop(admin, name);
      }
      await admin.end();
      await server.stop();
    },
  };
}

/** Waits for the server's own work in the database, such as autovacuum, which force may not end; force is for connections that a test left. */
async function drop(admin: pg.Client, name: string): Promise<void> {
  await admin.query(`drop database if exists ${name}`).catch(() => admin.query(`drop database if exists ${name} with (force)`));
}

async function testServer(
  configured: string | undefined,
): Promise<{ readonly url: string; readonly isOwn: boolean; stop(): Promise<void> }> {
  if (configured !== undefined && configured !== '') return { url: configured, isOwn: false, stop: async () => {} };
  const directory = await mkdtemp(join(tmpdir(), 'quartermaster-postgres-'));
  const server = await startEmbeddedPostgres({ directory, log: silentLog, isDurable: false });
  return {
    url: server.url,
    isOwn: true,
    async stop() {
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function withDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}
