import { startRealServer } from '../contract/real-server.ts';
import { withServer } from '../contract/with-server.ts';
import { describeReserver } from './reserver.ts';

describeReserver(withServer(startRealServer));
