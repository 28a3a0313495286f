import { KubeClient } from '@quartermaster/kube';
import { ClusterControllers, Scheduler } from '@quartermaster/simulator';
import { startControlPlane } from '../kube/control-plane.ts';
import { createKubeletIdentity } from './kubelet-identity.ts';
import { describeSimulatedCluster } from './simulated-cluster.ts';

describeSimulatedCluster('our scheduler and controllers', async () => {
  const identity = await createKubeletIdentity();
  const controlPlane = await startControlPlane({
    controllers: false,
    scheduler: false,
    apiserverArgs: [...identity.flags],
  });
  const client = await KubeClient.connect({ kubeconfig: controlPlane.kubeconfig });
  const stopping = new AbortController();
  const running = Promise.all([
    new Scheduler({ client }).run(stopping.signal),
    new ClusterControllers({ client, nodeGraceMs: 10_000 }).run(stopping.signal),
  ]);
  return {
    kubeconfig: controlPlane.kubeconfig,
    kubelet: identity.server,
    kubectl: (args, input) => controlPlane.kubectl(args, input),
    stop: async () => {
      stopping.abort();
      await running;
      await client.close();
      await controlPlane.stop();
      await identity.remove();
    },
  };
});
