/**
 * The gateway to tenants in one replica of the cluster service, with 500 logs that are followed and 50 shells at terminals open at once over TLS, on a simulated cluster whose
 * pods write two lines a second; beside it one that asks the API server for everything. The gateway, its tenants, and the cluster with the market have a process each, and the
 * gateway a new one each time.
 *
 * rss-per-stream   memory of the gateway's process with all streams, less that without any, each after a collection, divided by their number
 * p99-status       how long the status of a lease of five services takes in 99 of 100 cases, asked for by two callers every 10 ms while the streams are
 *                  open; a caller who waits longer than that for an answer asks again when it has it
 * p99-status-idle  the same before they are
 * rss-gigabyte     how much more memory the process of ours ever has while one stream reads a log of a gigabyte, the second half of it more slowly than it could come
 * gigabyte         how fast the first half of it is read
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog } from '@quartermaster/kernel';
import { ensureDatabase, startEmbeddedPostgres } from '@quartermaster/store/embedded';
import { Child } from '../inventory/child.ts';
import { measure, printReport } from '../report.ts';
import { roundsOf, takeTurns } from '../turns.ts';
import type { Deployed, SiteReady } from './protocol.ts';
import { Side, type Streaming } from './side.ts';

const [logs, shells] = [500, 50];
/** An API server has machines of its own: on this one it shall not collect garbage on the cores of those whom it serves. */
const siteFlags = ['--initial-old-space-size=1000', '--heap-growing-percent=300'];

const args = process.argv.slice(2);
const directory = await mkdtemp(join(tmpdir(), 'quartermaster-bench-'));
const postgres = await startEmbeddedPostgres({ directory, log: silentLog });

/** By a cluster service that is there for as long as that takes. */
async function deployLeases(siteProcess: Child, site: SiteReady): Promise<Deployed> {
  await using service = new Child('../gateway/ours.ts', [JSON.stringify(site)]);
  await service.next();
  siteProcess.send({});
  return await siteProcess.next<Deployed>();
}

try {
  await using siteProcess = new Child('../gateway/site.ts', [await ensureDatabase(postgres.url, 'market')], siteFlags);
  const site = await siteProcess.next<SiteReady>();
  const deployed = await deployLeases(siteProcess, site);
  await using tenants = new Child('../gateway/tenants.ts', [site.certFile, JSON.stringify(deployed)]);
  await tenants.next();
  const shared = { site, deployed, tenants, logs, shells };
  const ours = new Side({ name: 'ours', program: './ours.ts', ...shared });
  const plain = new Side({ name: 'plain', program: './plain.ts', ...shared });
  const rounds = roundsOf(args, 3);
  const streaming = await takeTurns(rounds, { ours: () => ours.streaming(), baseline: () => plain.streaming() });
  const { ours: gigabytes } = await takeTurns(rounds, { ours: () => ours.gigabyte() });
  const values = (of: (each: Streaming) => number) => ({ ours: streaming.ours.map(of), baseline: streaming.baseline.map(of) });
  const alone = (of: (each: (typeof gigabytes)[number]) => number) => ({ ours: gigabytes.map(of), baseline: null });
  const measures = [
    measure({ what: 'rss-per-stream', ...values(({ kibPerStream }) => kibPerStream), unit: 'KiB', better: 'lower' }),
    measure({ what: 'p99-status', ...values(({ p99Ms }) => p99Ms), unit: 'ms', better: 'lower' }),
    measure({ what: 'p99-status-idle', ...values(({ p99IdleMs }) => p99IdleMs), unit: 'ms', better: 'lower' }),
    measure({ what: 'rss-gigabyte', ...alone(({ growthMb }) => growthMb), unit: 'MB', better: 'lower' }),
    measure({ what: 'gigabyte', ...alone(({ mbPerSecond }) => mbPerSecond), unit: 'MB/s', better: 'higher' }),
  ];
  printReport({ bench: 'gateway', measures }, args);
} finally {
  await postgres.stop();
  await rm(directory, { recursive: true, force: true });
}
