import { startRealServer } from '../contract/real-server.ts';
import { startSimulatedServer } from '../contract/simulated-server.ts';
import { withServer } from '../contract/with-server.ts';
import { describeEcosystem } from './ecosystem.ts';

describeEcosystem('simulated', withServer(startSimulatedServer));
describeEcosystem('real', withServer(startRealServer));
