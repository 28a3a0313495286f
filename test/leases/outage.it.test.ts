import { times } from '../support/soak.ts';
import { startRealLeasedCluster, startSimulatedLeasedCluster } from './leased-cluster.ts';
import { describeOutageOfLeases } from './outage.ts';
import { describeLyingServer } from './outage-lies.ts';
import { killable, stoppable } from './outage-sight.ts';

const fast = { pace: 20, deadlineMs: 30_000 };
// Longer than the fast outage and a start of the API server on a busy machine, shorter than the one in soak: that has silent nodes, and the other one never.
const controllerManagerArgs = ['--node-monitor-grace-period=120s'];

describeOutageOfLeases({
  how: 'is killed',
  start: async (nodes) => killable(await startRealLeasedCluster(nodes, { controllerManagerArgs })),
  count: times(10, 100),
  pace: times(fast.pace, 1),
  deadlineMs: times(fast.deadlineMs, 120_000),
});
if (times(0, 1) > 0) {
  describeOutageOfLeases({
    how: 'cannot be reached by the provider alone',
    start: async (nodes) => stoppable(await startSimulatedLeasedCluster(nodes)),
    count: 100,
    ...fast,
  });
  describeLyingServer();
}
