import type { KubeClient } from '@quartermaster/kube';
import { defineRole, type Role, type RoleContext } from '@quartermaster/service';
import type { Fulfillment } from '../serve/fulfillment.ts';
import type { FulfillmentServers } from '../serve/start-servers.ts';
import { type FulfillmentSettings, fulfillmentSettings } from './fulfillment-settings.ts';

export interface FulfillmentRoleOptions {
  readonly version: string;
  /** The cluster whose service accounts may call, where the settings allow them, and how to give its client back. */
  readonly connect?: (
    context: RoleContext<FulfillmentSettings>,
  ) => Promise<{ readonly client: KubeClient; readonly close: () => Promise<void> }>;
  /** Told once it runs, for whoever shares the process with it. */
  readonly started?: (
    fulfillment: Fulfillment,
    servers: FulfillmentServers,
    context: RoleContext<FulfillmentSettings>,
  ) => Promise<void> | void;
}

/**
 * The fulfillment service: hosts, classes, templates, clusters, hubs and pools in PostgreSQL, behind a public and a private API. What it is made of is loaded when it
 * starts: its name and settings are wanted by every command line.
 */
export function fulfillmentRole(options: FulfillmentRoleOptions): Role<FulfillmentSettings> {
  return defineRole({
    name: 'service-fulfillment',
    summary: 'Keeps hosts, host classes, cluster templates, clusters, hubs and host pools, and serves them to providers and tenants.',
    config: fulfillmentSettings,
    deployment: {
      folder: new URL('../../deploy/service-fulfillment/', import.meta.url),
      contracts: [],
      optional: ['token-review-rbac'],
    },
    restart: { firstMs: 1_000, maxMs: 60_000, factor: 2 },
    start: async (context) => {
      const { startFulfillment } = await import('./start-fulfillment.ts');
      return await startFulfillment(options, context);
    },
  });
}
