import { startSimulatedCluster } from './operator-cluster.ts';
import { describeOperator } from './operator-suites.ts';

describeOperator(startSimulatedCluster);
