import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KubeClient } from '@quartermaster/kube';
import { ClusterControllers, Scheduler, startSimulatedServer } from '@quartermaster/simulator';
import { expect, it } from 'vitest';
import { runKubectl } from '../kube/kubectl.ts';
import { namespace } from './cluster-fixtures.ts';
import { describeNetwork } from './cluster-network.ts';
import { describeSimulatedCluster } from './simulated-cluster.ts';
import type { ClusterUnderTest } from './simulated-nodes.ts';

async function start(): Promise<ClusterUnderTest> {
  const directory = await mkdtemp(join(tmpdir(), 'quartermaster-simulator-'));
  const server = await startSimulatedServer();
  const kubeconfig = join(directory, 'kubeconfig');
  await writeFile(kubeconfig, server.kubeconfig, { mode: 0o600 });
  const serving = await server.issueCertificate({ commonName: 'simulated-kubelet', hosts: ['127.0.0.1'] });
  const client = await KubeClient.connect({ kubeconfig });
  const stopping = new AbortController();
  const running = Promise.all([
    new Scheduler({ client }).run(stopping.signal),
    new ClusterControllers({ client, nodeGraceMs: 10_000 }).run(stopping.signal),
  ]);
  return {
    kubeconfig,
    kubelet: { ...serving, clientAuthority: server.certificateAuthority },
    kubectl: (args, input) => runKubectl({ kubeconfig, cacheDirectory: join(directory, 'cache') }, args, input),
    stop: async () => {
      stopping.abort();
      await running;
      await client.close();
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

describeSimulatedCluster('the simulated API server, our scheduler and our controllers', start, (nodes) =>
  describeNetwork(nodes, () => {
    it.each([
      ['pods/attach', ['attach', 'server']],
      ['services/proxy', ['get', '--raw', `/api/v1/namespaces/${namespace}/services/kubernetes/proxy/`]],
      ['nodes/proxy', ['get', '--raw', '/api/v1/nodes/gpu-3/proxy/healthz']],
      ['SPDY', ['port-forward', 'server', ':8080']],
    ])('says that it does not support %s', async (what, args) => {
      const { exitCode, stderr } = await nodes().cluster.kubectl(args);
      expect([exitCode, stderr]).toEqual([1, expect.stringMatching(`does not support .*${what}`)]);
    });
  }),
);
