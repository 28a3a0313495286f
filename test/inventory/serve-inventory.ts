import { InventoryFeed, type InventoryServingOptions, inventoryServing } from '@quartermaster/inventory';
import { FakeInventory, servingViews } from '@quartermaster/inventory/testing';
import { silentLog, systemClock } from '@quartermaster/kernel';
import type { Authenticate, Identity } from '@quartermaster/rpc';
import type { ServedAddresses } from '@quartermaster/runtime';
import { startRoleServers } from '@quartermaster/runtime/host';
import { failed, Health, healthy, Metrics } from '@quartermaster/service';

const somebody: Identity = { kind: 'token', name: 'somebody', groups: [] };

export interface ServedInventory {
  readonly inventory: FakeInventory;
  readonly feed: InventoryFeed;
  readonly servers: ServedAddresses;
  stop(): Promise<void>;
}

export interface ServeInventoryOptions extends Partial<InventoryServingOptions> {
  /** Any free one unless given. */
  readonly grpcPort?: number;
  readonly tls?: { readonly certFile: string; readonly keyFile: string };
  /** Whoever comes is somebody unless given. */
  readonly callers?: Authenticate;
}

/** What the operator serves over an inventory that the test sets, on free ports of loopback. */
export async function serveInventory({ grpcPort = 0, tls, callers, ...options }: ServeInventoryOptions = {}): Promise<ServedInventory> {
  const inventory = new FakeInventory();
  const feed = new InventoryFeed({ clusterId: 'c1', source: inventory, minIntervalMs: 1 });
  const ends: (() => unknown)[] = []; // in the order of their starts
  const health = new Health();
  health.register('inventory', 'ready', () => (feed.state() === undefined ? failed('inventory not read yet') : healthy));
  const host = {
    prefix: 'inventory',
    health,
    metrics: new Metrics({ process: false }),
    keep: (_name: string, stop: () => unknown) => void ends.push(stop),
    clock: options.clock ?? systemClock,
    log: silentLog,
  };
  const { views, viewFeed, stop } = servingViews(feed, host.clock);
  ends.push(stop);
  const serving = inventoryServing({
    feed,
    views,
    viewFeed,
    allocations: () => [],
    status: () => ({
      version: '0.1.0',
      replica: 'r1',
      isLeader: true,
      leader: 'r1',
      startedAt: 0,
      completeness: inventory.completeness(),
      parts: [],
      counters: new Map(),
    }),
    streamIntervalMs: 1,
    ...options,
  });
  const files = { certFile: tls?.certFile, keyFile: tls?.keyFile, clientCaFile: undefined };
  const config = { host: '127.0.0.1', grpcPort, restPort: 0, certificatePort: undefined, ...files };
  const servers = await startRoleServers(host, config, health, { ...serving, callers: callers ?? (() => somebody) });
  return {
    inventory,
    feed,
    servers,
    stop: async () => {
      feed.stop();
      await Promise.all(ends.map((end) => end()));
    },
  };
}
