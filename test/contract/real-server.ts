import { KubeClient, kinds } from '@quartermaster/kube';
import { startControlPlane } from '../kube/control-plane.ts';
import type { ContractServer } from './contract-server.ts';

/** The real control plane as the contract suites want it, with its controllers and without a scheduler, which no suite needs. */
export async function startRealServer(): Promise<ContractServer> {
  const controlPlane = await startControlPlane({ scheduler: false });
  const client = await KubeClient.connect({ kubeconfig: controlPlane.kubeconfig });
  let namespaces = 0;
  return {
    kubeconfig: controlPlane.kubeconfig,
    client,
    enforcesRbac: true,
    runsWorkloads: true,
    namespace: async () => {
      namespaces += 1;
      const name = `contract-${namespaces}`;
      await client.create(kinds.namespaces, { metadata: { name } });
      return name;
    },
    unprivilegedKubeconfig: async (namespace) => {
      const account = await client.create(kinds.serviceAccounts, { metadata: { namespace, name: 'nobody' } });
      const uid = account.metadata?.uid ?? '';
      const token = controlPlane.serviceAccountToken({ namespace, name: 'nobody', uid, expiresInSeconds: 3600 });
      return await controlPlane.writeKubeconfig({ user: { token } });
    },
    stop: async () => {
      await client.close();
      await controlPlane.stop();
    },
  };
}
