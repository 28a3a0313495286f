import { times } from '../support/soak.ts';
import { startSimulatedCuttable } from './cuttable-cluster.ts';
import { describeCutWatches } from './operator-cut-watches.ts';

describeCutWatches({ start: startSimulatedCuttable, cuts: times(80, 5_000), eventsPerSecond: 500, stepMs: 200 });
