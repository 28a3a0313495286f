import { InventoryService, InventoryViewsService } from '@quartermaster/api/inventory';
import type { Bus } from '@quartermaster/bus';
import { type Inventory, inventoryRole, sharedInventory } from '@quartermaster/inventory';
import { inventoryTokens } from '@quartermaster/inventory/testing';
import { openRpcChannel, type ServiceClient } from '@quartermaster/rpc';
import { sharedBus } from '@quartermaster/runtime';
import { type RunningRole, startRole } from '@quartermaster/runtime/testing';
import { SharedParts } from '@quartermaster/service';

export interface OperatorOptions {
  readonly kubeconfig: string;
  readonly bus?: Bus;
  /** Other replicas have the same bus. */
  readonly isBusShared?: boolean;
  /** Settings, as on the command line. Ports are free ones unless given. */
  readonly args?: readonly string[];
}

/** One replica of the operator, as the role runs it, in this process. */
export interface RunningOperator extends Pick<RunningRole, 'served' | 'complaints' | 'get' | 'stop' | 'metrics' | 'health'> {
  readonly inventory: Inventory;
  /** Of an administrator. */
  readonly token: string;
  readonly grpc: ServiceClient<typeof InventoryService>;
  readonly views: ServiceClient<typeof InventoryViewsService>;
}

/** Resolves when the operator is ready: everything was read once and is served. */
export async function startOperator({ kubeconfig, bus, isBusShared = false, args = [] }: OperatorOptions): Promise<RunningOperator> {
  const shared = new SharedParts();
  let inventory: Inventory | undefined;
  shared.provide(sharedInventory, {
    put: (running) => {
      inventory = running;
    },
  });
  if (bus !== undefined) shared.provide(sharedBus, { bus, isShared: isBusShared });
  const tokens = await inventoryTokens();
  const token = await tokens.issue('admin');
  const settings = ['--inventory-publish-period=5ms', ...tokens.args, ...args];
  const running = await startRole(inventoryRole, { kubeconfig, shared, args: settings });
  await tokens.end();
  if (inventory === undefined) throw new Error('the operator did not start');
  const { served, complaints, metrics, health } = running;
  const channel = openRpcChannel({ address: served.grpc, token: () => token, tries: 1 });
  return {
    inventory,
    served,
    complaints,
    token,
    get: (path) => running.get(path, { authorization: `Bearer ${token}` }),
    metrics,
    health,
    grpc: channel.client(InventoryService),
    views: channel.client(InventoryViewsService),
    stop: async () => {
      channel.close();
      await running.stop();
    },
  };
}
