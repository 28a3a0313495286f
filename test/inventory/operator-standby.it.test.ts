import { startSimulatedCluster } from './operator-cluster.ts';
import { describeStandby } from './operator-standby.ts';

describeStandby({ start: startSimulatedCluster, pods: 300 });
