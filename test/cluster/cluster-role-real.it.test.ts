import { startRealCluster } from '../inventory/operator-cluster.ts';
import { describeClusterRole } from './cluster-role.ts';

describeClusterRole(startRealCluster);
