import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bus } from '@quartermaster/bus';
import { vi } from 'vitest';
import { addNode, type OperatorCluster, patience } from '../inventory/operator-cluster.ts';
import { type RunningOperator, startOperator } from '../inventory/running-operator.ts';
import { type ClusterTokens, clusterTokens, installReservations, type RunningReplica, startReplica } from './running-cluster.ts';

export interface SiteOptions {
  readonly nodes: readonly string[];
  /** Of each node. */
  readonly resources: Readonly<Record<string, string>>;
  readonly replicas?: number | undefined;
  /** Settings of the replicas. */
  readonly args?: readonly string[] | undefined;
  /** On which the replicas announce. */
  readonly bus?: Bus | undefined;
  /** Whether the cluster knows the kind of bid decisions. */
  readonly withDecisions?: boolean | undefined;
}

/** The operator of the inventory and replicas of the cluster service on a cluster, all in this process. */
export interface ClusterSite {
  readonly cluster: OperatorCluster;
  readonly operator: RunningOperator;
  /** The first one leads. */
  readonly replicas: readonly RunningReplica[];
  /** The cluster, too. */
  stop(): Promise<void>;
}

/** Resolves when one leads and all can answer. */
export async function startSite(cluster: OperatorCluster, options: SiteOptions): Promise<ClusterSite> {
  const { nodes, resources, replicas = 1, args, bus, withDecisions } = options;
  const directory = await mkdtemp(join(tmpdir(), 'cluster-site-'));
  await installReservations(cluster.client, { withDecisions });
  for (const name of nodes) await addNode(cluster.client, name, { resources });
  const operator = await startOperator({ kubeconfig: cluster.kubeconfig });
  const tokenFile = join(directory, 'inventory-token');
  await writeFile(tokenFile, operator.token);
  const tokens: ClusterTokens = await clusterTokens();
  const running: RunningReplica[] = [];
  const stop = async (): Promise<void> => {
    for (const replica of running.toReversed()) await replica.stop();
    await operator.stop();
    await tokens.end();
    await cluster.stop();
    await rm(directory, { recursive: true, force: true });
  };
  while (running.length < replicas) {
    const replica = await startReplica({ kubeconfig: cluster.kubeconfig, operator, tokenFile, tokens, bus, args });
    running.push(replica);
    await vi.waitUntil(async () => {
      const { isLeader, leader, inventory } = await replica.client().getStatus({});
      return inventory?.fresh === true && (running.length === 1 ? isLeader : leader !== '');
    }, patience);
    // It leads before it has read what was promised before.
    const nobody = { owner: 'akash1nobody', dseq: 1n, gseq: 1, oseq: 1 };
    if (running.length === 1) await vi.waitFor(() => replica.client().unreserve({ order: nobody }), patience);
  }
  return { cluster, operator, replicas: running, stop };
}
