import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KubeClient, kinds } from '@quartermaster/kube';
import type { Pod } from '@quartermaster/kube/shapes';
import { startSimulatedServer } from '@quartermaster/simulator';
import { LoopbackProxy } from '../support/loopback-proxy.ts';
import { type OperatorCluster, prepare, startRealCluster } from './operator-cluster.ts';

/** An API server whose watches can be ended at any moment. */
export interface CuttableCluster extends OperatorCluster {
  /** Path of a kubeconfig whose watches are the ones that are cut. */
  readonly cuttable: string;
  /** Answers come without the detour of another process. */
  readonly isInProcess: boolean;
  /** Ends the watches of a kind, or all of them where they cannot be told apart. Tells whether there were any. */
  cut(plural: string): boolean;
  startPods(pods: readonly Pod[]): Promise<void>;
}

export async function startSimulatedCuttable(): Promise<CuttableCluster> {
  const server = await startSimulatedServer();
  const directory = await mkdtemp(join(tmpdir(), 'cuttable-'));
  const kubeconfig = join(directory, 'kubeconfig');
  await writeFile(kubeconfig, server.kubeconfig, { mode: 0o600 });
  const client = await KubeClient.connect({ kubeconfig });
  await prepare(client);
  return {
    kubeconfig,
    cuttable: kubeconfig,
    client,
    isInProcess: true,
    cut: (plural) => server.cutWatches(plural) > 0,
    startPods: async (pods) => {
      const [model] = pods;
      if (model === undefined) return;
      const body = JSON.stringify({ model: { apiVersion: 'v1', kind: 'Pod', ...model }, variations: pods });
      const path = '/simulator/objects';
      await client.transport.json({ what: 'start pods', method: 'POST', path, contentType: 'application/json', body });
    },
    stop: async () => {
      await client.close();
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Pods that are created at the same time. */
const atOnce = 10;

/** The real API server behind a proxy that resets connections. */
export async function startRealCuttable(): Promise<CuttableCluster> {
  const cluster = await startRealCluster();
  const { client, kubeconfig } = cluster;
  const config = await readFile(kubeconfig, 'utf8');
  const url = /server: "?([^"\s]+)/.exec(config)?.[1] ?? '';
  const proxy = await LoopbackProxy.start(url);
  const directory = await mkdtemp(join(tmpdir(), 'cuttable-'));
  const cuttable = join(directory, 'proxied');
  await writeFile(cuttable, config.replaceAll(url, proxy.url), { mode: 0o600 });
  return {
    kubeconfig,
    cuttable,
    client,
    isInProcess: false,
    cut: () => {
      proxy.cut();
      return true;
    },
    startPods: async (pods) => {
      for (let from = 0; from < pods.length; from += atOnce) {
        await Promise.all(pods.slice(from, from + atOnce).map((pod) => client.create(kinds.pods, pod)));
      }
    },
    stop: async () => {
      await proxy.stop();
      await cluster.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
