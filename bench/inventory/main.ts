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
 * Both sizes are there at once and take turns, window by window: what else the machine does, and how its speed varies, meets both alike. The costs are
 * the medians of the windows.
 */
import { KubeClient } from '@quartermaster/kube';
import { measure, printReport } from '../report.ts';
import { Child } from './child.ts';
import { EventWriter } from './event-writer.ts';
import { MeasuredClient, type Measurement } from './measured-client.ts';
import type { ClusterReady } from './protocol.ts';

const eventsPerSecond = 2000;
const windows = 6;
const windowSeconds = 8;
const baselineRates = [2000, 1000, 500, 200, 100, 50];
const baselineSeconds = 10;
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
  return { kubeconfig, writer };
}

/** The highest of the rates at which it keeps up, or the lowest. */
async function measureBaseline({ kubeconfig, writer }: Cluster): Promise<Measurement & { readonly coldSyncSeconds: number }> {
  console.error('informers with a full recompute');
  await using client = await MeasuredClient.start('./client-node.ts', kubeconfig);
  for (const rate of baselineRates) {
    const measured = await client.measure(writer, rate, baselineSeconds);
    tell(`${rate}/s`, measured);
    const keepsUp = measured.isComplete && p99(measured) <= sustainedMs;
    if (keepsUp || rate === baselineRates.at(-1)) return { ...measured, coldSyncSeconds: client.coldSyncSeconds };
  }
  throw new Error('no rate was tried');
}

async function measureOperator(what: string, operator: MeasuredClient, { writer }: Cluster): Promise<Measurement> {
  const measured = await operator.measure(writer, eventsPerSecond, windowSeconds);
  tell(what, measured);
  return measured;
}

/** A first window of each, in which the code is compiled, does not count. */
async function takeTurns(turns: readonly (() => Promise<Measurement>)[]): Promise<Measurement[][]> {
  const measured: Measurement[][] = turns.map(() => []);
  for (let window = 0; window <= windows; window += 1) {
    for (const [which, turn] of turns.entries()) {
      const result = await turn();
      if (!result.isComplete) throw new Error('not every event was published');
      if (window > 0) measured[which]?.push(result);
    }
  }
  return measured;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const [low = Number.NaN, high = Number.NaN] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.floor(sorted.length / 2)]];
  return (low + high) / 2;
}

const cost = (measured: readonly Measurement[]): number => median(measured.map(({ microsPerEvent }) => microsPerEvent));

await using ends = new AsyncDisposableStack();
const smallCluster = await startCluster(500, ends);
const baseline = await measureBaseline(smallCluster);
const largeCluster = await startCluster(5000, ends);
const inLarge = ends.use(await MeasuredClient.start('./operator.ts', largeCluster.kubeconfig));
const inSmall = ends.use(await MeasuredClient.start('./operator.ts', smallCluster.kubeconfig));
console.error(`the operator at ${eventsPerSecond} events/s`);
const [large = [], small = []] = await takeTurns([
  () => measureOperator('5 000 nodes', inLarge, largeCluster),
  () => measureOperator('500 nodes', inSmall, smallCluster),
]);
const peakRssMb = Math.max(...large.map((window) => window.peakRssMb));
const p99Ms = p99({ delaysMs: large.flatMap(({ delaysMs }) => delaysMs) });
const written = median(large.map((window) => window.eventsPerSecond));
printReport(
  {
    bench: 'inventory',
    measures: [
      measure({ what: 'cold-sync', ours: inLarge.coldSyncSeconds, baseline: baseline.coldSyncSeconds, unit: 's', better: 'lower' }),
      measure({ what: 'rss', ours: peakRssMb, baseline: baseline.peakRssMb, unit: 'MB', better: 'lower' }),
      measure({ what: 'p99-publish', ours: p99Ms, baseline: p99(baseline), unit: 'ms', better: 'lower' }),
      measure({ what: 'event-cost-500', ours: cost(small), baseline: baseline.microsPerEvent, unit: 'µs', better: 'lower' }),
      measure({ what: 'event-cost-5000', ours: cost(large), baseline: cost(small), unit: 'µs', better: 'lower' }),
      measure({ what: 'events', ours: written, baseline: baseline.eventsPerSecond, unit: '/s', better: 'higher' }),
    ],
  },
  process.argv.slice(2),
);
