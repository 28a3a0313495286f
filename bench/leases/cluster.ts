/**
 * The simulated API server with one hundred nodes, whose kubelets, scheduler and controllers run in this process and do what they do in any scenario. Counts the requests of
 * the process that runs leases.
 */
import { subscribe } from 'node:diagnostics_channel';
import { rmSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hostnameClaimType } from '@quartermaster/api/hostname-claim';
import { manifestType } from '@quartermaster/api/manifest';
import { contractsFolder } from '@quartermaster/api/manifests';
import { providerHostType } from '@quartermaster/api/provider-host';
import { providerLeasedIPType } from '@quartermaster/api/provider-leased-ip';
import { tenantLeaseType } from '@quartermaster/api/tenant-lease';
import { sleep, systemClock } from '@quartermaster/kernel';
import { KubeClient, type KubeObject, kinds, type ResourceType } from '@quartermaster/kube';
import { readManifests } from '@quartermaster/service';
import { loadScenario, playScenario, startSimulatedServer } from '@quartermaster/simulator';
import { type ClusterReady, measuredAgent, type RequestCount } from './protocol.ts';

const contracts = ['tenant-lease', 'manifest', 'provider-host', 'provider-leased-ip', 'hostname-claim', 'address-claim', 'tenant-shell'];
const types = [tenantLeaseType, manifestType, providerHostType, providerLeasedIPType, hostnameClaimType] as unknown as ResourceType[];
const lookAgainMs = 20;

let [requests, writes] = [0, 0];
subscribe('http.server.request.start', (message) => {
  const { headers, method, url = '' } = (message as { readonly request: IncomingMessage }).request;
  if (headers['user-agent'] !== measuredAgent) return;
  requests += 1;
  if (method !== 'GET' && !url.startsWith('/apis/coordination.k8s.io/')) writes += 1;
});

process.on('disconnect', () => process.exit(0));
process.on('message', () => process.send?.({ requests, writes } satisfies RequestCount));
const server = await startSimulatedServer({ historyLimit: 100_000 });
const directory = await mkdtemp(join(tmpdir(), 'quartermaster-bench-'));
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
const kubeconfig = join(directory, 'kubeconfig');
await writeFile(kubeconfig, server.kubeconfig, { mode: 0o600 });
const client = await KubeClient.connect({ kubeconfig });
for (const definition of await readManifests(contractsFolder, contracts))
  await client.apply<KubeObject>(kinds.customResourceDefinitions, definition, { fieldManager: 'bench' });
for (const type of types)
  while ((await client.list(type, { limit: 1 }).catch(() => undefined)) === undefined) await sleep(systemClock, lookAgainMs);
await client.create(kinds.namespaces, { metadata: { name: 'lease' } });
const scenario = await loadScenario(fileURLToPath(new URL('../simulator/hundred-nodes.yaml', import.meta.url)));
// Nothing but leases runs on them.
const { world } = await playScenario({ client, scenario: { ...scenario, tenants: [] }, ownControl: true });
// As the inventory marks nodes that it has read.
const marks = { metadata: { labels: { 'akash.network': 'true' } } };
for (const { name } of world.nodes) await client.patch(kinds.nodes, { name }, { kind: 'merge', body: marks });
process.send?.({ kubeconfig, nodes: world.nodes.map(({ name }) => name) } satisfies ClusterReady);
