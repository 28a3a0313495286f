import { type Clock, type Log, messageOf, type Random, seededRandom, silentLog, systemClock, systemRandom } from '@quartermaster/kernel';
import type { KubeClient } from '@quartermaster/kube';
import { ClusterControllers } from '../cluster/controllers/cluster-controllers.ts';
import { ImageRegistry } from '../cluster/kubelet/image-registry.ts';
import { NodePool } from '../cluster/node-pool.ts';
import type { ClusterPods } from '../cluster/pods/cluster-pods.ts';
import { Scheduler } from '../cluster/scheduler/scheduler.ts';
import type { KubeletServerOptions } from '../cluster/streams/kubelet-server.ts';
import { cephTools, cephToolsImage } from './ceph.ts';
import { playChurn } from './churn.ts';
import { loadWorld } from './load-world.ts';
import type { Scenario } from './scenario.ts';
import { expandScenario, type World } from './world.ts';

export interface PlayScenarioOptions {
  /** Stays open when the play stops. */
  readonly client: KubeClient;
  readonly scenario: Scenario;
  /** Further images whose programs run on the nodes. The scenario's own are added. */
  readonly images?: ImageRegistry | undefined;
  /** Where logs and exec are served. */
  readonly server?: KubeletServerOptions | undefined;
  /** Whether our scheduler and controllers run: not where real ones do. */
  readonly ownControl: boolean;
  /** Whether the scenario's objects are created through the API; false where the server has them already. Default true. */
  readonly loadObjects?: boolean | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
  readonly log?: Log | undefined;
}

/** A scenario that is being played. */
export interface Play {
  readonly world: World;
  /** The nodes, and the faults that they can have. */
  readonly pool: NodePool;
  /** Ends everything that runs; what is in the API server stays. */
  stop(): Promise<void>;
}

/** Nodes without a Lease for this many heartbeats count as lost. */
const missedHeartbeats = 5;

/** Brings a scenario to life on an API server; resolves when its nodes are registered and its objects created. */
export async function playScenario(options: PlayScenarioOptions): Promise<Play> {
  const { client, scenario, clock = systemClock, random = systemRandom, log = silentLog } = options;
  const context = { client, clock, random, log };
  const world = expandScenario(scenario);
  const { ceph } = scenario.storage;
  const images = options.images ?? new ImageRegistry();
  if (ceph !== undefined) images.register(cephToolsImage, () => cephTools(ceph));

  const stopping = new AbortController();
  const running: Promise<void>[] = [];
  const run = (what: string, work: Promise<void>): void => {
    running.push(
      work.catch((error: unknown) => log.error('a component of the simulated cluster failed', { part: what, error: messageOf(error) })),
    );
  };
  const startControl = (pods: ClusterPods): void => {
    const loadBalancerPools = new Map(scenario.loadBalancer.pools.map(({ name, addresses }) => [name, addresses]));
    const nodeGraceMs = scenario.timing.heartbeatMs * missedHeartbeats;
    run('scheduler', new Scheduler({ ...context, pods }).run(stopping.signal));
    run('controllers', new ClusterControllers({ ...context, pods, nodeGraceMs, addresses: { loadBalancerPools } }).run(stopping.signal));
  };
  let pool: NodePool | undefined;
  const stop = async (): Promise<void> => {
    stopping.abort(new Error('the scenario is stopped'));
    await Promise.all([...running, pool?.stop()]);
  };
  const load = async (): Promise<void> => {
    if (options.loadObjects !== false) await loadWorld(client, world, stopping.signal, clock);
  };
  try {
    // To read what is there already costs less than to follow how it comes. Real controllers remove pods whose nodes do not exist.
    if (options.ownControl) await load();
    pool = await NodePool.start({
      ...context,
      nodes: world.nodes,
      images,
      server: options.server,
      leaseIntervalMs: scenario.timing.heartbeatMs,
      statusIntervalMs: scenario.timing.statusMs,
      podStartMs: scenario.timing.podStartMs,
    });
    if (options.ownControl) startControl(pool.pods);
    else await load();
  } catch (error) {
    await stop();
    throw error;
  }
  if (scenario.churn !== undefined) {
    const settings = { ...context, settings: scenario.churn, namespaces: world.namespaces, random: seededRandom(scenario.seed) };
    run('churn', playChurn(settings, stopping.signal));
  }
  return { world, pool, stop };
}
