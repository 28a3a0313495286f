/**
 * The fulfillment service with 100 000 hosts on PostgreSQL, in a process of its own, and beside it, in the same process and on the same pool of connections, the plain
 * design: jsonb without indexes, count(*) with every list, pages by offset, updates that read, merge and overwrite. This process is the caller. Over gRPC:
 *
 * list-filtered   lists of 10 free hosts of a class, of 5 000, with their number; 4 callers
 * get             one host with its secret; 8 callers
 * update-masked   one field of a host; 4 callers
 * create          a new host; 4 callers
 * watch-fanout    events that 100 watchers got together while 4 callers update hosts
 * watch-delay     from before an update is sent until the last of 100 watchers has it, in 99 of 100 cases, at 20 updates a second
 *
 * With -handler, the same without gRPC: the callers are in the process of the service. get-bare compares a get of a provider, who reads no secrets, with a bare prepared select
 * of the row, and get-secret-bare one of an administrator, which also reads and opens the secret.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { silentLog } from '@quartermaster/kernel';
import { startEmbeddedPostgres } from '@quartermaster/store/embedded';
import { formatTable, type Measure, measure, printReport } from '../report.ts';
import { roundsOf, takeTurns } from '../turns.ts';
import { type FanOut, fanOut } from './fan-out.ts';
import { GrpcConnection } from './grpc-connection.ts';
import { type Load, load } from './load.ts';
import type { Design, HandlerRequest, ServedDesign, ServiceReady, Work } from './protocol.ts';
import { pathOf, Requests } from './requests.ts';

const works: readonly Work[] = ['list-filtered', 'get', 'update-masked', 'create'];
const callers: Readonly<Record<Work, number>> = { 'list-filtered': 4, get: 8, 'update-masked': 4, create: 4 };
const rounds = roundsOf(process.argv, 3);
/** Functions are compiled and connections made in the first round; afterwards the other side has only to leave the caches. */
const warmUpSeconds = (round: number): number => (round === 0 ? 1 : 0.5);
const seconds = 1.5;

/** Of the existing service, written in Go with the plain design, on two cores with its callers and 100 000 hosts: measured once, not in this run. */
const existing: Readonly<Record<Work, number>> = { 'list-filtered': 18.7, get: 4437, 'update-masked': 768, create: 809 };

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

function tell(name: string, { perSecond, meanMs, p99Ms }: Load): number {
  console.error(`${name}: ${perSecond.toFixed(0)}/s, mean ${meanMs.toFixed(2)} ms, p99 ${p99Ms.toFixed(2)} ms`);
  return perSecond;
}

async function atHandler(child: ChildProcess, design: Design, work: Work, round: number): Promise<number> {
  child.send({ design, work, callers: callers[work], warmUpSeconds: warmUpSeconds(round), seconds } satisfies HandlerRequest);
  return tell(`${work} at the handler, ${design}`, await nextMessage<Load>(child));
}

async function overGrpc({ addresses, token }: ServiceReady, design: ServedDesign, work: Work, round: number): Promise<number> {
  const connection = new GrpcConnection(addresses[design], token);
  const requests = new Requests();
  try {
    const call = () => connection.unary(pathOf(work), requests.bytes(work));
    return tell(`${work} over gRPC, ${design}`, await load(call, { callers: callers[work], warmUpSeconds: warmUpSeconds(round), seconds }));
  } finally {
    connection.close();
  }
}

const directory = await mkdtemp(join(tmpdir(), 'quartermaster-bench-'));
const postgres = await startEmbeddedPostgres({ directory, log: silentLog });
const child = fork(fileURLToPath(new URL('./service.ts', import.meta.url)), [postgres.url]);
const measures: Measure[] = [];
const beside: Measure[] = [];
try {
  const ready = await nextMessage<ServiceReady>(child);
  const rate = (what: string, ours: readonly number[], baseline: readonly number[]): Measure =>
    measure({ what, ours, baseline, unit: '/s', better: 'higher' });
  for (const work of works) {
    const { ours, baseline } = await takeTurns(rounds, {
      baseline: (round) => overGrpc(ready, 'plain', work, round),
      ours: (round) => overGrpc(ready, 'ours', work, round),
    });
    measures.push(rate(work, ours, baseline));
    beside.push(rate(work, ours, [existing[work]]));
  }
  const { ours, plain } = await takeTurns(rounds, { plain: () => fanOut(ready, 'plain'), ours: () => fanOut(ready, 'ours') });
  const events = (fanOuts: readonly FanOut[]): number[] => fanOuts.map(({ perSecond }) => perSecond);
  const delays = (fanOuts: readonly FanOut[]): number[] => fanOuts.map(({ p99Ms }) => p99Ms);
  measures.push(rate('watch-fanout', events(ours), events(plain)));
  measures.push(measure({ what: 'watch-delay', ours: delays(ours), baseline: delays(plain), unit: 'ms', better: 'lower' }));
  const handled = (design: Design, work: Work) => (round: number) => atHandler(child, design, work, round);
  for (const work of works) {
    const sides = await takeTurns(rounds, { plain: handled('plain', work), ours: handled('ours', work) });
    measures.push(rate(`${work}-handler`, sides.ours, sides.plain));
  }
  const gets = await takeTurns(rounds, {
    bare: handled('bare', 'get'),
    revealed: handled('revealed', 'get'),
    ours: handled('ours', 'get'),
  });
  measures.push(rate('get-bare', gets.ours, gets.bare), rate('get-secret-bare', gets.revealed, gets.bare));
} finally {
  child.disconnect();
  if (child.exitCode === null) await once(child, 'exit');
  await postgres.stop();
  await rm(directory, { recursive: true, force: true });
}
console.log(`${formatTable({ bench: 'beside the existing service in Go, as it was measured on such a machine', measures: beside })}\n`);
printReport({ bench: 'fulfillment', measures }, process.argv.slice(2));
