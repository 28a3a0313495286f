import { readdir, readFile } from 'node:fs/promises';
import { basename, join, posix } from 'node:path';
import { type Clock, codeOf, type Log, StatusError, sleep, systemClock } from '@quartermaster/kernel';
import pg from 'pg';
import { type ConnectionOptions, checkUrl, connectionConfig } from './connection.ts';
import { databaseFailure, isRetryable, toStatusError } from './database-failure.ts';
import { lockKey } from './lock-key.ts';
import { type AppliedMigration, type MigrationFile, planMigrations } from './migration-plan.ts';

/** Migrations of a library, beside those of the service. They have a history of their own: `store/0001_changes_archive_secrets`. */
export interface MigrationSet {
  readonly name: string;
  readonly directory: string;
}

export interface MigrateOptions {
  /** Holds `0001_name.sql`, `0002_…` of the service: run in this order, each in a transaction of its own, forward only. */
  readonly directory: string;
  /** Run after those of the service: a library takes over what migrations of the service made before the library had its own. */
  readonly libraries?: readonly MigrationSet[] | undefined;
  readonly log: Log;
  readonly clock?: Clock | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface Migration extends MigrationFile {
  readonly sql: string;
}

const table = 'migrations';
const breakingTable = 'migrations_breaking';
const lock = lockKey('quartermaster/migrations');
const pollIntervalMs = 200;
/** Less than PostgreSQL waits before it looks for deadlocks, a second: a migration gives way, and with it go all that queue behind it. */
const lockTimeoutMs = 500;
const retryIntervalMs = 1_000;
const lockNotAvailable = '55P03';
const breaksPrevious = /^--[ \t]*breaks:[ \t]*previous[ \t]*$/im;

/**
 * Brings the database to what this release needs. Any number of processes may do this at the same time: one works, the others wait for it. A migration that fails leaves
 * nothing of itself, and those before it in place. Returns the names of those that were run.
 */
export async function migrate(database: ConnectionOptions, options: MigrateOptions): Promise<readonly string[]> {
  checkUrl(database.url);
  const { directory, libraries = [] } = options;
  const sets = await Promise.all([{ name: '', directory }, ...libraries].map(readMigrations));
  const client = new pg.Client(connectionConfig(database, { statementTimeoutMs: 0, idleInTransactionMs: 0 }));
  // What runs then fails by itself.
  client.on('error', () => {});
  try {
    await client.connect();
    await takeLock(client, options);
    // All of them before any runs: what is refused changes nothing.
    const applied = await readApplied(client);
    refuseUnknownSets(applied, new Set(sets.map(({ set }) => set)));
    for (const { set, files } of sets) planMigrations(files, ofSet(applied, set));
    const done: string[] = [];
    for (const migrations of sets) done.push(...(await bringForward(client, migrations, applied, options)));
    return done;
  } catch (thrown) {
    options.signal?.throwIfAborted();
    throw toStatusError(thrown);
  } finally {
    await client.end().catch(() => {});
  }
}

async function readMigrations({
  name: set,
  directory,
}: MigrationSet): Promise<{ readonly set: string; readonly files: readonly Migration[] }> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.sql')).toSorted();
  const read = async (name: string): Promise<Migration> => {
    if (!/^\d{4}_[a-z0-9_]+\.sql$/.test(name))
      throw new StatusError('internal', `migration file "${name}" is not named like 0001_what_it_does.sql`);
    const sql = await readFile(join(directory, name), 'utf8');
    return { name: posix.join(set, basename(name, '.sql')), isBreaking: breaksPrevious.test(sql), sql };
  };
  return { set, files: await Promise.all(names.map(read)) };
}

/** Asks again and again, instead of waiting in PostgreSQL: a statement that waits there holds a snapshot, for which building an index in the background would wait in turn. */
async function takeLock(client: pg.Client, { log, clock = systemClock, signal }: MigrateOptions): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    const { rows } = await client.query<{ taken: boolean }>(`select pg_try_advisory_lock(${lock}) as taken`);
    if (rows[0]?.taken === true) return;
    if (attempt === 0) log.info('another process is migrating the database; waiting for it');
    await sleep(clock, pollIntervalMs, signal);
  }
}

async function bringForward(
  client: pg.Client,
  { set, files }: Awaited<ReturnType<typeof readMigrations>>,
  applied: readonly AppliedMigration[],
  options: MigrateOptions,
): Promise<readonly string[]> {
  const { log, clock = systemClock, signal } = options;
  const { pending, newer } = planMigrations(files, ofSet(applied, set));
  if (newer.length > 0) log.info('the database was migrated by a newer release and is compatible with this one', { newer });
  const missing = files.filter(({ name }) => pending.includes(name));
  // Before they run: should this process die in between, an earlier release asks only about those that did.
  const breaking = missing.filter(({ isBreaking }) => isBreaking).map(({ name }) => name);
  if (breaking.length > 0)
    await client.query(`insert into ${breakingTable} (name) select unnest($1::text[]) on conflict do nothing`, [breaking]);
  for (const [index, migration] of missing.entries()) {
    signal?.throwIfAborted();
    const startedAt = clock.monotonic();
    log.info('migrating the database', { migration: migration.name, number: index + 1, of: missing.length });
    await runUnlocked(client, migration, options);
    log.info('migrated the database', { migration: migration.name, durationMs: Math.round(clock.monotonic() - startedAt) });
  }
  return pending;
}

const ofSet = (applied: readonly AppliedMigration[], set: string): readonly AppliedMigration[] =>
  applied.filter(({ name }) => setOf(name) === set);

/** A library that only a newer release has may break this one as well. */
function refuseUnknownSets(applied: readonly AppliedMigration[], known: ReadonlySet<string>): void {
  planMigrations(
    [],
    applied.filter(({ name }) => !known.has(setOf(name))),
  );
}

/** Those of the service itself have no set before their names. */
function setOf(name: string): string {
  return name.includes('/') ? (name.split('/')[0] ?? '') : '';
}

async function readApplied(client: pg.Client): Promise<readonly AppliedMigration[]> {
  await client.query(
    `create table if not exists ${breakingTable} (name text primary key);
    create table if not exists ${table} (id serial primary key, name varchar(255) not null, run_on timestamp not null)`,
  );
  const { rows } = await client.query<{ name: string; breaking: boolean }>(
    `select name, exists (select from ${breakingTable} as b where b.name = m.name) as breaking from ${table} as m order by id`,
  );
  return rows.map(({ name, breaking }) => ({ name, isBreaking: breaking }));
}

/** Replicas of the release before go on writing while it runs. Where they hold its tables, or wait for each other, it is undone and tried again until it finds room. */
async function runUnlocked(client: pg.Client, migration: Migration, { log, clock = systemClock, signal }: MigrateOptions): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await runOne(client, migration);
      return;
    } catch (thrown) {
      if (!isRetryable(thrown) && databaseFailure(thrown)?.sqlState !== lockNotAvailable) throw thrown;
      const message = 'migration cannot lock its tables, which other sessions use; retrying (see pg_stat_activity for long transactions)';
      log.warn(message, { migration: migration.name, attempt });
      await client.query('rollback');
      await sleep(clock, retryIntervalMs, signal);
    }
  }
}

async function runOne(client: pg.Client, { name, sql }: Migration): Promise<void> {
  try {
    await client.query(`begin; set local lock_timeout = ${lockTimeoutMs}`);
    await client.query(sql);
    await client.query(`insert into ${table} (name, run_on) values ($1, now())`, [name]);
    await client.query('commit');
  } catch (thrown) {
    const error = toStatusError(thrown);
    if (codeOf(error) === 'unavailable') throw error;
    // Migrations are texts of ours without values, so what PostgreSQL says of them may be shown.
    const sentence = thrown instanceof Error ? thrown.message : error.message;
    throw new StatusError('internal', `migration "${name}" failed and was rolled back: ${sentence}`);
  }
}
