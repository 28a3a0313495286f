/** The operator as its role runs it: caches, ledger, feed with a reader of deltas, the topics of the bus, and gRPC without the checks of its callers. */
import { createMemoryBus } from '@quartermaster/bus';
import { Inventory } from '@quartermaster/inventory';
import { inventoryService } from '@quartermaster/inventory/testing';
import { silentLog, systemClock, systemRandom } from '@quartermaster/kernel';
import { cacheOpener, KubeClient } from '@quartermaster/kube';
import { startRpcServer } from '@quartermaster/rpc';
import { Probe } from './probe.ts';
import { operatorNamespace, podLabel } from './protocol.ts';

const [kubeconfig = ''] = process.argv.slice(2);
const probe = new Probe();
const client = await KubeClient.connect({ kubeconfig });
const context = { clock: systemClock, random: systemRandom, log: silentLog };
const inventory = await Inventory.start({
  client,
  caches: cacheOpener(client, context),
  bus: createMemoryBus(),
  namespace: operatorNamespace,
  ...context,
});
const { feed, ledger } = inventory;
const service = inventoryService({
  feed,
  allocations: (filter, page) => ledger.allocations(filter, page),
  status: () => {
    throw new Error('nobody asks for it here');
  },
});
const { address } = await startRpcServer({ services: [service] });
inventory.feed.onGeneration(() => probe.published());
for await (const { kind } of inventory.feed.subscribe(undefined, new AbortController().signal)) {
  if (kind !== 'snapshot') continue;
  probe.ready(address);
  inventory.sources.pods.subscribe({
    added: ({ value }) => probe.event('added', value.leaseLabels[podLabel]),
    deleted: ({ value }) => probe.event('deleted', value.leaseLabels[podLabel]),
  });
}
