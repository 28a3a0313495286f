import { ClusterControllers, Scheduler } from '@quartermaster/simulator';
import { describeLostAgents } from './lost-agents.ts';
import { startSimulatedCluster } from './operator-cluster.ts';

describeLostAgents({
  start: startSimulatedCluster,
  control: (client, signal) => Promise.all([new Scheduler({ client }).run(signal), new ClusterControllers({ client }).run(signal)]),
  count: 20,
  rounds: 5,
});
