import { startSimulatedServer } from '../contract/simulated-server.ts';
import { withServer } from '../contract/with-server.ts';
import { times } from '../support/soak.ts';
import { describeKilledBidder } from './killed-bidder.ts';

describeKilledBidder(withServer(startSimulatedServer), times(1, 50));
