import { openRealServer } from '../contract/real-server.ts';
import { withServer } from '../contract/with-server.ts';
import { describeHostnameClaims } from './hostname-claims.ts';

describeHostnameClaims(withServer(openRealServer));
