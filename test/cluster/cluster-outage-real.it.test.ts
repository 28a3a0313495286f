import { startRealCluster } from '../inventory/operator-cluster.ts';
import { describeOutage } from './cluster-outage.ts';

describeOutage(async () => {
  const cluster = await startRealCluster();
  const server = cluster.controlPlane.process('kube-apiserver');
  return { ...cluster, stoppable: cluster.kubeconfig, halt: () => server.kill('SIGKILL'), resume: () => server.start() };
});
