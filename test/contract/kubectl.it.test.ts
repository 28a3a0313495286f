import { describeKubectl } from './kubectl.ts';
import { startRealServer } from './real-server.ts';
import { withServer } from './with-server.ts';

describeKubectl(withServer(startRealServer));
