/**
 * How fast a simulated cluster is there, how large it is, and how fast it tells its watchers, against a real control plane with the
 * same simulated nodes:
 *
 * start-small  until the scenario small is served with its nodes, from the start of a process on
 * start-100    the same with 100 nodes and 500 running pods
 * start-5000   the same with 5 000 nodes and 150 000 running pods; no real control plane carries that here
 * rss-5000     what that process, server and nodes in one, holds in memory at rest
 * events       changes of pods told to five watchers, all of them together, with 100 nodes
 */
import { type ChildProcess, execFile, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { sleep, systemClock } from '@quartermaster/kernel';
import { KubeClient, kinds } from '@quartermaster/kube';
import { nextMessage, startControlPlane, stopProcesses } from '../real-control-plane.ts';
import { measure, printReport } from '../report.ts';
import { roundsOf, takeTurns } from '../turns.ts';
import type { ClusterAtRest, ClusterReady } from './cluster.ts';

const rounds = roundsOf(process.argv, 5);
const eventSeconds = 3;
const maxStartSeconds = 400;
const lookAgainMs = 500;

const run = promisify(execFile);
const file = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const hundredNodes = file('./hundred-nodes.yaml');

interface Cluster {
  readonly seconds: number;
  readonly kubeconfig: string;
  readonly processes: readonly ChildProcess[];
}

/** Starts a cluster and checks that it serves what its scenario says. */
async function start(kind: 'simulated' | 'real', scenario: string, nodes: number, pods: number): Promise<Cluster> {
  console.error(`starting ${nodes} nodes and ${pods} pods on a ${kind} control plane`);
  const startedAt = performance.now();
  const controlPlane = kind === 'real' ? await startControlPlane() : undefined;
  const child = fork(file('./cluster.ts'), [scenario, ...(controlPlane === undefined ? [] : [controlPlane.kubeconfig])]);
  const { kubeconfig } = await nextMessage<ClusterReady>(child);
  const client = await KubeClient.connect({ kubeconfig });
  const seconds = await secondsUntilServed(client, startedAt, nodes, pods);
  await client.close();
  return { seconds, kubeconfig, processes: [child, ...(controlPlane === undefined ? [] : [controlPlane.process])] };
}

/** Real controllers go on after everything was created. The time is that before the look that found everything, not after it. */
async function secondsUntilServed(client: KubeClient, startedAt: number, nodes: number, pods: number): Promise<number> {
  for (;;) {
    const seconds = (performance.now() - startedAt) / 1000;
    const [ready, running] = [await readyNodes(client), await runningPods(client)];
    if (ready === nodes && running >= pods) return seconds;
    if (seconds > maxStartSeconds) throw new Error(`${ready} of ${nodes} nodes are ready and ${running} of ${pods} pods run`);
    await sleep(systemClock, lookAgainMs);
  }
}

async function readyNodes(client: KubeClient): Promise<number> {
  const { items } = await client.list(kinds.nodes);
  return items.filter(({ status }) => status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True')).length;
}

async function runningPods(client: KubeClient): Promise<number> {
  let [running, token] = [0, ''];
  do {
    const page = await client.list(kinds.pods, {
      fieldSelector: 'status.phase=Running',
      limit: 1000,
      ...(token === '' ? {} : { continue: token }),
    });
    running += page.items.length;
    token = page.continue ?? '';
  } while (token !== '');
  return running;
}

async function small(kind: 'simulated' | 'real'): Promise<number> {
  const cluster = await start(kind, 'small', 3, 0);
  await stopProcesses(cluster.processes);
  return cluster.seconds;
}

async function hundred(kind: 'simulated' | 'real'): Promise<{ readonly seconds: number; readonly eventsPerSecond: number }> {
  const cluster = await start(kind, hundredNodes, 100, 500);
  console.error(`five watchers on a ${kind} control plane`);
  const { stdout } = await run(process.execPath, [file('./events.ts'), cluster.kubeconfig, String(eventSeconds)]);
  await stopProcesses(cluster.processes);
  return { seconds: cluster.seconds, eventsPerSecond: Number(stdout.trim().split('\n').at(-1)) };
}

async function fiveThousand(): Promise<{ readonly seconds: number; readonly rest: ClusterAtRest }> {
  const cluster = await start('simulated', '5000-nodes', 5000, 150_000);
  const [child] = cluster.processes;
  if (child === undefined) throw new Error('there is no process to measure');
  child.send('rest');
  const rest = await nextMessage<ClusterAtRest>(child);
  console.error(`5 000 nodes need ${(rest.coreShare * 100).toFixed(0)} % of a core at rest`);
  await stopProcesses(cluster.processes);
  return { seconds: cluster.seconds, rest };
}

const atThree = await takeTurns(rounds, { ours: () => small('simulated'), baseline: () => small('real') });
const atHundred = await takeTurns(rounds, { ours: () => hundred('simulated'), baseline: () => hundred('real') });
const { ours: large } = await takeTurns(rounds, { ours: fiveThousand });
const compare = (field: 'seconds' | 'eventsPerSecond') => ({
  ours: atHundred.ours.map((result) => result[field]),
  baseline: atHundred.baseline.map((result) => result[field]),
});
printReport(
  {
    bench: 'simulator',
    measures: [
      measure({ what: 'start-small', ...atThree, unit: 's', better: 'lower' }),
      measure({ what: 'start-100', ...compare('seconds'), unit: 's', better: 'lower' }),
      measure({ what: 'start-5000', ours: large.map(({ seconds }) => seconds), baseline: null, unit: 's', better: 'lower' }),
      measure({ what: 'rss-5000', ours: large.map(({ rest }) => rest.rssMb), baseline: null, unit: 'MB', better: 'lower' }),
      measure({ what: 'events', ...compare('eventsPerSecond'), unit: '/s', better: 'higher' }),
    ],
  },
  process.argv.slice(2),
);
