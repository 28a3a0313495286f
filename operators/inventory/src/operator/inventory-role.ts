import type { KubeClient } from '@quartermaster/kube';
import { defineRole, type Role, type RoleContext } from '@quartermaster/service';
import type { StatePublisher } from '../publish/bus-publisher.ts';
import type { InventoryServers } from '../serve/start-inventory-servers.ts';
import type { Inventory } from './inventory.ts';
import { type InventorySettings, inventorySettings } from './inventory-settings.ts';

export interface InventoryRoleOptions {
  readonly version: string;
  /** The client of the cluster to work on, and how to give it back. */
  readonly connect: (
    context: RoleContext<InventorySettings>,
  ) => Promise<{ readonly client: KubeClient; readonly close: () => Promise<void> }>;
  /** Where to publish, and how to give it back; nowhere when undefined. */
  readonly bus?: (
    context: RoleContext<InventorySettings>,
  ) => { readonly publisher: StatePublisher; readonly isShared?: boolean; readonly close: () => Promise<void> } | undefined;
  /** Told once it runs, for whoever shares the process with it. */
  readonly started?: (inventory: Inventory, servers: InventoryServers, context: RoleContext<InventorySettings>) => void;
}

/**
 * The inventory operator: keeps and serves the inventory, and while it leads, labels nodes. What it is made of is loaded when it starts: its name and
 * settings are wanted by every command line.
 */
export function inventoryRole(options: InventoryRoleOptions): Role<InventorySettings> {
  return defineRole({
    name: 'operator-inventory',
    summary: 'Discovers and accounts for every resource of the cluster, serves the inventory and labels nodes.',
    config: inventorySettings,
    deployment: {
      folder: new URL('../../deploy/operator-inventory/', import.meta.url),
      contracts: ['node-hardware'],
      optional: ['ceph-toolbox-rbac'],
    },
    restart: { firstMs: 1_000, maxMs: 60_000, factor: 2 },
    start: async (context) => {
      const { startInventory } = await import('./start-inventory.ts');
      return await startInventory(options, context);
    },
  });
}
