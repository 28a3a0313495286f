/** The operator as its role runs it, without the servers: caches, ledger, feed with a reader of deltas, and the topics of the bus. */
import { createMemoryBus } from '@quartermaster/bus';
import { Inventory } from '@quartermaster/inventory';
import { silentLog, systemClock, systemRandom } from '@quartermaster/kernel';
import { cacheOpener, KubeClient } from '@quartermaster/kube';
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
inventory.feed.onGeneration(() => probe.published());
for await (const { kind } of inventory.feed.subscribe(undefined, new AbortController().signal)) {
  if (kind !== 'snapshot') continue;
  probe.ready();
  inventory.sources.pods.subscribe({
    added: ({ value }) => probe.event('added', value.leaseLabels[podLabel]),
    deleted: ({ value }) => probe.event('deleted', value.leaseLabels[podLabel]),
  });
}
