import { startRealServer } from '../contract/real-server.ts';
import { withServer } from '../contract/with-server.ts';
import { describePromisesAndLeases } from './promises-and-leases.ts';

describePromisesAndLeases(withServer(startRealServer));
