import { startRealServer } from '../contract/real-server.ts';
import { withServer } from '../contract/with-server.ts';
import { times } from '../support/soak.ts';
import { describeKilledReserver } from './killed-reserver.ts';

describeKilledReserver(withServer(startRealServer), times(1, 50));
