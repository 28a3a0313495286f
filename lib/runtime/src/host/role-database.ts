import { join } from 'node:path';
import { failed, healthy, type Metrics } from '@quartermaster/service';
import {
  type Database,
  type DatabaseObserver,
  type MigrateOptions,
  migrate,
  openDatabase,
  type Revealable,
  type SecretKeyRing,
} from '@quartermaster/store';
import type { DatabaseConfig } from '../declaration/database-settings.ts';
import { sharedPostgresDirectory } from '../declaration/shared-keys.ts';
import { type EmbeddedServers, embeddedServers } from './embedded-servers.ts';
import { type KeyRingStatus, openKeyRing } from './key-ring-file.ts';
import type { RoleHost } from './role-host.ts';

export interface RoleDatabaseOptions {
  readonly migrations: Pick<MigrateOptions, 'directory' | 'libraries'>;
  /** Its name on an embedded server. The prefix of the role unless given. */
  readonly embeddedName?: string | undefined;
}

export interface RoleDatabase {
  readonly database: Database;
  /** What encrypts secrets. Those of a file follow it. */
  readonly keys: SecretKeyRing;
  keyRingStatus(): KeyRingStatus;
  readonly config: DatabaseConfig;
}

type Host = Pick<RoleHost, 'prefix' | 'shared' | 'clock' | 'random' | 'log' | 'health' | 'metrics' | 'keep' | 'signal'>;

/** Opens the database of the settings, or one on the embedded server of its data directory, and brings it to what this release needs. */
export async function openRoleDatabase(
  host: Host,
  config: DatabaseConfig,
  { migrations, embeddedName }: RoleDatabaseOptions,
): Promise<RoleDatabase> {
  const { clock, random, log, signal, health, metrics, prefix } = host;
  const ring = await openKeyRing(config, { clock, log });
  host.keep('key ring', () => ring.close());
  health.register('key ring', 'ready', () => ring.check());
  const url = config.url ?? (await embeddedUrl(host, config, embeddedName ?? prefix));
  await migrate({ url }, { ...migrations, log, clock, signal });
  const observer = statementMetrics(metrics, prefix);
  const database = openDatabase({ url, poolSize: config.connections, observer, clock, random, log });
  host.keep('database', () => database.close());
  host.keep('figures of the database', connectionMetrics(metrics, prefix, database));
  health.register('database', 'ready', () => (database.isReachable() ? healthy : failed('the database cannot be reached')));
  return { database, keys: ring.keys, keyRingStatus: () => ring.status(), config };
}

async function embeddedUrl(host: Host, { dataDirectory = '.' }: DatabaseConfig, database: string): Promise<Revealable> {
  const servers: EmbeddedServers = embeddedServers(host.shared);
  const directory = host.shared.find(sharedPostgresDirectory) ?? join(dataDirectory, 'postgres');
  const lease = await servers.open({ directory, database, clock: host.clock, log: host.log });
  host.keep('embedded PostgreSQL', () => lease.close());
  return { reveal: () => lease.url };
}

function statementMetrics(metrics: Metrics, prefix: string): DatabaseObserver {
  const statements = metrics.histogram({
    name: `quartermaster_${prefix}_statement_duration_seconds`,
    help: 'Duration of database statements.',
    labels: ['outcome'],
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  });
  return { query: (_name, durationMs, outcome) => statements.observe({ outcome }, durationMs / 1000) };
}

function connectionMetrics(metrics: Metrics, prefix: string, database: Database): () => void {
  return metrics.collectGauge(
    {
      name: `quartermaster_${prefix}_connections`,
      help: 'Connections to the database by state, and callers waiting for one.',
      labels: ['state'],
    },
    () => {
      const { open, idle, waiting } = database.figures();
      return [
        { labels: { state: 'used' }, value: open - idle },
        { labels: { state: 'idle' }, value: idle },
        { labels: { state: 'waiting' }, value: waiting },
      ];
    },
  );
}
