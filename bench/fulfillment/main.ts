/**
 * The fulfillment service with 100 000 hosts from a source on PostgreSQL, in a process of its own, and beside it, in the same process and on the same pool of connections, the plain
 * design: jsonb without indexes, count(*) with every list, pages by offset, updates that read, merge and overwrite. This process is
 * the caller. Over gRPC, as an administrator, by 8 callers on 2 connections:
 *
 * get, get-secret    one host, without and with its secret
 * update-masked      the title of any host: a field that says nothing of which machine it is, as most updates are
 * update-rack        the rack of any host: a field that takes part in what identifies a machine
 * update-hot         the title of one and the same host
 * create             a new host, of a machine that nobody else has
 * list-filtered-N    the first 10 of the hosts that match, with their number; N percent of all match, by filters that take turns
 * ...-50-busy        the same while others update titles, 200 a second or as many as are answered
 * watch-fanout       events that 100 watchers got together while 4 callers update hosts
 * watch-delay        from before an update is sent until the last of 100 watchers has it, in 99 of 100 cases, at 20 updates a second
 *
 * With -handler, the same without gRPC: the callers are in the process of the service. get-bare compares a get with a bare prepared select of the row.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { silentLog } from '@quartermaster/kernel';
import { startEmbeddedPostgres } from '@quartermaster/store/embedded';
import { GrpcConnection } from '../grpc/grpc-connection.ts';
import { type Measure, measure, printReport } from '../report.ts';
import { roundsOf, takeTurns } from '../turns.ts';
import { fanOut } from './fan-out.ts';
import type { Call, Load } from './load.ts';
import { loadWork } from './load-work.ts';
import { type Design, type HandlerRequest, type ServedDesign, type ServiceReady, type Work, works } from './protocol.ts';
import { pathOf, Requests } from './requests.ts';

/** As the existing service was measured. */
const [callers, connectionCount] = [8, 2];
const rounds = roundsOf(process.argv, 5);
/** Functions are compiled and connections made in the first round; afterwards the other side has only to leave the caches. */
const warmUpSeconds = (round: number): number => (round === 0 ? 1 : 0.5);
const seconds = 1.5;
const requests = new Requests();

/** Of the existing service, written in Go with the plain design, in calls per second: not measured in this run, so they are no baseline of it. */
const recorded = `recorded of the existing service in Go, on another machine with two cores, 100 000 hosts, its callers beside it:
  get 3757 (p99 8 ms), create 777 while small and 298 over the whole fill, update of one hot host 414, list of 100 101, filtered list of half of all hosts 21`;

/** What the service says next; throws when it ends instead. */
async function nextMessage<T>(child: ChildProcess): Promise<T> {
  const over = new AbortController();
  const exit = once(child, 'exit', { signal: over.signal }).then(([code]) => {
    throw new Error(`the process of the service ended with code ${String(code)}`);
  });
  try {
    const [news] = (await Promise.race([once(child, 'message'), exit])) as [T];
    return news;
  } finally {
    exit.catch(() => undefined);
    over.abort();
  }
}

function tell(name: string, got: Load): Load {
  const others = got.besidePerSecond === undefined ? '' : `, beside ${got.besidePerSecond.toFixed(0)} updates/s`;
  console.error(`${name}: ${got.perSecond.toFixed(0)}/s, mean ${got.meanMs.toFixed(2)} ms, p99 ${got.p99Ms.toFixed(2)} ms${others}`);
  return got;
}

type Rates = readonly { readonly perSecond: number }[];
type Delays = readonly { readonly p99Ms: number }[];

async function atHandler(child: ChildProcess, design: Design, work: Work, round: number): Promise<Load> {
  child.send({ design, work, callers, warmUpSeconds: warmUpSeconds(round), seconds } satisfies HandlerRequest);
  return tell(`${work} at the handler, ${design}`, await nextMessage<Load>(child));
}

async function overGrpc({ addresses, token }: ServiceReady, design: ServedDesign, work: Work, round: number): Promise<Load> {
  const connections = Array.from({ length: connectionCount }, () => new GrpcConnection(addresses[design], token));
  const callOf = (each: Work): Call => {
    let made = 0;
    return () => {
      made += 1;
      return connections[made % connectionCount]?.unary(pathOf(each), requests.bytes(each)) ?? Promise.resolve();
    };
  };
  try {
    return tell(`${work} over gRPC, ${design}`, await loadWork(work, callOf, { callers, warmUpSeconds: warmUpSeconds(round), seconds }));
  } finally {
    for (const connection of connections) connection.close();
  }
}

const directory = await mkdtemp(join(tmpdir(), 'quartermaster-bench-'));
const postgres = await startEmbeddedPostgres({ directory, log: silentLog });
// With the flags of Node that the image has.
const child = fork(fileURLToPath(new URL('./service.ts', import.meta.url)), [postgres.url], { execArgv: ['--max-semi-space-size=16'] });
const measures: Measure[] = [];
try {
  const ready = await nextMessage<ServiceReady>(child);
  const compare = (what: string, ours: Rates, plain: Rates): void => {
    const rateOf = ({ perSecond }: Rates[number]): number => perSecond;
    measures.push(measure({ what, ours: ours.map(rateOf), baseline: plain.map(rateOf), unit: '/s', better: 'higher' }));
  };
  const compareDelays = (what: string, ours: Delays, plain: Delays): void => {
    const delayOf = ({ p99Ms }: Delays[number]): number => p99Ms;
    measures.push(measure({ what, ours: ours.map(delayOf), baseline: plain.map(delayOf), unit: 'ms', better: 'lower' }));
  };
  for (const work of works) {
    const { ours, baseline } = await takeTurns(rounds, {
      baseline: (round) => overGrpc(ready, 'plain', work, round),
      ours: (round) => overGrpc(ready, 'ours', work, round),
    });
    compare(work, ours, baseline);
    compareDelays(`${work}-p99`, ours, baseline);
  }
  const { ours, plain } = await takeTurns(rounds, { plain: () => fanOut(ready, 'plain'), ours: () => fanOut(ready, 'ours') });
  compare('watch-fanout', ours, plain);
  compareDelays('watch-delay', ours, plain);
  const handled = (design: Design, work: Work) => (round: number) => atHandler(child, design, work, round);
  for (const work of works) {
    const sides = await takeTurns(rounds, { plain: handled('plain', work), ours: handled('ours', work) });
    compare(`${work}-handler`, sides.ours, sides.plain);
  }
  const gets = await takeTurns(rounds, { bare: handled('bare', 'get'), ours: handled('ours', 'get') });
  compare('get-bare', gets.ours, gets.bare);
} finally {
  child.disconnect();
  if (child.exitCode === null) await once(child, 'exit');
  await postgres.stop();
  await rm(directory, { recursive: true, force: true });
}
console.log(`${recorded}\n`);
printReport({ bench: 'fulfillment', measures }, process.argv.slice(2));
