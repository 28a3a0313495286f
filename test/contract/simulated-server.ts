import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KubeClient, kinds } from '@quartermaster/kube';
import { ClusterControllers, startSimulatedServer as startServer } from '@quartermaster/simulator';
import type { ContractServer } from './contract-server.ts';

/** The simulator as the contract suites want it, with its controllers and without a scheduler, which no suite needs. */
export async function startSimulatedServer(): Promise<ContractServer> {
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
  const controllers = new ClusterControllers({ client }).run(ending.signal);
  let namespaces = 0;
  return {
    kubeconfig,
    client,
    enforcesRbac: false,
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
      await controllers;
      await client.close();
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
