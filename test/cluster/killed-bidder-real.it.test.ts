import { startRealServer } from '../contract/real-server.ts';
import { withServer } from '../contract/with-server.ts';
import { times } from '../support/soak.ts';
import { describeKilledBidder } from './killed-bidder.ts';

describeKilledBidder(withServer(startRealServer), times(1, 50));
