/**
 * The command line, each command in a process of its own, beside a Node that does nothing (`node -e 0`):
 *
 * version      `quartermaster --version`
 * help         `quartermaster --help`
 * get          `quartermaster get nodes`, asked of an inventory of 20 nodes that this process serves
 * get-sources  the same from the sources, as it is until `npm start` has made the bundle
 * npx-version  `npx quartermaster --version`: most of it is npm's
 *
 * All take turns, round by round. Every `get` must print all nodes; before and after the rounds it is checked that it runs from the bundle, and get-sources does not.
 */
import { execFile } from 'node:child_process';
import { readFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { InventoryFeed, inventoryServing } from '@quartermaster/inventory';
import { FakeInventory, nodeInventory, servingViews } from '@quartermaster/inventory/testing';
import { systemClock } from '@quartermaster/kernel';
import { startRpcServer } from '@quartermaster/rpc';
import { measure, printReport } from '../report.ts';
import { roundsOf, takeTurns } from '../turns.ts';

const rounds = roundsOf(process.argv, 15);
const nodes = 20;

const run = promisify(execFile);
const path = (name: string): string => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const executable = path('apps/quartermaster/bin/quartermaster.mjs');
const record = path('node_modules/.cache/quartermaster/client.json');

async function timed(command: string, args: readonly string[], check: (stdout: string) => void = () => {}): Promise<number> {
  const begin = performance.now();
  const { stdout } = await run(command, args, { cwd: path('.') });
  const ms = performance.now() - begin;
  check(stdout);
  return ms;
}

function checkNodes(stdout: string): void {
  const printed = new Set(stdout.match(/\bnode-\d+\b/g)).size;
  if (printed !== nodes) throw new Error(`get printed ${printed} of ${nodes} nodes:\n${stdout}`);
}

/** Whether the bundle is among the modules that the process loads. */
async function loadsBundle(bundle: string, args: readonly string[]): Promise<boolean> {
  const hooks = "{ load(url, context, next) { process._rawDebug('loads ' + url); return next(url, context); } }";
  const tell = `data:text/javascript,import { registerHooks } from 'node:module'; registerHooks(${hooks});`;
  const { stderr } = await run(process.execPath, ['--import', tell, ...args], { cwd: path('.'), maxBuffer: 1 << 24 });
  return stderr.includes(`loads ${pathToFileURL(bundle).href}`);
}

async function checkBundle(args: readonly string[]): Promise<void> {
  const { file } = JSON.parse(await readFile(record, 'utf8')) as { readonly file: string };
  const bundle = join(dirname(record), file);
  if (!(await loadsBundle(bundle, args))) throw new Error('get did not run from the bundle; have its sources changed meanwhile?');
  if (await withoutBundle(() => loadsBundle(bundle, args))) throw new Error('get-sources ran from the bundle');
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
async function withoutBundle<T>(work: () => Promise<T>): Promise<T> {
  await rename(record, `${record}.away`);
  try {
    return await work();
  } finally {
    await rename(`${record}.away`, record);
  }
}

await using ends = new AsyncDisposableStack();
await run(process.execPath, [path('apps/quartermaster/src/make-client-bundle.ts')]);
const get = [executable, 'get', 'nodes', '--server', await serveNodes(ends)];
const node = (...args: readonly string[]) => timed(process.execPath, args);
const ways = {
  node: () => node('-e', '0'),
  version: () => node(executable, '--version'),
  help: () => node(executable, '--help'),
  get: () => timed(process.execPath, get, checkNodes),
  'get-sources': () => withoutBundle(() => timed(process.execPath, get, checkNodes)),
  'npx-version': () => timed('npx', ['quartermaster', '--version']),
};
await checkBundle(get);
// The first round fills the caches of code and is not counted.
await takeTurns(1, ways);
const { node: baseline, ...ours } = await takeTurns(rounds, ways);
await checkBundle(get);
const measures = Object.entries(ours).map(([what, times]) => measure({ what, ours: times, baseline, unit: 'ms', better: 'lower' }));
printReport({ bench: 'cli', measures }, process.argv.slice(2));
