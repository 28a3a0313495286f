import { KubeClient } from '@quartermaster/kube';
import { startControlPlane } from '../kube/control-plane.ts';
import { type ContractServer, namespaces } from './contract-server.ts';

/** The real control plane as the contract suites want it, with its controllers and without a scheduler, which no suite needs. */
export async function startRealServer(): Promise<ContractServer> {
  const controlPlane = await startControlPlane({ scheduler: false });
  const client = await KubeClient.connect({ kubeconfig: controlPlane.kubeconfig });
  return {
    kubeconfig: controlPlane.kubeconfig,
    client,
    namespace: namespaces(client),
    stop: async () => {
      await client.close();
      await controlPlane.stop();
    },
  };
}
