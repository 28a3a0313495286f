import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeHardwareType } from '@quartermaster/api/node-hardware';
import { KubeClient, startCache } from '@quartermaster/kube';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { times } from '../support/soak.ts';
import { RunningUp } from './running-up.ts';
import { expectSoon, playerOf } from './snapshots.ts';

const wholeCount = 5_000;
const nodeCount = times(500, wholeCount);
const parent = mkdtempSync(join(tmpdir(), 'up-at-size-'));
const dataDir = join(parent, 'data');
const scenario = join(parent, 'at-size.yaml');
const started: RunningUp[] = [];
/** How long a start takes says something only where nothing else runs beside it. */
const isMeasured = times(0, 1) === 1;

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

interface Started {
  readonly up: RunningUp;
  readonly tookMs: number;
}

async function start(): Promise<Started> {
  const startedAt = performance.now();
  const up = new RunningUp(['--data-dir', dataDir, '--port', '0', '--scenario', scenario]);
  started.push(up);
  await up.ready();
  return { up, tookMs: performance.now() - startedAt };
}

/** Resolves with the fingerprints that the agents of all nodes tell once none is among those before: a process makes itself a new key for its agents. */
async function newFingerprints(before: ReadonlySet<string>): Promise<ReadonlySet<string>> {
  const client = await KubeClient.connect({ kubeconfig: join(dataDir, 'kubeconfig') });
  const told = startCache(client, {
    type: nodeHardwareType,
    fields: { status: { certificateFingerprint: true } },
    project: ({ status }) => status?.certificateFingerprint ?? '',
  });
  const fingerprints = (): string[] => [...told.entries()].map(({ value }) => value);
  const isNew = (each: string): boolean => each !== '' && !before.has(each);
  try {
    await expectSoon(() => told.size === nodeCount && fingerprints().every(isNew), times(200_000, 600_000));
    return new Set(fingerprints());
  } finally {
    await told.stop();
    await client.close();
  }
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

afterAll(async () => {
  for (const up of started) {
    up.signal('SIGKILL');
    await up.exited();
  }
  rmSync(parent, { recursive: true, force: true });
});

describe(`up with ${nodeCount} nodes and an agent on each`, { timeout: times(300_000, 900_000) }, () => {
  let firstMs: number;
  let fingerprints: ReadonlySet<string>;

  it('is ready without an error of its own parts', async () => {
    writeWorld();
    const { up, tookMs } = await start();
    firstMs = tookMs;
    fingerprints = await newFingerprints(new Set());
    up.signal('SIGKILL');
    await up.exited();
    expect(await up.errors()).toEqual([]);
  });

  it('is ready again on what a killed one has left, where all agents start at once, and its API server is not flooded by them', async () => {
    const { up, tookMs } = await start();
    // Both ends of the agents' connections are in this process.
    const player = await playerOf(up, dataDir);
    const descriptors = (): number => readdirSync(`/proc/${player}/fd`).length;
    expect(descriptors()).toBeLessThan(nodeCount / 2);
    await newFingerprints(fingerprints);
    expect(descriptors()).toBeLessThan(nodeCount / 2);
    expect(await up.stop()).toBe(0);
    expect(await up.errors()).toEqual([]);
    if (!isMeasured) return;
    console.log(`${nodeCount} nodes: ready after ${seconds(firstMs)}, on kept state after ${seconds(tookMs)}`);
    expect(tookMs).toBeLessThanOrEqual(firstMs * 1.2);
  });
});
