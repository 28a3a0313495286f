import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KubeClient } from '@quartermaster/kube';
import { ClusterControllers, startSimulatedServer as startServer } from '@quartermaster/simulator';
import { type ContractServer, namespaces } from './contract-server.ts';

/** The simulator as the contract suites want it, with its controllers and without a scheduler, which no suite needs. */
export async function startSimulatedServer(): Promise<ContractServer> {
  const server = await startServer();
  const directory = await mkdtemp(join(tmpdir(), 'simulated-'));
  const kubeconfig = join(directory, 'kubeconfig');
  await writeFile(kubeconfig, server.kubeconfig, { mode: 0o600 });
  const client = await KubeClient.connect({ kubeconfig });
  const ending = new AbortController();
  const running = new ClusterControllers({ client }).run(ending.signal);
  return {
    kubeconfig,
    client,
    namespace: namespaces(client),
    stop: async () => {
      ending.abort();
      await running;
      await client.close();
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
