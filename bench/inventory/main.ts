/**
 * The inventory operator on a simulated cluster of 5 000 nodes and 150 000 pods, each in a process of its own; beside it, at 500 nodes and 15 000 pods
 * and at the rate that it sustains, informers of @kubernetes/client-node that compute the whole inventory anew:
 *
 * cold-sync        from the start of the process to the first published snapshot
 * rss              the most memory that the process ever had
 * p99-publish      from before a pod event is written to the API until a generation with it is published, at 2 000 events/s
 * event-cost-500   CPU time of the whole process per event at that rate, beyond what it needs at rest, with 500 nodes and 15 000 pods
 * event-cost-5000  the same with 5 000 nodes and 150 000 pods, against event-cost-500
 * events           how many events a second were really written and published: on a busy machine it can be fewer than meant
 *
 * Both clusters are there at once. In every round the informers, the operator with 500 nodes and that with 5 000 take turns, each in a new process.
 */
import { KubeClient } from '@quartermaster/kube';
import { measure, printReport } from '../report.ts';
import { roundsOf, takeTurns } from '../turns.ts';
import { Child } from './child.ts';
import { EventWriter } from './event-writer.ts';
import { MeasuredClient, type Measurement, type Program } from './measured-client.ts';
import type { ClusterReady } from './protocol.ts';

const eventsPerSecond = 2000;
const rounds = roundsOf(process.argv, 3);
/** A first window, in which the code is compiled, does not count. */
const [warmUpSeconds, windowSeconds] = [3, 5];
const baselineRates = [2000, 1000, 500, 200, 100, 50];
/** An API server has machines of its own: on this one it shall not collect garbage on the cores of those whom it serves. */
const clusterFlags = ['--initial-old-space-size=2000', '--heap-growing-percent=300'];
/** A client whose events are later than this falls behind. */
const sustainedMs = 1000;

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? Number.NaN;
}

const p99 = ({ delaysMs }: Pick<Measurement, 'delaysMs'>): number => percentile(delaysMs, 0.99);

function tell(what: string, measured: Measurement): void {
  const rate = `${Math.round(measured.eventsPerSecond)} events/s`;
  const cost = `${Math.round(measured.microsPerEvent)} µs an event, ${Math.round(measured.peakRssMb)} MB`;
  console.error(
    `  ${what}: ${rate}${measured.isComplete ? '' : ' written, not all published'}, p99 ${Math.round(p99(measured))} ms, ${cost}`,
  );
}

interface Cluster {
  readonly nodes: number;
  readonly kubeconfig: string;
  readonly writer: EventWriter;
}

async function startCluster(nodes: number, ends: AsyncDisposableStack): Promise<Cluster> {
  console.error(`loading ${nodes} nodes and ${nodes * 30} pods`);
  const child = ends.use(new Child('./cluster.ts', [String(nodes)], clusterFlags));
  const { kubeconfig, nodes: names } = await child.next<ClusterReady>();
  const client = await KubeClient.connect({ kubeconfig });
  ends.defer(() => client.close());
  const writer = new EventWriter(client, names);
  await writer.fill();
  return { nodes, kubeconfig, writer };
}

/** The highest of the rates at which informers keep up, or the lowest. */
async function sustainedRate({ kubeconfig, writer }: Cluster): Promise<number> {
  console.error('informers with a full recompute');
  await using client = await MeasuredClient.start('./client-node.ts', kubeconfig);
  for (const rate of baselineRates.slice(0, -1)) {
    const measured = await client.measure(writer, rate, windowSeconds);
    tell(`${rate}/s`, measured);
    if (measured.isComplete && p99(measured) <= sustainedMs) return rate;
  }
  return baselineRates.at(-1) ?? Number.NaN;
}

type Round = Measurement & { readonly coldSyncSeconds: number };

async function measureClient(program: Program, { nodes, kubeconfig, writer }: Cluster, rate: number): Promise<Round> {
  await using client = await MeasuredClient.start(program, kubeconfig);
  await client.measure(writer, rate, warmUpSeconds);
  const measured = await client.measure(writer, rate, windowSeconds);
  tell(`${program} with ${nodes} nodes`, measured);
  if (!measured.isComplete && program === './operator.ts') throw new Error('not every event was published');
  return { ...measured, coldSyncSeconds: client.coldSyncSeconds };
}

await using ends = new AsyncDisposableStack();
const smallCluster = await startCluster(500, ends);
const baselineRate = await sustainedRate(smallCluster);
const largeCluster = await startCluster(5000, ends);
console.error(`the operator at ${eventsPerSecond} events/s, informers at ${baselineRate}`);
const { baseline, small, large } = await takeTurns(rounds, {
  baseline: () => measureClient('./client-node.ts', smallCluster, baselineRate),
  small: () => measureClient('./operator.ts', smallCluster, eventsPerSecond),
  large: () => measureClient('./operator.ts', largeCluster, eventsPerSecond),
});
const compare = (value: (round: Round) => number) => ({ ours: large.map(value), baseline: baseline.map(value) });
const cost = (of: readonly Round[]): number[] => of.map(({ microsPerEvent }) => microsPerEvent);
printReport(
  {
    bench: 'inventory',
    measures: [
      measure({ what: 'cold-sync', ...compare(({ coldSyncSeconds }) => coldSyncSeconds), unit: 's', better: 'lower' }),
      measure({ what: 'rss', ...compare(({ peakRssMb }) => peakRssMb), unit: 'MB', better: 'lower' }),
      measure({ what: 'p99-publish', ...compare(p99), unit: 'ms', better: 'lower' }),
      measure({ what: 'event-cost-500', ours: cost(small), baseline: cost(baseline), unit: 'µs', better: 'lower' }),
      measure({ what: 'event-cost-5000', ours: cost(large), baseline: cost(small), unit: 'µs', better: 'lower' }),
      measure({ what: 'events', ...compare((round) => round.eventsPerSecond), unit: '/s', better: 'higher' }),
    ],
  },
  process.argv.slice(2),
);
