import { fileURLToPath } from 'node:url';
import { SecretKeys, Sessions } from '@quartermaster/api/fulfillment-extras';
import { guardStreams, type LocalTokens, type ReviewToken, sessionHandlers } from '@quartermaster/auth';
import { type Clock, createUuidV7, type Log, type Random } from '@quartermaster/kernel';
import { ArchiveKeeper, AuditLog, auditRefusals, objectsMigrations, RevealLog, secretKeyHandlers } from '@quartermaster/objects';
import { type Authenticate, type ServedService, serve } from '@quartermaster/rpc';
import type { HealthStatus } from '@quartermaster/service';
import {
  ChangeFeed,
  type Database,
  type MigrateOptions,
  migrate,
  type Revealable,
  type SecretKeyRing,
  storeMigrations,
} from '@quartermaster/store';
import { type AccessSettings, openAccess } from '../access/index.ts';
import { hostSourcesService } from '../apply/host-sources-service.ts';
import { hostAssignmentsService } from '../assign/host-assignments-service.ts';
import { createKinds, type Kinds } from '../kinds/kinds.ts';
import { objectServices } from '../objects/object-services.ts';
import { type AllowedReferences, noReferences, ReferencePolicy } from '../rules/index.ts';
import { auditService } from './audit-service.ts';
import { eventServices } from './event-services.ts';
import { judgeStoredKubeconfigs } from './judge-stored-kubeconfigs.ts';
import { RefusedReferences } from './refused-references.ts';

export interface FulfillmentOptions {
  /** Migrated. Stays open when the service stops. */
  readonly database: Database;
  readonly keys: SecretKeyRing;
  readonly access: AccessSettings;
  readonly reviewToken?: ReviewToken | undefined;
  readonly retention: FulfillmentRetention;
  /** Whether a source may take over hosts that were created by hand and are the same machines. Default false. */
  readonly mayAdoptHosts?: boolean | undefined;
  /** What references of hosts and hubs may name. Default nothing. */
  readonly references?: AllowedReferences | undefined;
  readonly version: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** How long things are kept that are over. */
export interface FulfillmentRetention {
  readonly changesMs: number;
  /** About. Default 4 GiB. */
  readonly changesBytes?: number | undefined;
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
  /** From the next write on, and for everything that is handed out. Resolves when what is stored was judged by them. */
  updateReferences(allowed: AllowedReferences): Promise<void>;
  /** Degraded while references are stored that the settings do not allow. */
  referencesHealth(): HealthStatus;
  stop(): Promise<void>;
}

/** What the database needs: tables of the service, and of what it is made of. */
export const fulfillmentMigrations = {
  directory: fileURLToPath(new URL('../../migrations', import.meta.url)),
  libraries: [storeMigrations, objectsMigrations],
};

/** Brings the database to what this release needs. Any number of processes may do this at once. */
export async function migrateFulfillment(
  databaseUrl: string | Revealable,
  { log, clock, signal }: Omit<MigrateOptions, 'directory' | 'libraries'>,
): Promise<void> {
  await migrate({ url: databaseUrl }, { ...fulfillmentMigrations, log, clock, signal });
}

/** Starts everything that works on the database. */
export async function openFulfillment(options: FulfillmentOptions): Promise<Fulfillment> {
  const { database, clock, random, log, retention } = options;
  const newId = createUuidV7({ clock, random });
  const feed = new ChangeFeed({
    database,
    clock,
    random,
    log,
    retention: { maxAgeMs: retention.changesMs, maxBytes: retention.changesBytes },
  });
  const audit = new AuditLog({ database, retentionMs: retention.auditMs, newId, clock, log });
  const archive = new ArchiveKeeper({ database, retentionMs: retention.archiveMs, clock, log });
  const access = await openAccess({
    settings: options.access,
    reviewToken: options.reviewToken,
    onRefusedWrite: (refused) => audit.recordRefusal(refused),
    clock,
    log,
  });
  const references = new ReferencePolicy(options.references ?? noReferences);
  const kinds = createKinds(options.keys, { references, clock });
  await judgeStoredKubeconfigs({ database, hubs: kinds.hubs, newId, clock, log });
  const refusedReferences = new RefusedReferences({ database, references, clock, log });
  await refusedReferences.count();
  for (const part of [feed, audit, archive]) part.start();
  const onWritten = () => feed.wake();
  const reveals = new RevealLog({ database, newId, clock });
  const services = [
    ...objectServices({ database, kinds, clock, newId, onWritten, reveals, issuers: access.issuers }),
    hostAssignmentsService({ database, kinds, clock, newId, onWritten }),
    hostSourcesService({ database, kinds, clock, newId, onWritten, mayAdopt: options.mayAdoptHosts ?? false }),
    ...eventServices({ changes: feed, kinds, clock }),
    auditService({ database, clock }),
    serve(Sessions, sessionHandlers({ version: options.version, table: access.table })),
    serve(SecretKeys, secretKeyHandlers({ database, keys: options.keys, newId, log })),
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
    updateReferences: async (allowed) => {
      references.update(allowed);
      await refusedReferences.count();
    },
    referencesHealth: () => refusedReferences.status(),
    stop: async () => {
      await Promise.all([feed.stop(), audit.stop(), archive.stop(), refusedReferences.stop()]);
    },
  };
}
