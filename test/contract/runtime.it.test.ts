import { openRealServer } from './real-server.ts';
import { describeRuntime } from './runtime-suites.ts';
import { withServer } from './with-server.ts';

describeRuntime(withServer(openRealServer));
