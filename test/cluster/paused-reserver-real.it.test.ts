import { startRealServer } from '../contract/real-server.ts';
import { withServer } from '../contract/with-server.ts';
import { times } from '../support/soak.ts';
import { describePausedReserver } from './paused-reserver.ts';

describePausedReserver(withServer(startRealServer), times(2, 50));
