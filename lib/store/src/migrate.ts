import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Clock, codeOf, type Log, StatusError, sleep, systemClock } from '@quartermaster/kernel';
import pg from 'pg';
import { type ConnectionOptions, checkUrl, connectionConfig } from './connection.ts';
import { toStatusError } from './database-failure.ts';
import { lockKey } from './lock-key.ts';
import { type AppliedMigration, type MigrationFile, planMigrations } from './migration-plan.ts';

export interface MigrateOptions {
  /** Holds `0001_name.sql`, `0002_…`: run in this order, each in a transaction of its own, forward only. */
  readonly directory: string;
  readonly log: Log;
  readonly clock?: Clock | undefined;
  readonly signal?: AbortSignal | undefined;
}

const table = 'migrations';
const breakingTable = 'migrations_breaking';
const lock = lockKey('quartermaster/migrations');
const lookEveryMs = 200;
const breaksPrevious = /^--[ \t]*breaks:[ \t]*previous[ \t]*$/im;

/**
 * Brings the database to what this release needs. Any number of processes may do this at the same time: one works, the others wait for it. A migration that fails leaves
 * nothing of itself, and those before it in place. Returns the names of those that were run.
 */
export async function migrate(database: ConnectionOptions, options: MigrateOptions): Promise<readonly string[]> {
  checkUrl(database.url);
  const files = await readMigrations(options.directory);
  const client = new pg.Client(connectionConfig(database, { statementTimeoutMs: 0, idleInTransactionMs: 0 }));
  // What runs then fails by itself.
  client.on('error', () => {});
  try {
    await client.connect();
    await takeLock(client, options);
    return await bringForward(client, files, options);
  } catch (thrown) {
    options.signal?.throwIfAborted();
    throw toStatusError(thrown);
  } finally {
    await client.end().catch(() => {});
  }
}

async function readMigrations(directory: string): Promise<readonly MigrationFile[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.sql')).toSorted();
  return Promise.all(
    names.map(async (name) => {
      if (!/^\d{4}_[a-z0-9_]+\.sql$/.test(name))
        throw new StatusError('internal', `migration file "${name}" is not named like 0001_what_it_does.sql`);
      return { name: basename(name, '.sql'), isBreaking: breaksPrevious.test(await readFile(join(directory, name), 'utf8')) };
    }),
  );
}

/** Asks again and again, instead of waiting in PostgreSQL: a statement that waits there holds a snapshot, for which building an index in the background would wait in turn. */
async function takeLock(client: pg.Client, { log, clock = systemClock, signal }: MigrateOptions): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    const { rows } = await client.query<{ taken: boolean }>(`select pg_try_advisory_lock(${lock}) as taken`);
    if (rows[0]?.taken === true) return;
    if (attempt === 0) log.info('another process migrates the database; waiting for it');
    await sleep(clock, lookEveryMs, signal);
  }
}

async function bringForward(client: pg.Client, files: readonly MigrationFile[], options: MigrateOptions): Promise<readonly string[]> {
  const { log, clock = systemClock, signal } = options;
  const { pending, newer } = planMigrations(files, await readApplied(client));
  if (newer.length > 0) log.info('the database is of a newer release, which left this one working', { newer });
  if (pending.length === 0) return [];
  // Before they run: should this process die in between, an earlier release asks only about those that did.
  const breaking = files.filter((file) => file.isBreaking && pending.includes(file.name)).map((file) => file.name);
  await client.query(`insert into ${breakingTable} (name) select unnest($1::text[]) on conflict do nothing`, [breaking]);
  for (const [index, name] of pending.entries()) {
    signal?.throwIfAborted();
    const startedAt = clock.monotonic();
    log.info('migrating the database', { migration: name, number: index + 1, of: pending.length });
    await runOne(client, name, options.directory);
    log.info('migrated the database', { migration: name, durationMs: Math.round(clock.monotonic() - startedAt) });
  }
  return pending;
}

async function readApplied(client: pg.Client): Promise<readonly AppliedMigration[]> {
  await client.query(`create table if not exists ${breakingTable} (name text primary key)`);
  const { rows: tables } = await client.query(`select from pg_tables where schemaname = current_schema() and tablename = '${table}'`);
  if (tables.length === 0) return [];
  const { rows } = await client.query<{ name: string; breaking: boolean }>(
    `select name, exists (select from ${breakingTable} as b where b.name = m.name) as breaking from ${table} as m order by id`,
  );
  return rows.map(({ name, breaking }) => ({ name, isBreaking: breaking }));
}

async function runOne(client: pg.Client, name: string, directory: string): Promise<void> {
  // Loaded when there is something to do: most starts find everything done.
  const { runner } = await import('node-pg-migrate');
  try {
    await runner({
      dbClient: client,
      dir: directory,
      file: name,
      direction: 'up',
      migrationsTable: table,
      // What is not a migration beside them is not run.
      ignorePattern: '(?!.*\\.sql$).*',
      checkOrder: false,
      noLock: true,
      log: () => {},
    });
  } catch (thrown) {
    const error = toStatusError(thrown);
    if (codeOf(error) === 'unavailable') throw error;
    // Migrations are texts of ours without values, so what PostgreSQL says of them may be shown.
    const sentence = thrown instanceof Error ? thrown.message : error.message;
    throw new StatusError('internal', `migration "${name}" failed and left nothing behind: ${sentence}`);
  }
}
