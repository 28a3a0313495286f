/** The inventory operator and the cluster service, which bids, on a cluster that is there. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bidDecisionType } from '@quartermaster/api/bid-decision';
import { contractsFolder } from '@quartermaster/api/manifests';
import { nodeHardwareType } from '@quartermaster/api/node-hardware';
import { reservationType } from '@quartermaster/api/reservation';
import { clusterRole } from '@quartermaster/cluster/roles';
import { inventoryRole } from '@quartermaster/inventory/roles';
import { inventoryTokens } from '@quartermaster/inventory/testing';
import { sleep, systemClock } from '@quartermaster/kernel';
import { KubeClient, type KubeObject, kinds } from '@quartermaster/kube';
import { startRole } from '@quartermaster/runtime/testing';
import { readManifests } from '@quartermaster/service';

const lookAgainMs = 200;

const [kubeconfig = '', marketAddress = '', marketToken = '', ordersAtOnce = ''] = process.argv.slice(2);
const client = await KubeClient.connect({ kubeconfig });
const directory = await mkdtemp(join(tmpdir(), 'quartermaster-bench-'));

async function file(name: string, text: string): Promise<string> {
  await writeFile(join(directory, name), text, { mode: 0o600 });
  return join(directory, name);
}

async function installContracts(): Promise<void> {
  for (const definition of await readManifests(contractsFolder, ['node-hardware', 'reservation', 'bid-decision']))
    await client.apply<KubeObject>(kinds.customResourceDefinitions, definition, { fieldManager: 'bench' });
  const served = [
    () => client.list(nodeHardwareType, { limit: 1 }),
    () => client.list(reservationType, { limit: 1 }),
    () => client.list(bidDecisionType, { limit: 1 }),
  ];
  for (const list of served) while ((await list().catch(() => undefined)) === undefined) await sleep(systemClock, lookAgainMs);
  await client.apply(kinds.namespaces, { metadata: { name: 'quartermaster' } }, { fieldManager: 'bench' });
}

async function rest(): Promise<void> {
  const atStake = new Set(['Reserved', 'Bid', 'Won']);
  for (;;) {
    const { items: reserved } = await client.list(reservationType, { limit: 1 });
    if (reserved.length === 0) {
      const { items: decisions } = await client.list(bidDecisionType);
      if (decisions.every(({ status }) => !atStake.has(status?.phase ?? ''))) return;
    }
    await sleep(systemClock, lookAgainMs);
  }
}

await installContracts();
const tokens = await inventoryTokens();
const operator = await startRole(inventoryRole, { kubeconfig, args: tokens.args });
const prices = ['--bid-price-cpu-scale=0.004', '--bid-price-memory-scale=0.0016', '--bid-price-storage-scale=0.0002', '--bid-timeout=24h'];
await startRole(clusterRole, {
  kubeconfig,
  args: [
    `--cluster-inventory-address=${operator.served.grpc}`,
    `--cluster-inventory-token-file=${await file('inventory-token', await tokens.issue('admin'))}`,
    `--cluster-market-address=${marketAddress}`,
    `--cluster-market-token-file=${await file('market-token', marketToken)}`,
    `--bid-orders-at-once=${ordersAtOnce}`,
    ...prices,
  ],
});
process.on('disconnect', () => {
  void Promise.all([tokens.end(), rm(directory, { recursive: true, force: true })]).finally(() => process.exit(0));
});
process.on('message', () => void rest().then(() => process.send?.({})));
process.send?.({});
