import { describe } from 'vitest';
import { describeEvents } from './cluster-events.ts';
import { describeExec } from './cluster-exec.ts';
import { describeLogs } from './cluster-logs.ts';
import { describeLosses } from './cluster-losses.ts';
import { describeStreams } from './cluster-streams.ts';
import { describeWorkloads } from './cluster-workloads.ts';
import { type ClusterUnderTest, type SimulatedNodes, timeout, withSimulatedNodes } from './simulated-nodes.ts';

/** The same simulated nodes and the same expectations, whoever schedules and controls; `more` is what not everybody can do. */
export function describeSimulatedCluster(
  name: string,
  start: () => Promise<ClusterUnderTest>,
  more: (nodes: () => SimulatedNodes) => void = () => {},
): void {
  describe(`simulated nodes under ${name}`, { timeout }, () => {
    const nodes = withSimulatedNodes(start);
    describeWorkloads(nodes);
    describeStreams(nodes);
    describeExec(nodes);
    describeLogs(nodes);
    describeEvents(nodes);
    more(nodes);
    describeLosses(nodes);
  });
}
