import { inventoryRole } from '@quartermaster/inventory/roles';
import { outgoingTraceHeaders } from '@quartermaster/service';
import { version } from '../version.ts';
import { NatsPublisher } from './nats-publisher.ts';
import { sharedBus, sharedInventory, sharedKubeClient } from './shared-keys.ts';

/** The inventory operator on the parts of this process, or on the cluster that its environment names. */
export const inventory = inventoryRole({
  version,
  connect: async ({ shared }) => {
    const given = shared.find(sharedKubeClient);
    if (given !== undefined) return { client: given, close: async () => {} };
    const { KubeClient } = await import('@quartermaster/kube');
    const client = await KubeClient.connect({ userAgent: `quartermaster-inventory/${version}`, traceHeaders: outgoingTraceHeaders });
    return { client, close: () => client.close() };
  },
  bus: ({ shared, config }) => {
    const given = shared.find(sharedBus);
    if (given !== undefined) return { publisher: given, close: async () => {} };
    const servers = config['nats-servers'];
    if (servers === undefined) return undefined;
    const publisher = new NatsPublisher(servers, 'quartermaster-inventory');
    return { publisher, isShared: true, close: () => publisher.close() };
  },
  started: (running, { grpcAddress, restUrl }, { shared }) =>
    shared.find(sharedInventory)?.put({ inventory: running, grpc: grpcAddress, rest: restUrl }),
});
