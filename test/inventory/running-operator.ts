import { InventoryService } from '@quartermaster/api/inventory';
import type { Bus } from '@quartermaster/bus';
import { type Inventory, type InventoryServers, inventoryRole } from '@quartermaster/inventory';
import { KubeClient } from '@quartermaster/kube';
import { openRpcChannel, type ServiceClient } from '@quartermaster/rpc';
import { createLogger, Health, Lifecycle, Metrics, runRoles, watchConfig } from '@quartermaster/service';

export interface OperatorOptions {
  readonly kubeconfig: string;
  readonly bus?: Pick<Bus, 'publish'>;
  /** Other replicas have the same bus. */
  readonly isBusShared?: boolean;
  /** Settings, as on the command line. Ports are free ones unless given. */
  readonly args?: readonly string[];
}

/** One replica of the operator, as the role runs it, in this process. */
export interface RunningOperator {
  readonly inventory: Inventory;
  readonly servers: InventoryServers;
  readonly grpc: ServiceClient<typeof InventoryService>;
  /** What it logged at warning or above. */
  readonly complaints: readonly string[];
  get(path: string): Promise<{ readonly status: number; readonly text: string }>;
  /** Idempotent. */
  stop(): Promise<void>;
}

/** Resolves when the operator is ready: everything was read once and is served. */
export async function startOperator({ kubeconfig, bus, isBusShared = false, args = [] }: OperatorOptions): Promise<RunningOperator> {
  const complaints: string[] = [];
  const log = createLogger({ level: 'warn', destination: { write: (line: string) => complaints.push(line) > 0 } });
  const lifecycle = new Lifecycle({ log });
  let started: { readonly inventory: Inventory; readonly servers: InventoryServers } | undefined;
  const role = inventoryRole({
    version: '0.1.0-test',
    connect: async () => {
      const client = await KubeClient.connect({ kubeconfig });
      return { client, close: () => client.close() };
    },
    ...(bus === undefined ? {} : { bus: () => ({ publisher: bus, isShared: isBusShared, close: async () => {} }) }),
    started: (inventory, servers) => {
      started = { inventory, servers };
    },
  });
  const ports = ['--inventory-grpc-port=0', '--inventory-rest-port=0', '--inventory-publish-period=5ms'];
  const config = await watchConfig(role.config, { args: [...ports, ...args], environment: {} });
  lifecycle.add({ name: 'configuration', stop: () => config.close() });
  await runRoles([role], { config, log, lifecycle, metrics: new Metrics({ process: false }), health: new Health() });
  if (started === undefined) throw new Error('the operator did not start');
  const { inventory, servers } = started;
  const channel = openRpcChannel({ address: servers.grpcAddress, tries: 1 });
  return {
    inventory,
    servers,
    grpc: channel.client(InventoryService),
    complaints,
    get: async (path) => {
      const answer = await fetch(`${servers.restUrl}${path}`, { headers: { connection: 'close' } });
      return { status: answer.status, text: await answer.text() };
    },
    stop: async () => {
      channel.close();
      await lifecycle.stop({ kind: 'request', by: 'the test' });
    },
  };
}
