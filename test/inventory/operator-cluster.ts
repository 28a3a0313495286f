import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contractsFolder } from '@quartermaster/api/manifests';
import { type GpuFacts, type HardwareFacts, nodeHardwareType } from '@quartermaster/api/node-hardware';
import { discoveryName } from '@quartermaster/inventory/discovery';
import { KubeClient, type KubeObject, kinds } from '@quartermaster/kube';
import type { Node, Pod } from '@quartermaster/kube/shapes';
import { readManifests } from '@quartermaster/service';
import { startSimulatedServer } from '@quartermaster/simulator';
import { vi } from 'vitest';
import { type ControlPlane, type ControlPlaneOptions, startControlPlane } from '../kube/control-plane.ts';

/** An API server, without controllers unless they are asked for: then nobody but the test and the operator changes anything. */
export interface OperatorCluster {
  readonly kubeconfig: string;
  readonly client: KubeClient;
  stop(): Promise<void>;
}

/** Generous: everything runs on one small machine, beside other tests. */
export const patience = { timeout: 60_000, interval: 50 };
export const gib = 2 ** 30;
export const tenant = 'lease-1';
export const operatorNamespace = 'quartermaster';
/** As a kubelet and a device plugin report a node with eight cards. */
export const gpuNodeResources = { cpu: '64', memory: '512Gi', 'ephemeral-storage': '1000Gi', pods: '110', 'nvidia.com/gpu': '8' };

export async function startSimulatedCluster(): Promise<OperatorCluster> {
  const server = await startSimulatedServer();
  const directory = await mkdtemp(join(tmpdir(), 'operator-'));
  const kubeconfig = join(directory, 'kubeconfig');
  await writeFile(kubeconfig, server.kubeconfig, { mode: 0o600 });
  return await prepared(kubeconfig, async () => {
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  });
}

export interface RealCluster extends OperatorCluster {
  readonly controlPlane: ControlPlane;
}

export async function startRealCluster(options: ControlPlaneOptions = { scheduler: false, controllers: false }): Promise<RealCluster> {
  const controlPlane = await startControlPlane(options);
  return { ...(await prepared(controlPlane.kubeconfig, () => controlPlane.stop())), controlPlane };
}

async function prepared(kubeconfig: string, end: () => Promise<void>): Promise<OperatorCluster> {
  const client = await KubeClient.connect({ kubeconfig });
  await prepare(client);
  return {
    kubeconfig,
    client,
    stop: async () => {
      await client.close();
      await end();
    },
  };
}

/** The kind of the agents' reports, and namespaces in which pods may be made. */
export async function prepare(client: KubeClient): Promise<void> {
  const [definition = {}] = await readManifests(contractsFolder, ['node-hardware']);
  await client.apply<KubeObject>(kinds.customResourceDefinitions, definition, { fieldManager: 'test' });
  for (const name of [operatorNamespace, tenant]) {
    await client.create(kinds.namespaces, { metadata: { name } });
    await client.apply(kinds.serviceAccounts, { metadata: { namespace: name, name: 'default' } }, { fieldManager: 'test', force: true });
  }
  await vi.waitFor(() => client.list(nodeHardwareType, { limit: 1 }), patience);
}

export interface NodeOptions {
  readonly resources?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
}

/** A node that is ready for pods. */
export async function addNode(client: KubeClient, name: string, options: NodeOptions = {}): Promise<Node> {
  const { resources = gpuNodeResources, labels = {} } = options;
  await client.create(kinds.nodes, {
    metadata: { name, labels: { 'kubernetes.io/hostname': name, ...labels } },
    status: nodeStatus(resources),
  });
  // The real server taints nodes that register, until a controller finds them ready.
  return await client.patch(kinds.nodes, { name }, { kind: 'merge', body: { spec: { taints: null } } });
}

export async function setNodeStatus(client: KubeClient, name: string, resources: Readonly<Record<string, string>>): Promise<void> {
  await client.patch(kinds.nodes, { name }, { kind: 'merge', body: { status: nodeStatus(resources) } }, { subresource: 'status' });
}

function nodeStatus(resources: Readonly<Record<string, string>>): NonNullable<Node['status']> {
  const time = '2026-01-01T00:00:00Z';
  const ready = { type: 'Ready', status: 'True', reason: 'KubeletReady', lastHeartbeatTime: time, lastTransitionTime: time };
  // A device plugin keeps the capacity of a card that it takes out of what can be given away.
  const cards = 'nvidia.com/gpu' in resources ? { 'nvidia.com/gpu': '8' } : {};
  return { capacity: { ...resources, ...cards }, allocatable: { ...resources }, conditions: [ready] };
}

export interface PodOptions {
  readonly cpu?: string;
  readonly memory?: string;
  readonly gpus?: number;
}

export async function addPod(client: KubeClient, name: string, node: string, options: PodOptions = {}): Promise<Pod> {
  return await client.create(kinds.pods, podOn(name, node, options));
}

export function podOn(name: string, node: string, { cpu = '500m', memory = '1Gi', gpus = 0 }: PodOptions = {}): Pod {
  const devices = gpus === 0 ? {} : { 'nvidia.com/gpu': String(gpus) };
  const resources = { requests: { cpu, memory, ...devices }, limits: devices };
  return {
    metadata: { namespace: tenant, name, labels: { 'akash.network/lease.id.dseq': '7' } },
    spec: { nodeName: node, containers: [{ name: 'main', image: 'registry.invalid/plain', resources }] },
  };
}

export async function setPhase(client: KubeClient, name: string, phase: string): Promise<void> {
  const ref = { namespace: tenant, name };
  await client.patch(kinds.pods, ref, { kind: 'merge', body: { status: { phase } } }, { subresource: 'status' });
}

export async function removePod(client: KubeClient, name: string): Promise<void> {
  await client.delete(kinds.pods, { namespace: tenant, name }, { gracePeriodSeconds: 0 });
}

/** What an agent reports of eight H100 cards, or of cards of another product. */
export function hardwareOf(node: string, productId = '2330', more: Partial<HardwareFacts> = {}): HardwareFacts {
  const gpus = Array.from(
    { length: 8 },
    (_, index): GpuFacts => ({
      pciAddress: `0000:${index}b:00.0`,
      vendorId: '10de',
      productId,
      uuid: `GPU-${node}-${index}`,
      memoryBytes: 80 * gib,
      health: { state: 'healthy' },
    }),
  );
  const cpu = { architecture: 'amd64', threads: 64, sockets: [{ id: '0', vendor: 'AuthenticAMD', model: 'EPYC', cores: 32, threads: 64 }] };
  const memory = { totalBytes: 512 * gib, modules: [] };
  return { observedAt: '2026-01-01T00:00:00.000Z', agentVersion: '0.1.0', machine: { hostname: node }, cpu, memory, gpus, ...more };
}

/** The pod of the node's agent, which has read the machine. */
export async function addAgent(client: KubeClient, node: string): Promise<void> {
  const metadata = { ...agentOf(node), labels: { 'app.kubernetes.io/name': discoveryName } };
  await client.create(kinds.pods, { metadata, spec: { nodeName: node, containers: [{ name: 'discovery', image: 'agent' }] } });
  await setAgentReady(client, node, 'True', Date.now());
}

export const agentOf = (node: string) => ({ namespace: operatorNamespace, name: `${discoveryName}-${node}` });

/** As the kubelet writes it. */
export async function setAgentReady(client: KubeClient, node: string, status: 'True' | 'False', since: number): Promise<void> {
  const conditions = [{ type: 'Ready', status, lastTransitionTime: new Date(since).toISOString().replace(/\.\d+/, '') }];
  const body = { status: { phase: 'Running', conditions } };
  await client.patch(kinds.pods, agentOf(node), { kind: 'merge', body }, { subresource: 'status' });
}

export async function report(client: KubeClient, node: string, facts: HardwareFacts): Promise<void> {
  await client.apply(nodeHardwareType, { metadata: { name: node }, spec: facts }, { fieldManager: 'test-agent', force: true });
}
