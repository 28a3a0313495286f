import { describeKubectl, describeKubectlCreate } from './kubectl.ts';
import { openRealServer } from './real-server.ts';
import { withServer } from './with-server.ts';

const server = withServer(openRealServer);
describeKubectl(server);
describeKubectlCreate(server);
