import { startRealServer } from '../contract/real-server.ts';
import { withServer } from '../contract/with-server.ts';
import { describeStorage } from './storage-suite.ts';

describeStorage(withServer(startRealServer));
