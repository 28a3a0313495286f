/**
 * The inventory operator on a simulated cluster of 5 000 nodes and 150 000 pods, each in a process of its own; beside it, at 500 nodes and 15 000 pods
 * and at the rate that it sustains, informers of @kubernetes/client-node that compute the whole inventory anew:
 *
 * cold-sync        from the start of the process to the first published snapshot
 * rss              the most memory that the process ever had
 * p99-publish      from before a pod event is written to the API until a generation with it is published, at 2 000 events/s for 30 s
 * event-cost-500   CPU time of the whole process per event at that rate, beyond what it needs at rest, with 500 nodes and 15 000 pods
 * event-cost-5000  the same with 5 000 nodes and 150 000 pods
 * events           how many events a second were really written and published: on a busy machine it can be fewer than meant
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { KubeClient } from '@quartermaster/kube';
import { measure, printReport } from '../report.ts';
import { EventWriter, eventKey, type WrittenEvents } from './event-writer.ts';
import type { ClientReady, ClientRequest, ClientWindow, ClusterReady } from './protocol.ts';

const eventsPerSecond = 2000;
const seconds = 30;
const baselineRates = [2000, 1000, 500, 200, 100, 50];
const baselineSeconds = 10;
/** What follows the first snapshot, such as publishing every node on the bus, is over by then. */
const settleSeconds = 10;
const restSeconds = 5;
/** An API server has machines of its own: on this one it shall not collect garbage on the cores of those whom it serves. */
const clusterFlags = ['--initial-old-space-size=2000', '--heap-growing-percent=300'];
/** A client whose events are later than this falls behind. */
const sustainedMs = 1000;

interface Result {
  readonly coldSyncSeconds: number;
  readonly peakRssMb: number;
  readonly p99Ms: number;
  readonly microsPerEvent: number;
  readonly eventsPerSecond: number;
}

const file = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** What a child says next; throws when it ends instead. */
async function nextMessage<T>(child: ChildProcess): Promise<T> {
  const ended = new AbortController();
  const exit = once(child, 'exit', { signal: ended.signal }).then(([code]) => {
    throw new Error(`${child.spawnfile} ${child.spawnargs[1]} ended with code ${String(code)}`);
  });
  try {
    const [news] = (await Promise.race([once(child, 'message'), exit])) as [T];
    return news;
  } finally {
    exit.catch(() => undefined);
    ended.abort();
  }
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.disconnect();
  await ended;
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? Number.NaN;
}

function delaysMs({ published }: ClientWindow, { sentAtMs, events }: WrittenEvents): number[] {
  const delays = published.flatMap(([kind, pod, at]) => {
    const sent = sentAtMs.get(eventKey(kind, pod));
    return sent === undefined ? [] : [at - sent];
  });
  if (delays.length !== events) throw new Error(`${delays.length} of ${events} events were published`);
  return delays;
}

interface Window<W> extends ClientWindow {
  readonly work: W;
  readonly seconds: number;
}

/** Has the client measure itself while events are written and until they are published. */
async function window<W extends { readonly events: number }>(child: ChildProcess, write: () => Promise<W>): Promise<Window<W>> {
  child.send({ kind: 'begin' } satisfies ClientRequest);
  await nextMessage(child);
  const startedAt = performance.now();
  const work = await write();
  child.send({ kind: 'end', events: work.events } satisfies ClientRequest);
  const measured = await nextMessage<ClientWindow>(child);
  return { ...measured, work, seconds: (performance.now() - startedAt) / 1000 };
}

async function atRest(): Promise<{ readonly events: number }> {
  await pause(restSeconds * 1000);
  return { events: 0 };
}

async function withCluster<T>(nodes: number, work: (cluster: ClusterReady, writer: EventWriter) => Promise<T>): Promise<T> {
  console.error(`loading ${nodes} nodes and ${nodes * 30} pods`);
  const child = fork(file('./cluster.ts'), [String(nodes)], { execArgv: clusterFlags });
  const cluster = await nextMessage<ClusterReady>(child);
  const client = await KubeClient.connect({ kubeconfig: cluster.kubeconfig });
  try {
    const writer = new EventWriter(client, cluster.nodes);
    await writer.fill();
    return await work(cluster, writer);
  } finally {
    await client.close();
    await stop(child);
  }
}

async function runClient(
  program: './operator.ts' | './client-node.ts',
  { kubeconfig }: ClusterReady,
  writer: EventWriter,
  rates: readonly number[],
  forSeconds: number,
): Promise<Result> {
  const child = fork(file(program), [kubeconfig]);
  try {
    const { coldSyncSeconds } = await nextMessage<ClientReady>(child);
    await pause(settleSeconds * 1000);
    const rest = await window(child, atRest);
    for (const rate of rates) {
      console.error(`${program}: ${rate} events/s for ${forSeconds} s`);
      const measured = await window(child, () => writer.write(rate, forSeconds));
      const { work, peakRssMb } = measured;
      const isLast = rate === rates.at(-1);
      if (measured.published.length < work.events && !isLast) continue;
      const p99Ms = percentile(delaysMs(measured, work), 0.99);
      const microsPerEvent = (measured.cpuMicros - (rest.cpuMicros / rest.seconds) * measured.seconds) / work.events;
      const writtenPerSecond = work.events / work.seconds;
      const shown = `p99 ${Math.round(p99Ms)} ms, ${Math.round(microsPerEvent)} µs an event, ${Math.round(peakRssMb)} MB`;
      console.error(`  ${Math.round(writtenPerSecond)}/s were written: ${shown}`);
      if (p99Ms > sustainedMs && !isLast) continue;
      return { coldSyncSeconds, peakRssMb, p99Ms, microsPerEvent, eventsPerSecond: writtenPerSecond };
    }
    throw new Error('no rate was tried');
  } finally {
    await stop(child);
  }
}

const [baseline, small] = await withCluster(500, async (cluster, writer) => [
  await runClient('./client-node.ts', cluster, writer, baselineRates, baselineSeconds),
  await runClient('./operator.ts', cluster, writer, [eventsPerSecond], seconds),
]);
const large = await withCluster(5000, (cluster, writer) => runClient('./operator.ts', cluster, writer, [eventsPerSecond], seconds));
printReport(
  {
    bench: 'inventory',
    measures: [
      measure({ what: 'cold-sync', ours: large.coldSyncSeconds, baseline: baseline.coldSyncSeconds, unit: 's', better: 'lower' }),
      measure({ what: 'rss', ours: large.peakRssMb, baseline: baseline.peakRssMb, unit: 'MB', better: 'lower' }),
      measure({ what: 'p99-publish', ours: large.p99Ms, baseline: baseline.p99Ms, unit: 'ms', better: 'lower' }),
      measure({ what: 'event-cost-500', ours: small.microsPerEvent, baseline: baseline.microsPerEvent, unit: 'µs', better: 'lower' }),
      measure({ what: 'event-cost-5000', ours: large.microsPerEvent, baseline: null, unit: 'µs', better: 'lower' }),
      measure({ what: 'events', ours: large.eventsPerSecond, baseline: baseline.eventsPerSecond, unit: '/s', better: 'higher' }),
    ],
  },
  process.argv.slice(2),
);
