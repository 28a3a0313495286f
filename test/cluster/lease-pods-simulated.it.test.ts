import { startSimulatedCluster } from '../inventory/operator-cluster.ts';
import { describeLeasePods } from './lease-pods.ts';

describeLeasePods(startSimulatedCluster);
