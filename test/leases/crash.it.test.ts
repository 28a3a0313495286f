import { startRealServer } from '../contract/real-server.ts';
import { startSimulatedServer } from '../contract/simulated-server.ts';
import { withServer } from '../contract/with-server.ts';
import { times } from '../support/soak.ts';
import { describeCrashes } from './crash.ts';
import { testDay } from './test-day.ts';

describeCrashes(withServer(startSimulatedServer), { dies: times(2, 1), 'hears-nothing': times(3, 1) }, testDay);
// The real server takes many times as long for each write.
if (times(0, 1) > 0) describeCrashes(withServer(startRealServer), { dies: 1, 'hears-nothing': 1 }, testDay);
