import { startSimulatedServer } from '../contract/simulated-server.ts';
import { withServer } from '../contract/with-server.ts';
import { describeReserver } from './reserver.ts';

describeReserver(withServer(startSimulatedServer));
