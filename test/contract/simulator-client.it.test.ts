import { describeClient } from './client-suites.ts';
import { startSimulatedServer } from './simulated-server.ts';
import { withServer } from './with-server.ts';

describeClient(withServer(startSimulatedServer));
