import { startSimulatedServer } from '../contract/simulated-server.ts';
import { withServer } from '../contract/with-server.ts';
import { describeStorage } from './storage-suite.ts';

describeStorage(withServer(startSimulatedServer));
