import { join } from 'node:path';
import type { RoleBody } from '@quartermaster/runtime';
import { type RoleHost, registerFeed } from '@quartermaster/runtime/host';
import { type AccessSettings, openLocalTokens } from '../access/index.ts';
import type { AllowedReferences } from '../rules/index.ts';
import { fulfillmentMigrations, openFulfillment } from '../serve/fulfillment.ts';
import { fulfillmentServing } from '../serve/fulfillment-serving.ts';
import { type FulfillmentSettings, sharedFulfillment } from './fulfillment-role.ts';

/** Starts the service on its database, and its servers. */
export async function startFulfillment(host: RoleHost<FulfillmentSettings>): Promise<RoleBody> {
  const { config, clock, random, log, version } = host;
  const serviceAccounts = config['fulfillment-service-accounts'] ? await host.serviceAccounts() : undefined;
  // The first release kept its data there.
  const { database, keys, config: ofDatabase } = await host.database({ migrations: fulfillmentMigrations, embeddedName: 'postgres' });
  // An embedded database has a key of local tokens beside it, unless the settings say where that is.
  const ownKey = ofDatabase.dataDirectory === undefined ? undefined : join(ofDatabase.dataDirectory, 'token-key');
  const access = (settings: FulfillmentSettings): AccessSettings => ({
    ...settings,
    'fulfillment-local-key-file': settings['fulfillment-local-key-file'] ?? ownKey,
  });
  // One that we cannot have made is refused; one that the settings name may be anybody's.
  if (ownKey !== undefined && access(config)['fulfillment-local-key-file'] === ownKey) await openLocalTokens(ownKey, clock);
  const fulfillment = await openFulfillment({
    database,
    keys,
    access: access(config),
    reviewToken: serviceAccounts?.reviewToken,
    retention: {
      changesMs: config['fulfillment-feed-retention'],
      changesBytes: config['fulfillment-feed-max-size'],
      auditMs: config['fulfillment-audit-retention'],
      archiveMs: config['fulfillment-archive-retention'],
    },
    mayAdoptHosts: config['fulfillment-adopt-hosts'],
    references: referencesOf(config),
    version,
    clock,
    random,
    log,
  });
  host.keep('fulfillment', () => fulfillment.stop());
  host.health.register('references', 'ready', () => fulfillment.referencesHealth());
  registerFeed(host, fulfillment.feed);
  host.onConfig((newer) => {
    fulfillment.updateAccess(access(newer));
    void fulfillment.updateReferences(referencesOf(newer));
  });
  await host.serve(fulfillmentServing(fulfillment, version));
  host.shared.find(sharedFulfillment)?.put(fulfillment);
  return {};
}

const referencesOf = (settings: FulfillmentSettings): AllowedReferences => ({
  directories: settings['fulfillment-reference-directories'],
  secrets: settings['fulfillment-reference-secrets'],
});
