import { describeClient } from './client-suites.ts';
import { openRealServer } from './real-server.ts';
import { withServer } from './with-server.ts';

describeClient(withServer(openRealServer));
