import { startSimulatedServer } from '../contract/simulated-server.ts';
import { withServer } from '../contract/with-server.ts';
import { times } from '../support/soak.ts';
import { describePausedReserver } from './paused-reserver.ts';

describePausedReserver(withServer(startSimulatedServer), times(2, 50));
