import { declareRole, type SettingsOf } from '@quartermaster/runtime';
import { SharedKey } from '@quartermaster/service';
import { gatewayRules } from '../gateway/gateway-settings.ts';
import { clusterSettings } from './cluster-settings.ts';

export type ClusterSettings = SettingsOf<typeof clusterSettings>;

/** The cluster service: says what fits into the cluster, and promises parts of it to orders, each part once. */
export const clusterRole = declareRole({
  name: 'service-cluster',
  prefix: 'cluster',
  summary: 'Says what fits into the cluster and why, and reserves parts of it for orders.',
  settings: clusterSettings,
  rules: gatewayRules,
  kubernetes: true,
  bus: true,
  servers: { grpc: 8083, rest: 8082 },
  otherPorts: ['gateway-port', 'gateway-grpc-port'],
  // Reservations are the cluster's: whichever installation promises parts of it, one leads, and no setting makes it two.
  lease: { namespace: 'kube-system', name: 'quartermaster-cluster' },
  up: 'on-cluster',
  deployment: {
    folder: new URL('../../deploy/service-cluster/', import.meta.url),
    contracts: [
      'reservation',
      'bid-decision',
      'tenant-lease',
      'tenant-shell',
      'hostname-claim',
      'address-claim',
      'manifest',
      'provider-host',
      'provider-leased-ip',
    ],
    optional: ['akash-inventory-rbac', 'market-rbac', 'market-policy'],
  },
  load: async () => (await import('./start-cluster.ts')).startCluster,
});

/** Whoever shares the process with a market issues the token here that this provider shows it: with it, and without an address, the market of the process is dealt at. */
export const sharedMarketToken = new SharedKey<() => Promise<string>>('token for the market');

/** Whoever shares the process with the service issues the token here that the inventory of the process is shown. */
export const sharedInventoryToken = new SharedKey<() => Promise<string>>('token for the inventory');
