import { type Log, seededRandom, systemClock } from '@quartermaster/kernel';
import { KubeClient, kinds } from '@quartermaster/kube';
import {
  ClusterControllers,
  cephTools,
  cephToolsImage,
  expandScenario,
  ImageRegistry,
  loadScenario,
  loadWorld,
  NodePool,
  type NodeSpec,
  playChurn,
  type Scenario,
  Scheduler,
  type World,
} from '@quartermaster/simulator';
import { apiFaults } from '../faults/api-faults.ts';
import { faultBook } from '../faults/fault-book.ts';
import { startFaultControl } from '../faults/fault-control.ts';
import { NodeFaults } from '../faults/node-faults.ts';
import { productImage } from '../product/product.ts';
import { agentImage } from './agent-image.ts';
import { type ClusterSettings, type KubeletIdentity, readKubeletIdentity } from './cluster-settings.ts';
import type { StartedPart } from './serve-parent.ts';
import { startSimulatedApi } from './simulated-api.ts';

/** So many heartbeats must be missing before a node counts as lost. */
const missedHeartbeats = 5;

/** Larger clusters are for measuring: their pods would bury the API in Events that nobody reads. */
const maxNodesWithEvents = 1_000;

/** Says in the cluster itself which scenario it was filled from, and that this is done. */
const loadedMark = { namespace: 'kube-system', name: 'quartermaster-scenario' };

type OnProgress = (text: string) => void;

/** Parts that run, in the order in which they were started; stopped in the reverse one. */
type Running = (() => Promise<void>)[];

/** Plays the cluster, or its nodes alone, as told. Stops what it started when it cannot finish. */
export async function startSimulation(
  settings: ClusterSettings,
  log: Log,
  onProgress: OnProgress,
  signal: AbortSignal,
): Promise<StartedPart> {
  const running: Running = [];
  const stop = async (): Promise<void> => {
    for (const end of running.splice(0).toReversed()) await end();
  };
  try {
    const summary = await startParts(settings, log, onProgress, signal, running);
    return { ready: { summary, kubeconfig: settings.kubeconfig }, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startParts(
  settings: ClusterSettings,
  log: Log,
  onProgress: OnProgress,
  signal: AbortSignal,
  running: Running,
): Promise<string> {
  const { what, kubeconfig } = settings;
  const scenario = await loadScenario(settings.scenario);
  const world = expandScenario(scenario);
  onProgress('starting the API');
  const kubelet = await startApi(settings, scenario, log, running);
  const client = await KubeClient.connect({ kubeconfig, userAgent: 'quartermaster-simulator' });
  running.push(() => client.close());
  signal.throwIfAborted();
  const load = () => fill(client, { name: settings.scenario, world, onProgress }, signal);
  // To read what is there already costs less than to follow how it comes. Real controllers remove pods whose nodes do not exist.
  if (what === 'simulated') await load();
  onProgress(`registering ${world.nodes.length} nodes`);
  const pool = await startNodes(client, { scenario, world, kubelet, log });
  running.push(() => pool.stop());
  if (what === 'simulated') startControllers(client, pool, { scenario, world, log }, running);
  else await load();
  startTenants(client, scenario, world, log, running);
  const faults = faultBook(new NodeFaults(pool), what === 'simulated' ? apiFaults(client.transport) : undefined, systemClock);
  const control = await startFaultControl(faults, settings.controlFile);
  running.push(() => control.stop());
  return `${world.nodes.length} nodes of the scenario ${settings.scenario}`;
}

async function startApi(settings: ClusterSettings, { seed }: Scenario, log: Log, running: Running): Promise<KubeletIdentity | undefined> {
  const { what, kubeconfig, directory, kubeletIdentity } = settings;
  if (what === 'nodes') return kubeletIdentity === undefined ? undefined : readKubeletIdentity(kubeletIdentity);
  const api = await startSimulatedApi({ directory, kubeconfig, seed, log });
  running.push(() => api.stop());
  return api.kubelet;
}

function startControllers(
  client: KubeClient,
  { pods }: NodePool,
  { scenario, world, log }: Omit<NodesOptions, 'kubelet'>,
  running: Running,
): void {
  const nodeGraceMs = scenario.timing.heartbeatMs * missedHeartbeats;
  const events = hasEvents(world);
  const stopping = new AbortController();
  const work = Promise.all([
    new Scheduler({ client, pods, events, log }).run(stopping.signal),
    new ClusterControllers({ client, pods, nodeGraceMs, events, log }).run(stopping.signal),
  ]);
  running.push(async () => {
    stopping.abort(new Error('the cluster is stopped'));
    await work;
  });
}

interface NodesOptions {
  readonly scenario: Scenario;
  readonly world: World;
  readonly kubelet: KubeletIdentity | undefined;
  readonly log: Log;
}

function startNodes(client: KubeClient, { scenario, world, kubelet, log }: NodesOptions): Promise<NodePool> {
  const { heartbeatMs, statusMs, podStartMs } = scenario.timing;
  const images = new ImageRegistry();
  const { ceph } = scenario.storage;
  if (ceph !== undefined) images.register(cephToolsImage, () => cephTools(ceph));
  images.register(productImage, agentImage({ client, nodes: world.nodes.length, log }));
  return NodePool.start({
    client,
    nodes: world.nodes.map(withGpuLabels),
    images,
    server: kubelet,
    leaseIntervalMs: heartbeatMs,
    statusIntervalMs: statusMs,
    podStartMs,
    events: hasEvents(world),
    log,
  });
}

const hasEvents = ({ nodes }: World): boolean => nodes.length <= maxNodesWithEvents;

/** Once for a cluster: what somebody deleted since does not come back with the next start. */
async function fill(
  client: KubeClient,
  { name, world, onProgress }: { readonly name: string; readonly world: World; readonly onProgress: OnProgress },
  signal: AbortSignal,
): Promise<void> {
  if ((await client.find(kinds.configMaps, loadedMark, { signal })) !== undefined) return;
  onProgress('creating what the scenario describes');
  await loadWorld(client, world, signal);
  await client.create(kinds.configMaps, { metadata: loadedMark, data: { scenario: name } }, { signal });
}

function startTenants(client: KubeClient, { churn, seed }: Scenario, { namespaces }: World, log: Log, running: Running): void {
  if (churn === undefined) return;
  const stopping = new AbortController();
  // A tenant that is refused, as when it meets its own workload of an earlier start, is part of the play and no news.
  const quiet: Log = { ...log, debug: log.debug.bind(log), warn: log.debug.bind(log) };
  const work = playChurn({ client, settings: churn, namespaces, random: seededRandom(seed), log: quiet }, stopping.signal);
  running.push(async () => {
    stopping.abort(new Error('the cluster is stopped'));
    await work;
  });
}

/** The labels that the GPU vendors' own discovery puts on a node: which product its GPUs are. */
function withGpuLabels(node: NodeSpec): NodeSpec {
  const labels: Record<string, string> = {};
  for (const { vendor, productName } of node.hardware.gpus) {
    // A label's value has no spaces; the vendors' tools write dashes.
    labels[`${vendor}.com/gpu.product`] = productName.replaceAll(/[^A-Za-z0-9_.-]+/g, '-').slice(0, 63);
  }
  return { ...node, labels: { ...labels, ...node.labels } };
}
