import { fileURLToPath } from 'node:url';
import { SecretKeys } from '@quartermaster/api/fulfillment-extras';
import { guardStreams, type LocalTokens, type ReviewToken } from '@quartermaster/auth';
import { type Clock, createUuidV7, type Log, type Random } from '@quartermaster/kernel';
import { ArchiveKeeper, AuditLog, auditRefusals, objectsMigrations, secretKeyHandlers } from '@quartermaster/objects';
import { type Authenticate, type ServedService, serve } from '@quartermaster/rpc';
import {
  ChangeFeed,
  type Database,
  type DatabaseObserver,
  type KeyRing,
  type MigrateOptions,
  migrate,
  openDatabase,
  type Revealable,
  storeMigrations,
} from '@quartermaster/store';
import { type AccessSettings, openAccess, sessionsService } from '../access/index.ts';
import { hostSourcesService } from '../apply/index.ts';
import { hostAssignmentsService } from '../assign/index.ts';
import { createKinds, type Kinds } from '../kinds/kinds.ts';
import { objectServices } from '../objects/object-services.ts';
import { auditService } from './audit-service.ts';
import { eventServices } from './event-services.ts';

export interface FulfillmentOptions {
  readonly databaseUrl: string | Revealable;
  /** Connections to it at most. */
  readonly poolSize?: number | undefined;
  readonly keys: KeyRing;
  readonly access: AccessSettings;
  readonly reviewToken?: ReviewToken | undefined;
  readonly retention: FulfillmentRetention;
  /** Whether a source may take over hosts that were created by hand and are the same machines. Default false. */
  readonly mayAdoptHosts?: boolean;
  readonly version: string;
  readonly observer?: DatabaseObserver | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly signal?: AbortSignal | undefined;
}

/** How long things are kept that are over. */
export interface FulfillmentRetention {
  readonly changesMs: number;
  readonly auditMs: number;
  readonly archiveMs: number;
}

/** The service without the ports that it is served on. */
export interface Fulfillment {
  readonly services: readonly ServedService[];
  readonly authenticate: Authenticate;
  readonly database: Database;
  readonly feed: ChangeFeed;
  readonly kinds: Kinds;
  /** Undefined where the settings name no key for them. */
  readonly localTokens: LocalTokens | undefined;
  /** Takes over roles from newer settings: from the next call on, and for the streams that are open. */
  updateAccess(settings: AccessSettings): void;
  stop(): Promise<void>;
}

const migrations = fileURLToPath(new URL('../../migrations', import.meta.url));

/** Brings the database to what this release needs. Any number of processes may do this at once. */
export async function migrateFulfillment(
  databaseUrl: string | Revealable,
  { log, clock, signal }: Omit<MigrateOptions, 'directory' | 'libraries'>,
): Promise<void> {
  await migrate({ url: databaseUrl }, { directory: migrations, log, clock, signal, libraries: [storeMigrations, objectsMigrations] });
}

/** Brings the database to what this release needs and starts everything that works on it. Throws `unavailable` while the database is away. */
export async function openFulfillment(options: FulfillmentOptions): Promise<Fulfillment> {
  const { databaseUrl, clock, random, log, retention } = options;
  await migrateFulfillment(databaseUrl, options);
  const newId = createUuidV7({ clock, random });
  const database = openDatabase({
    url: databaseUrl,
    poolSize: options.poolSize,
    observer: options.observer,
    clock,
    random,
    log,
  });
  const feed = new ChangeFeed({ database, clock, random, log, retention: { maxAgeMs: retention.changesMs } });
  const audit = new AuditLog({ database, retentionMs: retention.auditMs, newId, clock, log });
  const archive = new ArchiveKeeper({ database, retentionMs: retention.archiveMs, clock, log });
  const access = await openAccess({
    settings: options.access,
    reviewToken: options.reviewToken,
    onRefusedWrite: (refused) => audit.recordRefusal(refused),
    clock,
    log,
  }).catch(async (thrown: unknown) => {
    await database.close();
    throw thrown;
  });
  const kinds = createKinds(options.keys);
  for (const part of [feed, audit, archive]) part.start();
  const onWritten = () => feed.wake();
  const services = [
    ...objectServices({ database, kinds, clock, newId, onWritten, issuers: access.issuers }),
    hostAssignmentsService({ database, kinds, newId, onWritten }),
    hostSourcesService({ database, kinds, clock, newId, onWritten, mayAdopt: options.mayAdoptHosts ?? false }),
    ...eventServices({ changes: feed, kinds, clock }),
    auditService({ database, clock }),
    sessionsService({ version: options.version, table: access.table }),
    serve(SecretKeys, secretKeyHandlers({ database, keys: options.keys, newId, log })),
  ];
  return {
    services: guardStreams(
      auditRefusals(services, access.table, (refused) => audit.recordRefusal(refused)),
      { clock, onAccessChange: (listener) => access.onUpdate(listener) },
    ),
    authenticate: access.authenticate,
    database,
    feed,
    kinds,
    localTokens: access.localTokens,
    updateAccess: (settings) => access.update(settings),
    stop: async () => {
      await Promise.all([feed.stop(), audit.stop(), archive.stop()]);
      await database.close();
    },
  };
}
