import { startRealServer } from '../contract/real-server.ts';
import { startSimulatedServer } from '../contract/simulated-server.ts';
import { withServer } from '../contract/with-server.ts';
import { times } from '../support/soak.ts';
import { describeKilledLease } from './killed-lease.ts';
import { testDay } from './test-day.ts';

// One life in five in every run, with three steps each, and others each day; in soak all lives, and those of the real server as well.
describeKilledLease(withServer(startSimulatedServer), { rounds: times(1, 10), stride: times(5, 1), offset: testDay });
if (times(0, 1) > 0) describeKilledLease(withServer(startRealServer), { rounds: 2, stride: 1, offset: testDay });
