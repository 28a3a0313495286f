import { afterAll, beforeAll } from 'vitest';
import { describeAccounting } from './operator-accounting.ts';
import { describeAgents } from './operator-agents.ts';
import type { OperatorCluster } from './operator-cluster.ts';
import { describePublishedFacts } from './operator-facts.ts';
import { describeLabels } from './operator-labels.ts';
import { describeLeasePods } from './operator-lease-pods.ts';
import { describeLeaseVolumes } from './operator-lease-volumes.ts';
import { describeOutage } from './operator-outage.ts';
import { describeServing } from './operator-serving.ts';
import { describeSignals } from './operator-signals.ts';

/** What may be expected of the operator on any API server. */
export function describeOperator(start: () => Promise<OperatorCluster>): void {
  let running: OperatorCluster | undefined;
  beforeAll(async () => {
    running = await start();
  });
  afterAll(() => running?.stop());
  const cluster = (): OperatorCluster => {
    if (running === undefined) throw new Error('the cluster is not running');
    return running;
  };
  describeAccounting(cluster);
  describeLabels(cluster);
  describeServing(cluster);
  describeLeasePods(cluster);
  describeLeaseVolumes(cluster);
  describeSignals(cluster);
  describePublishedFacts(cluster);
  describeAgents(cluster);
  describeOutage(cluster);
}
