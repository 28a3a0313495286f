import { fileURLToPath } from 'node:url';
import { Audit, AuditEntrySchema, SecretKeys, Sessions } from '@quartermaster/api/fulfillment-extras';
import { guardStreams, type LocalTokens, type ReviewToken, sessionHandlers } from '@quartermaster/auth';
import { type Clock, createUuidV7, type Log, type Random } from '@quartermaster/kernel';
import { ArchiveKeeper, AuditLog, auditRefusals, listAudit, objectsMigrations, RevealLog, secretKeyHandlers } from '@quartermaster/objects';
import { type Authenticate, type ServedService, serve } from '@quartermaster/rpc';
import { ChangeFeed, type Database, type SecretKeyRing, storeMigrations } from '@quartermaster/store';
import { type AccessSettings, openAccess } from '../access/index.ts';
import { forgetHistory } from '../keepers/forget-history.ts';
import { Periodic } from '../keepers/periodic.ts';
import { settleOrders } from '../keepers/settle-orders.ts';
import { createKinds, type Kinds } from '../kinds/kinds.ts';
import { deploymentsService } from '../objects/deployments-service.ts';
import { ownerKeysService } from '../objects/owner-keys-service.ts';
import { tradeServices } from '../objects/trade-services.ts';
import { providerMarketService } from '../provider/provider-market-service.ts';
import type { SdlReader } from '../sdl/sdl-reader.ts';
import { eventsService } from './events-service.ts';

export interface MarketOptions {
  /** Migrated. Stays open when the service stops. */
  readonly database: Database;
  readonly keys: SecretKeyRing;
  readonly access: AccessSettings;
  readonly reviewToken?: ReviewToken | undefined;
  readonly sdl: Pick<SdlReader, 'read'>;
  readonly terms: MarketTerms;
  readonly retention: MarketRetention;
  readonly version: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** By which the market trades. */
export interface MarketTerms {
  /** How old an order must be before the market chooses a bid for those who want that. */
  readonly choiceDelayMs: number;
  /** How long an order stays open. */
  readonly orderLifetimeMs: number;
  /** Active ones. */
  readonly deploymentsPerTenant: number;
}

/** How long things are kept that are over. */
export interface MarketRetention {
  /** In lists. */
  readonly historyMs: number;
  readonly archiveMs: number;
  readonly changesMs: number;
  /** About. Default 4 GiB. */
  readonly changesBytes?: number | undefined;
  readonly auditMs: number;
}

/** The service without the ports that it is served on. */
export interface Market {
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

/** What the database needs: tables of the service, and of what it is made of. */
export const marketMigrations = {
  directory: fileURLToPath(new URL('../../migrations', import.meta.url)),
  libraries: [storeMigrations, objectsMigrations],
};

const settleIntervalMs = 500;
const historyIntervalMs = 60 * 60_000;

/** Starts everything that works on the database. */
export async function openMarket(options: MarketOptions): Promise<Market> {
  const { database, clock, random, log, terms, retention, sdl } = options;
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
  const kinds = createKinds(options.keys, clock);
  const onWritten = () => feed.wake();
  const reveals = new RevealLog({ database, newId, clock });
  const trading = {
    database,
    kinds,
    keys: options.keys,
    clock,
    newId,
    onWritten,
    reveals,
    sdl,
    feed,
    ...terms,
    historyMs: retention.historyMs,
  };
  const settling = new Periodic((signal) => settleOrders(trading, signal), {
    intervalMs: settleIntervalMs,
    failure: 'orders that are due could not be settled; retrying',
    clock,
    log,
  });
  const history = new Periodic((signal) => forget(signal), {
    intervalMs: historyIntervalMs,
    failure: 'what was closed long ago could not be archived; retrying later',
    clock,
    log,
  });
  const forget = async (signal: AbortSignal): Promise<void> => {
    const count = await forgetHistory(trading, signal);
    if (count > 0) log.info('closed orders and deployments archived', { count });
  };
  const parts = [feed, audit, archive, settling, history];
  for (const part of parts) part.start();
  const services = [
    deploymentsService(trading),
    ...tradeServices(trading),
    ownerKeysService(trading),
    providerMarketService(trading),
    eventsService({ changes: feed, kinds, clock }),
    serve(Audit, { list: (request) => listAudit({ database, clock, entry: AuditEntrySchema }, request) }),
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
    stop: async () => {
      await Promise.all(parts.map((part) => part.stop()));
    },
  };
}
