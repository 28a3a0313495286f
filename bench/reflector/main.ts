/**
 * Reads 50 000 pods of 4 KB and then 50 000 changes of them, once with our cache and once with the informer of
 * @kubernetes/client-node, each in a process of its own, in turns, against the same server.
 */
import { type ChildProcess, execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { measure, printReport } from '../report.ts';
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

async function runClient(name: 'ours' | 'client-node', url: string): Promise<ClientResult> {
  console.error(`reading with ${name}`);
  const { stdout } = await run(process.execPath, [file(`./${name}.ts`), url, String(pods)], { maxBuffer: 1 << 24 });
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as ClientResult;
}

const server = await startServer();
const { ours, baseline } = await takeTurns(rounds, {
  baseline: () => runClient('client-node', server.url),
  ours: () => runClient('ours', server.url),
}).finally(() => server.process.disconnect());
const compare = (field: keyof ClientResult): { ours: number[]; baseline: number[] } => ({
  ours: ours.map((result) => result[field]),
  baseline: baseline.map((result) => result[field]),
});
printReport(
  {
    bench: 'reflector',
    measures: [
      measure({ what: 'list', ...compare('listSeconds'), unit: 's', better: 'lower' }),
      measure({ what: 'events', ...compare('eventsPerSecond'), unit: '/s', better: 'higher' }),
      measure({ what: 'rss', ...compare('peakRssMb'), unit: 'MB', better: 'lower' }),
      measure({ what: 'stall', ...compare('longestStallMs'), unit: 'ms', better: 'lower' }),
    ],
  },
  process.argv.slice(2),
);
