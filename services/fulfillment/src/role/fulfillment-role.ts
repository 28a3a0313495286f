import { declareRole, type SettingsOf } from '@quartermaster/runtime';
import { byteSize, duration, SharedKey } from '@quartermaster/service';
import * as z from 'zod';
import { accessShape } from '../access/access-settings.ts';
import type { Fulfillment } from '../serve/fulfillment.ts';

const settings = {
  'fulfillment-service-accounts': z
    .boolean()
    .default(false)
    .describe('Whether service accounts of the Kubernetes cluster may call with their tokens.'),
  'fulfillment-adopt-hosts': z
    .boolean()
    .default(false)
    .describe('Whether a source may take over hosts that were created by hand and are the same machines by serial, UUID or MAC address.'),
  'fulfillment-reference-directories': z
    .array(z.string().regex(/^\/[^/].*$/, 'must be an absolute path other than /'))
    .default([])
    .meta({ reloadable: true })
    .describe(
      'Directories whose files the references of hosts and hubs (password_ref, kubeconfig_ref, pull_secret_ref) may name. None unless given.',
    ),
  'fulfillment-reference-secrets': z
    .array(z.string().regex(/^[a-z0-9.*-]+\/[a-z0-9.*-]+$/, 'must be NAMESPACE/NAME, where * stands for any characters'))
    .default([])
    .meta({ reloadable: true })
    .describe(
      'Secrets of Kubernetes that these references may name: NAMESPACE/NAME, where * stands for any characters. None unless given.',
    ),
  'fulfillment-feed-retention': duration({ min: '1m' }).prefault('7d').describe('How long an interrupted watch can be resumed.'),
  'fulfillment-feed-max-size': byteSize()
    .prefault('4Gi')
    .describe('About how much the database keeps for that at most: where changes are many, the oldest go before their time.'),
  'fulfillment-archive-retention': duration({ min: '1m' })
    .prefault('90d')
    .describe('How long deleted objects are kept, without their secrets.'),
  'fulfillment-audit-retention': duration({ min: '1h' }).prefault('365d').describe('How long the audit log keeps its entries.'),
  ...accessShape,
};

export type FulfillmentSettings = SettingsOf<typeof settings>;

/** The fulfillment service: hosts, classes, templates, clusters, hubs and pools in PostgreSQL, behind a public and a private API. */
export const fulfillmentRole = declareRole({
  name: 'service-fulfillment',
  prefix: 'fulfillment',
  summary: 'Keeps hosts, host classes, cluster templates, clusters, hubs and host pools, and serves them to providers and tenants.',
  settings,
  kubernetes: true,
  database: true,
  servers: { grpc: 8000, rest: 8001, certificates: 8002 },
  up: 'alone',
  deployment: { folder: new URL('../../deploy/service-fulfillment/', import.meta.url), contracts: [], optional: ['token-review-rbac'] },
  load: async () => (await import('./start-fulfillment.ts')).startFulfillment,
});

/** Whoever shares the process with the service is given it here. */
export const sharedFulfillment = new SharedKey<{ put(fulfillment: Fulfillment): void }>('fulfillment');
