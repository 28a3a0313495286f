/**
 * The simulated API server with the nodes and pods of the scenario 5000-nodes, or with a fraction of them, and the report of a discovery agent for
 * every node. Nobody runs on it: nothing but the writer changes anything.
 */
import { rmSync } from 'node:fs';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contractsFolder } from '@quartermaster/api/manifests';
import { nodeHardwareType } from '@quartermaster/api/node-hardware';
import { discoverHardware, discoveryName } from '@quartermaster/inventory/discovery';
import { systemClock } from '@quartermaster/kernel';
import { type KubeClient as Client, KubeClient, kinds } from '@quartermaster/kube';
import {
  expandScenario,
  hardwareFilesystem,
  loadScenario,
  type NodeSpec,
  type Scenario,
  SimulatedNode,
  startSimulatedServer,
} from '@quartermaster/simulator';
import { parse } from 'yaml';
import { type ClusterReady, churnNamespace, operatorNamespace } from './protocol.ts';

const [count = ''] = process.argv.slice(2);
const loadSize = 1000;

async function load(client: Client, model: object, variations: readonly object[]): Promise<void> {
  for (let start = 0; start < variations.length; start += loadSize) {
    await client.transport.json({
      what: 'load objects',
      method: 'POST',
      path: '/simulator/objects',
      contentType: 'application/json',
      body: JSON.stringify({ model, variations: variations.slice(start, start + loadSize) }),
    });
  }
}

function shrunk(scenario: Scenario, nodes: number): Scenario {
  const all = scenario.racks.flatMap((rack) => rack.nodes).reduce((sum, group) => sum + group.count, 0);
  const racks = scenario.racks.map((rack) => ({
    ...rack,
    nodes: rack.nodes.map((group) => ({ ...group, count: Math.round((group.count * nodes) / all) })),
  }));
  return { ...scenario, racks };
}

async function loadNodes(client: Client, nodes: readonly NodeSpec[]): Promise<void> {
  for (const alike of Map.groupBy(nodes, ({ name }) => name.split('-')[0]).values()) {
    const objects = alike.map((spec) => new SimulatedNode(spec, systemClock).object(undefined));
    const [first] = objects;
    if (first === undefined) continue;
    await load(
      client,
      first,
      objects.map(({ metadata, spec, status }) => ({ metadata: { name: metadata?.name, labels: metadata?.labels }, spec, status })),
    );
    await loadHardware(client, alike);
  }
}

/** One machine is read by the agent's own code; the others are like it but for their cards and serial numbers. */
async function loadHardware(client: Client, alike: readonly NodeSpec[]): Promise<void> {
  const [first] = alike;
  if (first === undefined) return;
  const facts = await discoverHardware(hardwareFilesystem(first.name, first.hardware), { agentVersion: '0.1.0' });
  const { group, version, kind } = nodeHardwareType;
  await load(
    client,
    { apiVersion: `${group}/${version}`, kind, metadata: {}, spec: facts },
    alike.map(({ name, hardware }) => ({
      metadata: { name },
      spec: {
        machine: { ...facts.machine, hostname: name, serial: hardware.serial, systemUuid: hardware.systemUuid },
        gpus: (facts.gpus ?? []).map((gpu, index) => ({ ...gpu, uuid: hardware.gpus[index]?.uuid ?? gpu.uuid })),
      },
    })),
  );
}

/** The pods of the agents, which have read their machines. */
async function loadAgents(client: Client, nodes: readonly NodeSpec[]): Promise<void> {
  const metadata = { namespace: operatorNamespace, labels: { 'app.kubernetes.io/name': discoveryName } };
  const ready = { type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' };
  const spec = { containers: [{ name: 'discovery', image: 'quartermaster' }] };
  await load(
    client,
    { apiVersion: 'v1', kind: 'Pod', metadata: {}, spec, status: { phase: 'Running', conditions: [ready] } },
    nodes.map(({ name }) => ({ metadata: { ...metadata, name: `${discoveryName}-${name}` }, spec: { nodeName: name } })),
  );
}

process.on('disconnect', () => process.exit(0));
const server = await startSimulatedServer({ historyLimit: 100_000, metrics: true });
const directory = await mkdtemp(join(tmpdir(), 'quartermaster-bench-'));
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
const kubeconfig = join(directory, 'kubeconfig');
await writeFile(kubeconfig, server.kubeconfig, { mode: 0o600 });
const client = await KubeClient.connect({ kubeconfig });
const world = expandScenario(shrunk(await loadScenario('5000-nodes'), Number(count)));
await client.create(kinds.customResourceDefinitions, parse(await readFile(new URL('node-hardware.yaml', contractsFolder), 'utf8')));
for (const name of [...world.namespaces, churnNamespace]) await client.create(kinds.namespaces, { metadata: { name } });
while ((await client.list(nodeHardwareType, { limit: 1 }).catch(() => undefined)) === undefined);
await loadNodes(client, world.nodes);
await loadAgents(client, world.nodes);
for (const { model, variations } of world.runningPods()) await load(client, model, [...variations]);
process.send?.({ kubeconfig, nodes: world.nodes.map(({ name }) => name) } satisfies ClusterReady);
