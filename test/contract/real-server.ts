import { KubeClient } from '@quartermaster/kube';
import { startControlPlane } from '../kube/control-plane.ts';
import { sharedControlPlane } from '../kube/shared.ts';
import { type ContractServer, namespaces } from './contract-server.ts';

/** The control plane of the run: for suites that stay in namespaces and give what is cluster-scoped names of its own. */
export function openRealServer(): Promise<ContractServer> {
  return serverAt(sharedControlPlane().kubeconfig, async () => {});
}

/** One of its own, with controllers and without a scheduler: for suites that look at all objects of a cluster-scoped kind. */
export async function startRealServer(): Promise<ContractServer> {
  // What a client began and did not live to finish counts against a quota until all of it is counted again, which is every five minutes.
  const controllerManagerArgs = ['--resource-quota-sync-period=5s'];
  const controlPlane = await startControlPlane({ scheduler: false, controllerManagerArgs });
  return await serverAt(controlPlane.kubeconfig, () => controlPlane.stop());
}

async function serverAt(kubeconfig: string, end: () => Promise<void>): Promise<ContractServer> {
  const client = await KubeClient.connect({ kubeconfig });
  return {
    kubeconfig,
    client,
    namespace: namespaces(client),
    stop: async () => {
      await client.close();
      await end();
    },
  };
}
