import { startRealCluster } from '../inventory/operator-cluster.ts';
import { describeLeasePods } from './lease-pods.ts';

/** Nobody else changes pods and nodes. */
const controllers = ['--controllers=namespace-controller,serviceaccount-controller'];

describeLeasePods(() => startRealCluster({ scheduler: false, controllerManagerArgs: controllers }));
