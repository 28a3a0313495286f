import { describeLostAgents } from './lost-agents.ts';
import { startRealCluster } from './operator-cluster.ts';

describeLostAgents({ start: () => startRealCluster({ scheduler: true, controllers: true }), count: 4, rounds: 3 });
