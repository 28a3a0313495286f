import { join } from 'node:path';
import type { RoleBody } from '@quartermaster/runtime';
import { type RoleHost, registerFeed } from '@quartermaster/runtime/host';
import { type AccessSettings, ensureTokenKey } from '../access/index.ts';
import { SdlReader } from '../sdl/sdl-reader.ts';
import { marketMigrations, openMarket } from '../serve/market.ts';
import { marketServing } from '../serve/market-serving.ts';
import type { MarketSettings } from './market-role.ts';

/** Starts the service on its database, and its servers. */
export async function startMarket(host: RoleHost<MarketSettings>): Promise<RoleBody> {
  const { config, clock, random, log, version } = host;
  const serviceAccounts = config['market-service-accounts'] ? await host.serviceAccounts() : undefined;
  const { database, keys, config: ofDatabase } = await host.database({ migrations: marketMigrations });
  // An embedded database has a key of local tokens beside it, unless the settings say where that is.
  const ownKey = ofDatabase.dataDirectory === undefined ? undefined : join(ofDatabase.dataDirectory, 'token-key');
  const access = (settings: MarketSettings): AccessSettings => ({
    ...settings,
    'market-local-key-file': settings['market-local-key-file'] ?? ownKey,
  });
  // One that we cannot have made is refused; one that the settings name may be anybody's.
  if (ownKey !== undefined && access(config)['market-local-key-file'] === ownKey) await ensureTokenKey(ownKey, clock);
  const sdl = new SdlReader({ clock });
  host.keep('SDL reader', () => sdl[Symbol.asyncDispose]());
  const market = await openMarket({
    database,
    keys,
    access: access(config),
    reviewToken: serviceAccounts?.reviewToken,
    sdl,
    terms: {
      choiceDelayMs: config['market-choice-delay'],
      orderLifetimeMs: config['market-order-lifetime'],
      deploymentsPerTenant: config['market-deployments-per-tenant'],
    },
    retention: {
      historyMs: config['market-history-retention'],
      archiveMs: config['market-archive-retention'],
      changesMs: config['market-feed-retention'],
      changesBytes: config['market-feed-max-size'],
      auditMs: config['market-audit-retention'],
    },
    version,
    clock,
    random,
    log,
  });
  host.keep('market', () => market.stop());
  registerFeed(host, market.feed);
  host.onConfig((newer) => market.updateAccess(access(newer)));
  await host.serve(marketServing(market, version));
  return {};
}
