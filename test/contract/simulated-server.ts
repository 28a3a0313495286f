import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KubeClient, kinds } from '@quartermaster/kube';
import { ClusterControllers, startSimulatedServer as startServer } from '@quartermaster/simulator';
import type { ContractServer } from './contract-server.ts';

/**
 * The simulator as the contract suites want it, without a scheduler, which no suite needs. Its controllers are optional: they
 * delete pods of nodes that do not exist, at once, and some suites make such pods.
 */
export async function startSimulatedServer({ controllers = false }: { readonly controllers?: boolean } = {}): Promise<ContractServer> {
  const server = await startServer();
  const directory = await mkdtemp(join(tmpdir(), 'simulated-'));
  const write = async (name: string, contents: string): Promise<string> => {
    const file = join(directory, name);
    await writeFile(file, contents, { mode: 0o600 });
    return file;
  };
  const kubeconfig = await write('kubeconfig', server.kubeconfig);
  const client = await KubeClient.connect({ kubeconfig });
  const ending = new AbortController();
  const running = controllers ? new ClusterControllers({ client }).run(ending.signal) : Promise.resolve();
  let namespaces = 0;
  return {
    kubeconfig,
    client,
    enforcesRbac: false,
    runsWorkloads: controllers,
    namespace: async () => {
      namespaces += 1;
      const name = `contract-${namespaces}`;
      await client.create(kinds.namespaces, { metadata: { name } });
      return name;
    },
    unprivilegedKubeconfig: async (namespace) => {
      const { metadata } = await client.create(kinds.serviceAccounts, { metadata: { namespace, name: 'nobody' } });
      const account = { namespace, name: 'nobody', uid: metadata?.uid ?? '' };
      return await write(`nobody-${namespace}`, server.serviceAccountKubeconfig(account));
    },
    stop: async () => {
      ending.abort();
      await running;
      await client.close();
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
