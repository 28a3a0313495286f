import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { runKubectl } from '../kube/kubectl.ts';
import { times } from '../support/soak.ts';
import { RunningUp } from './running-up.ts';
import { AdminConsole, expectSoon } from './snapshots.ts';

const wholeCount = 5_000;
const nodeCount = times(500, wholeCount);
const parent = mkdtempSync(join(tmpdir(), 'up-at-size-'));
const dataDir = join(parent, 'data');
const scenario = join(parent, 'at-size.yaml');
const started: RunningUp[] = [];

interface Counted {
  count: number;
}
interface World {
  readonly racks: readonly { readonly nodes: readonly Counted[] }[];
  readonly tenants: readonly Counted[];
}

/** The world of 5 000 nodes, or a part of it. */
function writeWorld(): void {
  const shipped = new URL('../../simulator/scenarios/5000-nodes.yaml', import.meta.url);
  const world = parse(readFileSync(shipped, 'utf8')) as World;
  for (const each of [...world.racks.flatMap((rack) => rack.nodes), ...world.tenants]) each.count *= nodeCount / wholeCount;
  writeFileSync(scenario, JSON.stringify(world));
}

async function start(): Promise<RunningUp> {
  const up = new RunningUp(['--data-dir', dataDir, '--port', '0', '--scenario', scenario]);
  started.push(up);
  await up.ready();
  return up;
}

/** How many agents the cluster says are running. */
async function runningAgents(): Promise<number> {
  const cluster = { kubeconfig: join(dataDir, 'kubeconfig'), cacheDirectory: join(parent, 'kubectl-cache') };
  const args = ['get', 'daemonset', 'quartermaster-discovery', '--namespace=quartermaster', '-o', 'jsonpath={.status.numberReady}'];
  return Number((await runKubectl(cluster, args)).stdout);
}

async function playerOf(up: RunningUp): Promise<number> {
  const admin = await AdminConsole.open((await up.ready()).console, dataDir);
  const { parts } = await admin.installation();
  await admin.close();
  return Number(parts.find(({ name }) => name === 'simulated cluster')?.facts['pid']);
}

afterAll(async () => {
  for (const up of started) {
    up.signal('SIGKILL');
    await up.exited();
  }
  rmSync(parent, { recursive: true, force: true });
});

describe(`up with ${nodeCount} nodes and an agent on each`, { timeout: times(120_000, 900_000) }, () => {
  it('is ready without an error of its own parts', async () => {
    writeWorld();
    const up = await start();
    await expectSoon(async () => (await runningAgents()) === nodeCount, times(60_000, 600_000));
    up.signal('SIGKILL');
    await up.exited();
    expect(await up.errors()).toEqual([]);
  });

  it('is ready again on what a killed one has left, where all agents start at once, and its API server is not flooded by them', async () => {
    const up = await start();
    expect(await runningAgents()).toBe(nodeCount);
    // Both ends of the agents' connections are in this process.
    expect(readdirSync(`/proc/${await playerOf(up)}/fd`).length).toBeLessThan(nodeCount / 2);
    expect(await up.stop()).toBe(0);
    expect(await up.errors()).toEqual([]);
  });
});
