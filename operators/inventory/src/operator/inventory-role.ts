import { accessShape } from '@quartermaster/auth/settings';
import { declareRole, type SettingsOf } from '@quartermaster/runtime';
import { duration, SharedKey } from '@quartermaster/service';
import * as z from 'zod';
import { callerRoles } from '../access/caller-roles.ts';
import { discoveryAudience } from '../discovery/agent/discovery-defaults.ts';
import type { AgentNetwork } from './agent-network.ts';
import type { Inventory } from './inventory.ts';

const settings = {
  'inventory-config': z
    .string()
    .min(1)
    .optional()
    .describe('File that says what is sold: storage classes offered, nodes and storage excluded. Followed while it changes.'),
  'cluster-id': z
    .string()
    .min(1)
    .optional()
    .describe('Name of this cluster in snapshots and topics; the uid of the namespace kube-system unless given.'),
  'inventory-publish-period': duration({ min: '1ms' }).prefault('50ms').describe('Changes within this time are published together.'),
  'inventory-hardware-keep': duration({ min: '1s' })
    .prefault('1h')
    .describe('How long the hardware facts of a node are kept after the node is gone.'),
  'inventory-agent-token-file': z
    .string()
    .min(1)
    .default('/var/run/secrets/quartermaster-discovery/token')
    .describe(`File with a token of the audience ${discoveryAudience}, which the agents ask for. Read again when it changes.`),
  'gpu-database-url': z.url().optional().describe('Where a newer GPU database is read from; the shipped one alone unless given.'),
  'gpu-database-period': duration({ min: '10s' }).prefault('5m').describe('How often the GPU database is refreshed.'),
  'inventory-akash-port': z
    .number()
    .int()
    .min(0)
    .max(65_535)
    .optional()
    .describe(
      'Port for a stock Akash provider, whose protocol has neither TLS nor identity: whoever reaches it reads akash.inventory.v1, and nothing else. Keep it to the provider by a NetworkPolicy. Closed unless given; 0 takes any free one.',
    ),
  'inventory-akash-host': z.string().min(1).default('127.0.0.1').describe('Address of that port.'),
  ...accessShape('inventory', callerRoles),
};

export type InventorySettings = SettingsOf<typeof settings>;

/** The inventory operator: keeps and serves the inventory, and while it leads, labels nodes. */
export const inventoryRole = declareRole({
  name: 'operator-inventory',
  prefix: 'inventory',
  summary: 'Discovers and accounts for every resource of the cluster, serves the inventory and labels nodes.',
  settings,
  kubernetes: true,
  bus: true,
  servers: { grpc: 8081, rest: 8080 },
  lease: 'quartermaster-inventory',
  up: 'on-cluster',
  deployment: {
    folder: new URL('../../deploy/operator-inventory/', import.meta.url),
    contracts: ['node-hardware'],
    optional: ['ceph-toolbox-rbac', 'akash-provider'],
  },
  load: async () => (await import('./start-inventory.ts')).startInventory,
});

/** Whoever shares the process with the operator is given its inventory here. */
export const sharedInventory = new SharedKey<{ put(inventory: Inventory): void }>('inventory');

/** Whoever runs the operator outside of the network of its cluster says here how it reaches the agents. */
export const sharedAgents = new SharedKey<AgentNetwork>('agents');
