import { fileURLToPath } from 'node:url';
import { type Clock, createUuidV7, type Log, type Random } from '@quartermaster/kernel';
import type { ReviewToken } from '@quartermaster/kube';
import type { Authenticate, ServedService } from '@quartermaster/rpc';
import { ChangeFeed, type Database, type KeyRing, type MigrateOptions, migrate, type Revealable } from '@quartermaster/store';
import { hostSourcesService } from '../apply/index.ts';
import { hostAssignmentsService } from '../assign/index.ts';
import { AuditLog, auditRefusals, auditService } from '../audit/index.ts';
import { type AccessSettings, guardStreams, type LocalTokens, openAccess, sessionsService } from '../auth/index.ts';
import { createKinds, type Kinds } from '../kinds/kinds.ts';
import { ArchiveKeeper } from '../objects/archive-keeper.ts';
import { objectServices } from '../objects/object-services.ts';
import { secretKeysService } from '../secret-keys/index.ts';
import { privateEvents } from '../watch/private-events.ts';
import { publicEvents } from '../watch/public-events.ts';

export interface FulfillmentOptions {
  /** Migrated. Stays open when the service stops. */
  readonly database: Database;
  readonly keys: KeyRing;
  readonly access: AccessSettings;
  readonly reviewToken?: ReviewToken | undefined;
  readonly retention: FulfillmentRetention;
  /** Whether a source may take over hosts that were created by hand and are the same machines. Default false. */
  readonly mayAdoptHosts?: boolean | undefined;
  readonly version: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
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

/** What the database needs. */
export const fulfillmentMigrations = fileURLToPath(new URL('../../migrations', import.meta.url));

/** Brings the database to what this release needs. Any number of processes may do this at once. */
export async function migrateFulfillment(databaseUrl: string | Revealable, options: Omit<MigrateOptions, 'directory'>): Promise<void> {
  const { log, clock, signal } = options;
  const given = { ...(clock === undefined ? {} : { clock }), ...(signal === undefined ? {} : { signal }) };
  await migrate({ url: databaseUrl }, { directory: fulfillmentMigrations, log, ...given });
}

/** Starts everything that works on the database. */
export async function openFulfillment(options: FulfillmentOptions): Promise<Fulfillment> {
  const { database, clock, random, log, retention } = options;
  const newId = createUuidV7({ clock, random });
  const feed = new ChangeFeed({ database, clock, random, log, retention: { maxAgeMs: retention.changesMs } });
  const audit = new AuditLog({ database, retentionMs: retention.auditMs, newId, clock, log });
  const archive = new ArchiveKeeper({ database, retentionMs: retention.archiveMs, clock, log });
  const access = await openAccess({
    settings: options.access,
    ...(options.reviewToken === undefined ? {} : { reviewToken: options.reviewToken }),
    onRefusedWrite: (refused) => audit.recordRefusal(refused),
    clock,
    log,
  });
  const kinds = createKinds(options.keys);
  for (const part of [feed, audit, archive]) part.start();
  const onWritten = () => feed.wake();
  const services = [
    ...objectServices({ database, kinds, clock, newId, onWritten, issuers: access.issuers }),
    hostAssignmentsService({ database, kinds, newId, onWritten }),
    hostSourcesService({ database, kinds, clock, newId, onWritten, mayAdopt: options.mayAdoptHosts ?? false }),
    privateEvents({ changes: feed, kinds, clock }),
    publicEvents({ changes: feed, kinds, clock }),
    auditService({ database, clock }),
    sessionsService({ version: options.version }),
    secretKeysService({ database, keys: options.keys, newId, log }),
  ];
  return {
    services: guardStreams(
      auditRefusals(services, (refused) => audit.recordRefusal(refused)),
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
    },
  };
}
