/**
 * Everything but the gateways and their tenants: a simulated cluster of ten nodes, its inventory, and a market where one account has leases. Its pods write lines, as many as
 * their environment says; one has written a gigabyte.
 */
import { rmSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { contractsFolder } from '@quartermaster/api/manifests';
import { BidChoice, Deployments, Leases } from '@quartermaster/api/market';
import { nodeHardwareType } from '@quartermaster/api/node-hardware';
import { tenantLeaseType } from '@quartermaster/api/tenant-lease';
import { clusterRole } from '@quartermaster/cluster/roles';
import { inventoryRole } from '@quartermaster/inventory/roles';
import { inventoryTokens } from '@quartermaster/inventory/testing';
import { sleep, systemClock } from '@quartermaster/kernel';
import { KubeClient, type KubeObject, kinds, type ResourceType } from '@quartermaster/kube';
import { startTestMarket } from '@quartermaster/market/testing';
import { startRole } from '@quartermaster/runtime/testing';
import { closeServer, listen, readManifests, selfSignedTls } from '@quartermaster/service';
import { type ContainerProgram, ImageRegistry, loadScenario, playScenario, startSimulatedServer } from '@quartermaster/simulator';
import { leaseSdl } from './lease-sdl.ts';
import { type Deployed, linesPerSecond, longLineLength, longLines, owner, type SiteReady, type TenantLease } from './protocol.ts';

const lookAgainMs = 200;
const provider = 'farm';
const [leaseCount, servicesOfLease] = [10, 5];
const tokenSeconds = 3_600n;

const [databaseUrl = ''] = process.argv.slice(2);
const directory = await mkdtemp(join(tmpdir(), 'quartermaster-bench-'));
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));

async function file(name: string, text: string): Promise<string> {
  await writeFile(join(directory, name), text, { mode: 0o600 });
  return join(directory, name);
}

/** Has written its log when it starts. The lines are one string, so that they need no memory here. */
const talkativeProgram: ContainerProgram = async (context, signal) => {
  const line = 'x'.repeat(longLineLength);
  for (let written = 0; written < longLines; written += 1) context.log(line);
  if (!signal.aborted) await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
};

async function startCluster(): Promise<{ readonly kubeconfig: string; readonly client: KubeClient }> {
  const server = await startSimulatedServer();
  const kubeconfig = await file('kubeconfig', server.kubeconfig);
  const client = await KubeClient.connect({ kubeconfig });
  const contracts = ['node-hardware', ...(clusterRole.deployment?.contracts ?? [])];
  for (const definition of await readManifests(contractsFolder, contracts))
    await client.apply<KubeObject>(kinds.customResourceDefinitions, definition, { fieldManager: 'bench' });
  const types: readonly ResourceType[] = [nodeHardwareType, tenantLeaseType];
  for (const type of types)
    while ((await client.list(type, { limit: 1 }).catch(() => undefined)) === undefined) await sleep(systemClock, lookAgainMs);
  await client.create(kinds.namespaces, { metadata: { name: 'quartermaster' } });
  const images = new ImageRegistry();
  images.register('talkative', () => ({ run: talkativeProgram }));
  const scenario = await loadScenario(fileURLToPath(new URL('ten-nodes.yaml', import.meta.url)));
  const kubelet = await server.issueCertificate({ commonName: 'kubelet', hosts: ['127.0.0.1'] });
  await playScenario({ client, scenario, images, server: { ...kubelet, clientAuthority: server.certificateAuthority }, ownControl: true });
  return { kubeconfig, client };
}

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server, { host: '127.0.0.1', port: 0 });
  await closeServer(server, 0, systemClock);
  return port;
}

const { kubeconfig, client } = await startCluster();
const market = await startTestMarket({ databaseUrl, terms: { choiceDelayMs: 0 } });
const deployments = market.tenant(owner).client(Deployments);
const leasesOf = market.tenant(owner).client(Leases);

async function deploy(
  services: readonly string[],
  image: string,
): Promise<{ readonly dseq: bigint; readonly services: readonly string[] }> {
  const sdl = leaseSdl(services, { image, env: [`SIMULATED_LOG_LINES_PER_SECOND=${linesPerSecond}`] });
  const { object } = await deployments.create({ object: { spec: { sdl, choice: BidChoice.CHEAPEST } } });
  return { dseq: object?.status?.dseq ?? 0n, services };
}

async function untilRunning(count: number): Promise<void> {
  for (;;) {
    const { items } = await client.list(tenantLeaseType);
    if (items.filter(({ status }) => status?.reason === 'Running').length === count) return;
    await sleep(systemClock, lookAgainMs);
  }
}

async function deployAll(): Promise<Deployed> {
  const names = Array.from({ length: servicesOfLease }, (_, index) => `web${index}`);
  const all = [await deploy(['web'], 'talkative:1')];
  for (let each = 0; each < leaseCount; each += 1) all.push(await deploy(names, 'nginx:1'));
  await untilRunning(all.length);
  const { items } = await leasesOf.list({});
  const withToken = async ({ dseq, services }: (typeof all)[number]): Promise<TenantLease> => {
    const id = items.find(({ spec }) => spec?.order?.dseq === dseq)?.id ?? '';
    const { token } = await leasesOf.createToken({ id, scopes: ['logs', 'shell', 'status'], lifetime: { seconds: tokenSeconds } });
    return { dseq: String(dseq), services, token };
  };
  const [talkative, ...leases] = await Promise.all(all.map(withToken));
  if (talkative === undefined) throw new Error('there are no leases');
  return { leases, talkative };
}

const tokens = await inventoryTokens();
const operator = await startRole(inventoryRole, { kubeconfig, args: tokens.args });
const certificates = await selfSignedTls({ commonName: 'bench', names: ['127.0.0.1'] });
const { cert, key } = certificates.serverOptions();
const [certFile, keyFile] = [await file('tls.crt', String(cert)), await file('tls.key', String(key))];
const marketToken = await market.token({ name: 'agent of the bench', role: 'provider', source: provider });
const port = await freePort();
process.on('disconnect', () => process.exit(0));
process.on('message', () => void deployAll().then((deployed) => process.send?.(deployed)));
process.send?.({
  ...{ kubeconfig, certFile, keyFile },
  gateway: `127.0.0.1:${port}`,
  market: { address: market.grpcAddress, token: marketToken },
  clusterArgs: [
    `--cluster-inventory-address=${operator.served.grpc}`,
    `--cluster-inventory-token-file=${await file('inventory-token', await tokens.issue('admin'))}`,
    `--cluster-market-address=${market.grpcAddress}`,
    `--cluster-market-token-file=${await file('market-token', marketToken)}`,
    ...['--bid-price-cpu-scale=0.001', '--bid-timeout=24h', '--manifest-timeout=24h', '--cluster-pending-per-owner=100'],
    ...['--cluster-pending-owner-share=1', '--cluster-pending-share=1'],
    ...['--deployment-ingress-domain=farm.example', '--deployment-ingress-static-hosts=true'],
    ...[`--gateway-port=${port}`, `--gateway-tls-cert-file=${certFile}`, `--gateway-tls-key-file=${keyFile}`],
    // One account is all tenants here.
    ...['--gateway-requests-per-second=0', '--gateway-streams-per-tenant=0', '--gateway-shells-per-minute=0'],
  ],
} satisfies SiteReady);
