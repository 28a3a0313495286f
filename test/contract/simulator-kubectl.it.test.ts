import { describeKubectl } from './kubectl.ts';
import { startSimulatedServer } from './simulated-server.ts';
import { withServer } from './with-server.ts';

describeKubectl(withServer(startSimulatedServer));
