import { describeKubectl } from './kubectl.ts';
import { openRealServer } from './real-server.ts';
import { withServer } from './with-server.ts';

describeKubectl(withServer(openRealServer));
