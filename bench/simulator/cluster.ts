/**
 * The process that is measured: plays a scenario, on a simulated API server of its own or on the server of a given kubeconfig. Says when the nodes are
 * registered and everything is created, and, when asked, how much memory it has once it is at rest.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { KubeClient } from '@quartermaster/kube';
import { loadScenario, playScenario, startSimulatedServer } from '@quartermaster/simulator';

export interface ClusterReady {
  readonly kubeconfig: string;
}

export interface ClusterAtRest {
  readonly rssMb: number;
  /** How much of one core it needs to do no more than live on. */
  readonly coreShare: number;
}

const [scenarioName = '', given] = process.argv.slice(2);

async function startServer(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'quartermaster-bench-'));
  process.on('exit', () => void rm(directory, { recursive: true, force: true }));
  const kubeconfig = join(directory, 'kubeconfig');
  await writeFile(kubeconfig, (await startSimulatedServer()).kubeconfig, { mode: 0o600 });
  return kubeconfig;
}

/** Share of one core over some seconds. */
async function coreShare(overMs: number): Promise<number> {
  const before = process.cpuUsage();
  const startedAt = performance.now();
  await pause(overMs);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / (performance.now() - startedAt);
}

/** Its caches are read when it works but little for some seconds. */
async function atRest(): Promise<ClusterAtRest> {
  for (let calm = 0; calm < 2; calm = (await coreShare(2000)) < 0.25 ? calm + 1 : 0);
  return { coreShare: await coreShare(3000), rssMb: process.memoryUsage.rss() / 1e6 };
}

process.on('disconnect', () => process.exit(0));
process.on('message', () => void atRest().then((rest) => process.send?.(rest)));
const kubeconfig = given ?? (await startServer());
const client = await KubeClient.connect({ kubeconfig });
await playScenario({ client, scenario: await loadScenario(scenarioName), ownControl: given === undefined });
process.send?.({ kubeconfig } satisfies ClusterReady);
