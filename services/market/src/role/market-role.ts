import { declareRole, type SettingsOf } from '@quartermaster/runtime';
import { byteSize, duration } from '@quartermaster/service';
import * as z from 'zod';
import { accessShape } from '../access/access-settings.ts';

const settings = {
  'market-service-accounts': z
    .boolean()
    .default(false)
    .describe('Whether service accounts of the Kubernetes cluster may call with their tokens.'),
  'market-choice-delay': duration({ min: '0s' })
    .prefault('3s')
    .describe('How old an order must be before the market takes the cheapest bid, for deployments that leave it the choice.'),
  'market-order-lifetime': duration({ min: '1s' })
    .prefault('1h')
    .describe('How long an order stays open. One that has no lease by then is closed, and its bids are lost.'),
  'market-deployments-per-tenant': z.int().min(1).default(1_000).describe('How many active deployments a tenant may have.'),
  'market-history-retention': duration({ min: '1m' })
    .prefault('90d')
    .describe('How long closed deployments, orders, bids and leases are listed.'),
  'market-archive-retention': duration({ min: '1m' }).prefault('90d').describe('How long they are kept after that, without their SDL.'),
  'market-feed-retention': duration({ min: '1m' }).prefault('7d').describe('How long an interrupted watch can be resumed.'),
  'market-feed-max-size': byteSize()
    .prefault('4Gi')
    .describe('About how much the database keeps for that at most: where changes are many, the oldest go before their time.'),
  'market-audit-retention': duration({ min: '1h' }).prefault('365d').describe('How long the audit log keeps its entries.'),
  ...accessShape,
};

export type MarketSettings = SettingsOf<typeof settings>;

/** The local market: deployments, orders, bids and leases in PostgreSQL, for tenants and providers. */
export const marketRole = declareRole({
  name: 'service-market',
  prefix: 'market',
  summary: 'Keeps deployments, orders, bids and leases: tenants deploy, providers bid, and a bid becomes a lease.',
  settings,
  kubernetes: true,
  database: true,
  servers: { grpc: 8020, rest: 8021, certificates: 8022 },
  up: 'alone',
  deployment: { folder: new URL('../../deploy/service-market/', import.meta.url), contracts: [], optional: ['market-token-review-rbac'] },
  load: async () => (await import('./start-market.ts')).startMarket,
});
