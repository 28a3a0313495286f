/**
 * The inventory operator on a simulated cluster with a metrics server, with ten readers over gRPC, each in a process of its own; beside it, on the same cluster
 * and at the rate that they sustain, informers of @kubernetes/client-node that compute the whole inventory anew. With -500, 500 nodes and 15 000 pods; with
 * -5000, which the informers do not sustain, 5 000 nodes and 150 000 pods of the operator alone:
 *
 * cold-sync         from the start of the process to the first published snapshot
 * rss               the most memory that the process ever had
 * p99-publish       from before a pod event is written to the API until a generation with it is published, at 2 000 events/s
 * event-cost        CPU time of the whole process per event at that rate, beyond what it needs at rest
 * events            how many events a second were really written and published: on a busy machine it can be fewer than meant
 * allocations-page  a page of 1 000 of all that pods hold
 *
 * Both clusters are there at once. In every round the informers, the operator with 500 nodes and that with 5 000 take turns, each in a new process; what Node
 * compiles is kept between them, as `quartermaster` keeps it.
 */
import { KubeClient } from '@quartermaster/kube';
import { percentile } from '../fulfillment/load.ts';
import { type Measure, measure, median, printReport, type Samples } from '../report.ts';
import { roundsOf, takeTurns } from '../turns.ts';
import { allocationPages } from './allocation-pages.ts';
import { Child } from './child.ts';
import { EventWriter } from './event-writer.ts';
import { MeasuredClient, type Measurement, type Program } from './measured-client.ts';
import type { ClusterReady } from './protocol.ts';

const eventsPerSecond = 2000;
const rounds = roundsOf(process.argv, 5);
/** A first window, in which the code is compiled, does not count. */
const [warmUpSeconds, windowSeconds] = [3, 5];
const baselineRates = [2000, 1000, 500, 200, 100, 50];
/** An API server has machines of its own: on this one it shall not collect garbage on the cores of those whom it serves. */
const clusterFlags = ['--initial-old-space-size=2000', '--heap-growing-percent=300'];
/** A client whose events are later than this falls behind. */
const sustainedMs = 1000;

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
  await client.rest();
  for (const rate of baselineRates.slice(0, -1)) {
    const measured = await client.measure(writer, rate, windowSeconds);
    tell(`${rate}/s`, measured);
    if (measured.isComplete && p99(measured) <= sustainedMs) return rate;
  }
  return baselineRates.at(-1) ?? Number.NaN;
}

type Round = Measurement & { readonly coldSyncSeconds: number; readonly pageMs: number };

const readerCount = 10;
const pagesAtATime = 20;

async function measureClient(program: Program, { nodes, kubeconfig, writer }: Cluster, rate: number): Promise<Round> {
  await using client = await MeasuredClient.start(program, kubeconfig);
  const { address } = client;
  await using readers = address === undefined ? undefined : new Child('./readers.ts', [address, String(readerCount)]);
  await readers?.next();
  await client.rest();
  await client.measure(writer, rate, warmUpSeconds);
  const measured = await client.measure(writer, rate, windowSeconds);
  tell(`${program} with ${nodes} nodes`, measured);
  if (!measured.isComplete && program === './operator.ts') throw new Error('not every event was published');
  const pageMs = address === undefined ? Number.NaN : median(await allocationPages(address, pagesAtATime));
  return { ...measured, coldSyncSeconds: client.coldSyncSeconds, pageMs };
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
type Figure = Pick<Samples, 'unit' | 'better'> & { readonly what: string; readonly of: (round: Round) => number };
const figures: readonly Figure[] = [
  { what: 'cold-sync', of: ({ coldSyncSeconds }) => coldSyncSeconds, unit: 's', better: 'lower' },
  { what: 'rss', of: ({ peakRssMb }) => peakRssMb, unit: 'MB', better: 'lower' },
  { what: 'p99-publish', of: p99, unit: 'ms', better: 'lower' },
  { what: 'event-cost', of: ({ microsPerEvent }) => microsPerEvent, unit: 'µs', better: 'lower' },
  { what: 'events', of: ({ eventsPerSecond: rate }) => rate, unit: '/s', better: 'higher' },
  { what: 'allocations-page', of: ({ pageMs }) => pageMs, unit: 'ms', better: 'lower' },
];
const measures = figures.flatMap(({ what, of, unit, better }): Measure[] => {
  const baselines = baseline.map(of);
  return [
    measure({ what: `${what}-500`, ours: small.map(of), baseline: baselines.every(Number.isFinite) ? baselines : null, unit, better }),
    measure({ what: `${what}-5000`, ours: large.map(of), baseline: null, unit, better }),
  ];
});
printReport({ bench: 'inventory', measures }, process.argv.slice(2));
