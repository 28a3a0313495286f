/**
 * Reads 50 000 pods of 4 KB and then 50 000 changes of them, once with our cache and once with the informer of
 * @kubernetes/client-node, each in a process of its own, in turns, against the same server. With -whole, our cache keeps the whole pods, as the informer does.
 */
import { type ChildProcess, execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Measure, measure, printReport } from '../report.ts';
import { roundsOf, takeTurns } from '../turns.ts';
import type { ClientResult } from './probe.ts';

const pods = 50_000;
const rounds = roundsOf(process.argv, 5);

const run = promisify(execFile);
const file = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

async function startServer(): Promise<{ readonly url: string; readonly process: ChildProcess }> {
  const child = fork(file('./server.ts'), [String(pods)]);
  const [message] = (await once(child, 'message')) as [{ port: number }];
  return { url: `http://127.0.0.1:${message.port}`, process: child };
}

async function runClient(name: 'ours' | 'whole' | 'client-node', url: string): Promise<ClientResult> {
  console.error(`reading with ${name}`);
  const { stdout } = await run(process.execPath, [file(`./${name}.ts`), url, String(pods)], { maxBuffer: 1 << 24 });
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as ClientResult;
}

const server = await startServer();
const { ours, whole, baseline } = await takeTurns(rounds, {
  baseline: () => runClient('client-node', server.url),
  ours: () => runClient('ours', server.url),
  whole: () => runClient('whole', server.url),
}).finally(() => server.process.disconnect());
const compare = (suffix: string, results: readonly ClientResult[]): Measure[] => {
  const sides = (field: keyof ClientResult) => ({
    ours: results.map((result) => result[field]),
    baseline: baseline.map((result) => result[field]),
  });
  return [
    measure({ what: `list${suffix}`, ...sides('listSeconds'), unit: 's', better: 'lower' }),
    measure({ what: `events${suffix}`, ...sides('eventsPerSecond'), unit: '/s', better: 'higher' }),
    measure({ what: `rss${suffix}`, ...sides('peakRssMb'), unit: 'MB', better: 'lower' }),
    measure({ what: `stall${suffix}`, ...sides('longestStallMs'), unit: 'ms', better: 'lower' }),
  ];
};
printReport({ bench: 'reflector', measures: [...compare('', ours), ...compare('-whole', whole)] }, process.argv.slice(2));
