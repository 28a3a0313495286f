import { describeClient } from './client-suites.ts';
import { startRealServer } from './real-server.ts';
import { withServer } from './with-server.ts';

describeClient(withServer(startRealServer));
