import { describeRuntime } from './runtime-suites.ts';
import { startSimulatedServer } from './simulated-server.ts';
import { withServer } from './with-server.ts';

describeRuntime(withServer(startSimulatedServer));
