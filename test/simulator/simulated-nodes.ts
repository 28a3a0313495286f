import { KubeClient, kinds } from '@quartermaster/kube';
import type { Pod } from '@quartermaster/kube/shapes';
import { type KubeletServerOptions, NodePool } from '@quartermaster/simulator';
import { afterAll, beforeAll, expect } from 'vitest';
import type { KubectlResult } from '../kube/kubectl.ts';
import { agentImages, isReady, namespace, nodeSpecs } from './cluster-fixtures.ts';
import { GpuLedger } from './gpu-ledger.ts';
import { StreamCommands } from './stream-commands.ts';

/** A control plane whose scheduler and controllers are somebody's, the real ones or ours. */
export interface ClusterUnderTest {
  readonly kubeconfig: string;
  readonly kubelet: KubeletServerOptions;
  kubectl(args: readonly string[], input?: string): Promise<KubectlResult>;
  stop(): Promise<void>;
}

/** Simulated nodes on a control plane, and ways to look at what happens there. */
export interface SimulatedNodes {
  readonly cluster: ClusterUnderTest;
  readonly client: KubeClient;
  readonly pool: NodePool;
  /** Has counted the GPUs of every node since the beginning. */
  readonly gpus: GpuLedger;
  /** What the commands of pods with the agent image and the argument `streams` have done. */
  readonly streams: StreamCommands;
  /** What kubectl prints. One that fails or complains, fails the test. */
  kubectl(args: readonly string[], input?: string): Promise<string>;
  podsOf(app: string): Promise<readonly Pod[]>;
  /** Those that are ready. */
  running(app: string): Promise<readonly Pod[]>;
}

/** Generous: everything runs on one small machine, beside other tests. */
export const patience = { timeout: 110_000, interval: 100 };
export const timeout = 120_000;

/** Twenty nodes of eight GPUs, for as long as the describe lasts that this is called in. */
export function withSimulatedNodes(start: () => Promise<ClusterUnderTest>): () => SimulatedNodes {
  let cluster: ClusterUnderTest | undefined;
  let client: KubeClient | undefined;
  let gpus: GpuLedger | undefined;
  let pool: NodePool | undefined;
  const streams = new StreamCommands();

  beforeAll(async () => {
    cluster = await start();
    client = await KubeClient.connect({ kubeconfig: cluster.kubeconfig });
    gpus = await GpuLedger.start(client);
    pool = await NodePool.start({
      client,
      nodes: nodeSpecs,
      images: agentImages(streams),
      server: cluster.kubelet,
      leaseIntervalMs: 1_000,
      podStartMs: 50,
      restartBackoff: { firstMs: 50, maxMs: 500, factor: 2 },
    });
  });

  afterAll(async () => {
    await pool?.stop();
    await gpus?.stop();
    await client?.close();
    await cluster?.stop();
  });

  return () => {
    if (cluster === undefined || client === undefined || gpus === undefined || pool === undefined)
      throw new Error('the nodes are not running');
    return { cluster, client, gpus, pool, streams, ...lookingAt(cluster, client) };
  };
}

function lookingAt(cluster: ClusterUnderTest, client: KubeClient): Pick<SimulatedNodes, 'kubectl' | 'podsOf' | 'running'> {
  const podsOf = async (app: string): Promise<readonly Pod[]> =>
    (await client.list(kinds.pods, { namespace, labelSelector: `app=${app}` })).items;
  return {
    podsOf,
    running: async (app) => (await podsOf(app)).filter(isReady),
    kubectl: async (args, input) => {
      const { exitCode, stdout, stderr } = await cluster.kubectl(args, input);
      expect(stderr).toBe('');
      expect(exitCode).toBe(0);
      return stdout;
    },
  };
}
