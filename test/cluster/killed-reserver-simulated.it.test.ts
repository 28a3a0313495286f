import { startSimulatedServer } from '../contract/simulated-server.ts';
import { withServer } from '../contract/with-server.ts';
import { times } from '../support/soak.ts';
import { describeKilledReserver } from './killed-reserver.ts';

describeKilledReserver(withServer(startSimulatedServer), times(1, 50));
