/**
 * The command line, each command in a process of its own, beside a Node that does nothing (`node -e 0`):
 *
 * version      `quartermaster --version`
 * help         `quartermaster --help`
 * get          `quartermaster get nodes`, asked of an inventory of 20 nodes that this process serves
 * get-sources  the same from the sources, as it is until `npm start` has made the bundle
 * npx-version  `npx quartermaster --version`: most of it is npm's
 *
 * All take turns, round by round, so that what else the machine does meets all alike. The values are medians; the spread goes to standard error.
 */
import { execFile } from 'node:child_process';
import { rename } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { InventoryFeed, inventoryServing } from '@quartermaster/inventory';
import { FakeInventory, nodeInventory, servingViews } from '@quartermaster/inventory/testing';
import { systemClock } from '@quartermaster/kernel';
import { startRpcServer } from '@quartermaster/rpc';
import { measure, printReport } from '../report.ts';

const rounds = 15;
const nodes = 20;

const run = promisify(execFile);
const path = (name: string): string => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const executable = path('apps/quartermaster/bin/quartermaster.mjs');
const record = path('node_modules/.cache/quartermaster/client.json');

async function timed(command: string, args: readonly string[]): Promise<number> {
  const begin = performance.now();
  await run(command, args, { cwd: path('.') });
  return performance.now() - begin;
}

async function serveNodes(ends: AsyncDisposableStack): Promise<string> {
  const inventory = new FakeInventory();
  for (let i = 1; i <= nodes; i += 1) inventory.setNode(nodeInventory(`node-${i}`));
  const feed = new InventoryFeed({ clusterId: 'bench', source: inventory, minIntervalMs: 1 });
  ends.defer(() => feed.stop());
  feed.touch('nodes');
  const status = (): never => {
    throw new Error('nobody asks for it');
  };
  const { stop, ...views } = servingViews(feed, systemClock);
  ends.defer(stop);
  const server = await startRpcServer({ services: inventoryServing({ feed, allocations: () => [], ...views, status }).services });
  ends.defer(() => server.stop(1000));
  return server.address;
}

/** Runs it while the bundle is out of the way. */
async function fromSources(args: readonly string[]): Promise<number> {
  await rename(record, `${record}.away`);
  try {
    return await timed(process.execPath, args);
  } finally {
    await rename(`${record}.away`, record);
  }
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

await using ends = new AsyncDisposableStack();
await run(process.execPath, [path('apps/quartermaster/src/make-client-bundle.ts')]);
const get = [executable, 'get', 'nodes', '--server', await serveNodes(ends)];
const node = (...args: readonly string[]) => timed(process.execPath, args);
const ways = new Map<string, () => Promise<number>>([
  ['node', () => node('-e', '0')],
  ['version', () => node(executable, '--version')],
  ['help', () => node(executable, '--help')],
  ['get', () => node(...get)],
  ['get-sources', () => fromSources(get)],
  ['npx-version', () => timed('npx', ['quartermaster', '--version'])],
]);
const times = new Map([...ways.keys()].map((name) => [name, [] as number[]]));
// The first round fills the caches of code and is not counted.
for (let round = 0; round <= rounds; round += 1) {
  for (const [name, way] of ways) {
    const ms = await way();
    if (round > 0) times.get(name)?.push(ms);
  }
}
for (const [name, all] of times) {
  console.error(`  ${name}: ${Math.round(Math.min(...all))} to ${Math.round(Math.max(...all))} ms, median ${Math.round(median(all))}`);
}
const baseline = median(times.get('node') ?? []);
const measures = [...times]
  .filter(([name]) => name !== 'node')
  .map(([what, all]) => measure({ what, ours: median(all), baseline, unit: 'ms', better: 'lower' }));
printReport({ bench: 'cli', measures }, process.argv.slice(2));
