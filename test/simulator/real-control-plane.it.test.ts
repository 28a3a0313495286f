import { startControlPlane } from '../kube/control-plane.ts';
import { describeNetwork, describeServiceProxy } from './cluster-network.ts';
import { createKubeletIdentity } from './kubelet-identity.ts';
import { describeSimulatedCluster } from './simulated-cluster.ts';
import type { ClusterUnderTest } from './simulated-nodes.ts';

async function start(): Promise<ClusterUnderTest> {
  const identity = await createKubeletIdentity();
  const controlPlane = await startControlPlane({
    apiserverArgs: [...identity.flags],
    controllerManagerArgs: ['--node-monitor-grace-period=10s', '--node-monitor-period=1s'],
  });
  return {
    kubeconfig: controlPlane.kubeconfig,
    kubelet: identity.server,
    kubectl: (args, input) => controlPlane.kubectl(args, input),
    stop: async () => {
      await controlPlane.stop();
      await identity.remove();
    },
  };
}

describeSimulatedCluster('the real scheduler and controllers', start, (nodes) => describeNetwork(nodes, describeServiceProxy));
