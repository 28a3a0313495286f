import { times } from '../support/soak.ts';
import { startRealCuttable } from './cuttable-cluster.ts';
import { startRealCluster } from './operator-cluster.ts';
import { describeCutWatches } from './operator-cut-watches.ts';
import { describeStandby } from './operator-standby.ts';

describeCutWatches({ start: startRealCuttable, cuts: times(25, 500), eventsPerSecond: 100, stepMs: 50 });
describeStandby({ start: startRealCluster, pods: 60 });
