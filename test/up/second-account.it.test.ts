import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { machineWithoutAccounts } from '@quartermaster/store/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { RunningUp } from './running-up.ts';
import { listeningPorts, type StrangerReport, type Try, tryAsStranger } from './start-stranger.ts';

interface RunFile {
  readonly console: string;
  readonly admin: string;
  readonly server: string;
  readonly roles: Readonly<Record<string, { readonly grpc: string; readonly rest: string; readonly tokenFile: string }>>;
}

/** What is served anywhere here, and some that is not. */
const paths = [
  ...[
    '/',
    '/nodes',
    '/livez',
    '/readyz',
    '/readyz?verbose',
    '/metrics',
    '/metrics/ready',
    '/openapi.json',
    '/status',
    '/address',
    '/debug/pprof/',
  ],
  ...[
    '/v1/inventory',
    '/v1/node',
    '/v1/node/any',
    '/v1/session',
    '/v1/snapshot',
    '/v1/status',
    '/v1/allocations',
    '/v1/watch',
    '/v1/reservations',
  ],
  ...['/v1/view?view=nodes', '/v1/views:watch?views=nodes', '/v1/search?query=node', '/v1/history', '/v1/removals', '/v1/explain/node/any'],
  ...['/v1/bid-decisions', '/v1/bid-status', '/api/market/v1/deployments', '/api/market/v1/provider/orders', '/api/market/v1/events/watch'],
  ...['/api/private/v1/hosts', '/api/private/v1/events/watch', '/api/fulfillment/v1/clusters', '/api/events/v1/events'],
  ...['/api/quartermaster/v1/session', '/api/quartermaster/v1/audit', '/api/session', '/api/session/links', '/api/console/v1/installation'],
  ...['/api/console/v1/pods', '/api/inventory/v1/view?view=nodes', '/api/inventory/v1/views:watch?views=nodes', '/api/cluster/v1/status'],
  ...[
    '/api',
    '/apis',
    '/version',
    '/api/v1/nodes',
    '/api/v1/nodes?watch=true',
    '/api/v1/secrets',
    '/openapi/v2',
    '/simulator/objects',
    '/faults',
  ],
];

/** Only the installation knows these. */
const secrets = /node-\d|spare-\d|compute-\d|extra-\d|rack-\d|tenant-1|acme|quartermaster_\w+_total|eyJ[\w-]{10}/;

describe('another account of the machine, against a running up', { timeout: 300_000 }, () => {
  const parent = mkdtempSync(join(tmpdir(), 'second-account-'));
  // As homes often are: others can look into it, so that only what `up` itself does keeps them out.
  chmodSync(parent, 0o755);
  const dataDir = join(parent, 'data');
  const other = mkdtempSync(join(tmpdir(), 'second-account-machine-'));
  let up: RunningUp;
  let run: RunFile;
  let ports: readonly number[];
  let report: StrangerReport;

  const filesIn = (folder: string): string[] =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.parentPath.includes('postgres'))
      .map((entry) => join(entry.parentPath, entry.name));

  /** Below a folder that only root enters, there is still the way through the process that works in them. */
  const databaseFiles = (): string[] => {
    const lock = readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).find((path) => path.endsWith('/postmaster.pid')) ?? '';
    const server = `/proc/${readFileSync(join(dataDir, lock), 'utf8').split('\n')[0]}`;
    return ['cwd', 'cwd/PG_VERSION', 'cwd/pg_hba.conf', 'environ'].map((path) => join(server, path));
  };

  beforeAll(async () => {
    if (process.getuid?.() !== 0) throw new Error('this test becomes another account: run it as root');
    // So that each call is refused for what it is, and not for how many there are.
    for (const role of ['INVENTORY', 'FULFILLMENT', 'MARKET', 'CLUSTER']) vi.stubEnv(`QUARTERMASTER_${role}_REQUESTS_PER_SECOND`, '0');
    // A machine has no account for databases unless somebody added one.
    const machine = await machineWithoutAccounts(join(other, 'etc'));
    up = new RunningUp(['--data-dir', dataDir, '--port', '0'], machine.running);
    vi.unstubAllEnvs();
    await up.ready();
    run = JSON.parse(readFileSync(join(dataDir, 'run.json'), 'utf8')) as RunFile;
    ports = listeningPorts(up.pid);
    report = await tryAsStranger({ files: [dataDir, ...filesIn(dataDir), ...databaseFiles()], ports, paths });
  }, 480_000);

  afterAll(async () => {
    await up?.stop();
    for (const folder of [parent, other]) rmSync(folder, { recursive: true, force: true });
  });

  const portOf = (address: string): number => Number(address.split(':').at(-1)?.replace(/\/$/, ''));
  const isOneWord = (text: string): boolean => /^[a-z]+\n?$/.test(text);

  /** Pages and their parts hold no data, contracts are published, an API server tells everybody its version, and the rest says how to come in. */
  function isPublic({ port, what, type, text }: Try): boolean {
    const path = what.split(' ').at(-1) ?? '';
    if (what === 'grpc /metadata.v1.Metadata/Get') return true;
    if (/^\/(livez|readyz|readyz\?verbose|metrics\/ready)$/.test(path) && isOneWord(text)) return true;
    if (what === 'https GET /version') return port === portOf(run.server) || port === gatewayPort();
    // Who sells, and how much: whoever wants to order looks at that before.
    if (what === 'https GET /address' || what === 'https GET /status') return port === gatewayPort();
    if (!what.startsWith('http GET ')) return false;
    if (port === portOf(run.console)) {
      if (path === '/api/session') return text === '{"kind":"none","signIn":["link","token"]}';
      return type.startsWith('text/html') && text.includes('<div id="root">');
    }
    const publishers = ['service-fulfillment', 'service-market'].map((role) => portOf(run.roles[role]?.rest ?? ''));
    return path === '/openapi.json' && publishers.includes(port) && text.startsWith('{"openapi":');
  }

  /** The one listener that is no role's own in the run file: leases tell their tenants of it. */
  const gatewayPort = (): number | undefined =>
    report.tries.find(({ what, text }) => what === 'https GET /address' && text === '{"address":"provider"}\n')?.port;

  const isAnswered = ({ outcome }: Try): boolean => /^[23]\d\d$/.test(outcome) || outcome === 'answered';

  it('was tried as another account, on every port that there is, by every protocol', () => {
    expect(report.uid).toBe(65_534);
    const named = [run.console, run.admin, run.server, ...Object.values(run.roles).flatMap(({ grpc, rest }) => [grpc, rest])].map(portOf);
    expect(named.filter((port) => !ports.includes(port))).toEqual([]);
    // Beside these there is the database, and what the simulation is told by.
    expect(ports.length).toBeGreaterThanOrEqual(named.length + 2);
    expect(gatewayPort()).toBeDefined();
    const ways = new Set(report.tries.filter(({ outcome }) => outcome !== '0').map(({ what }) => what.split(' ')[0]));
    expect(ways).toEqual(new Set(['http', 'https', 'grpc', 'postgres', 'bytes']));
  });

  it('gets no answer but the page to sign in, probes of one word, and published contracts', () => {
    const answered = report.tries.filter(isAnswered).filter((each) => !isPublic(each));
    expect(answered.map(({ port, what, outcome, text }) => [port, what, outcome, text.slice(0, 200)])).toEqual([]);
  });

  it('is told who it would have to be, by what would answer others', () => {
    const { rest = '' } = run.roles['operator-inventory'] ?? {};
    const grpcOf = (role: string): number => portOf(run.roles[role]?.grpc ?? '');
    const exactly = (port: number, what: string): string[] =>
      report.tries.filter((each) => each.port === port && each.what === what).map(({ outcome }) => outcome);
    const ofInventory = /^grpc \/(akash|quartermaster\.(inventory|removals))\./;
    const ofMarket = /^grpc \/quartermaster\.market\./;
    const ofCluster = /^grpc \/quartermaster\.cluster\./;
    const ofOthers = [ofInventory, ofMarket, ofCluster];
    const calls = report.tries.filter(({ what }) => what.startsWith('grpc ') && !what.startsWith('grpc /metadata.v1.'));
    for (const [role, port, isServed] of [
      ['inventory', grpcOf('operator-inventory'), (what: string) => ofInventory.test(what)],
      ['market', grpcOf('service-market'), (what: string) => ofMarket.test(what)],
      ['cluster', grpcOf('service-cluster'), (what: string) => ofCluster.test(what)],
      ['fulfillment', grpcOf('service-fulfillment'), (what: string) => !ofOthers.some((others) => others.test(what))],
    ] as const) {
      const served = calls.filter((each) => each.port === port && isServed(each.what));
      expect(served.length).toBeGreaterThan(0);
      expect([role, served.length]).toEqual([role, new Set(calls.map(({ what }) => what).filter(isServed)).size]);
      expect(served.filter(({ outcome }) => outcome !== 'unauthenticated')).toEqual([]);
    }
    for (const path of ['/v1/inventory', '/v1/view?view=nodes', '/v1/watch', '/v1/views:watch?views=nodes', '/v1/session', '/metrics'])
      expect([path, ...exactly(portOf(rest), `http GET ${path}`)]).toEqual([path, '401']);
    expect(exactly(portOf(run.admin), 'http GET /metrics')).toEqual(['401']);
    expect(exactly(portOf(run.admin), 'http GET /readyz?verbose')).toEqual(['401']);
    expect(exactly(portOf(run.server), 'https GET /api/v1/nodes')).toEqual(['401']);
    expect(exactly(portOf(run.server), 'https GET /api/v1/nodes?watch=true')).toEqual(['401']);
  });

  it('reads nothing of the installation in any answer, refusals included', () => {
    const telling = report.tries.filter(({ text, what }) => secrets.test(text) && !what.endsWith('/openapi.json'));
    expect(telling.map(({ port, what, text }) => [port, what, secrets.exec(text)?.[0]])).toEqual([]);
  });

  it('reads no file of it, and least of all the tokens', () => {
    const tokens = [...new Set(Object.values(run.roles).map(({ tokenFile }) => tokenFile)), join(dataDir, 'fulfillment', 'token-key')];
    const tried = new Map(report.files);
    for (const file of tokens) expect([file, tried.get(file)]).toEqual([file, expect.stringContaining('EACCES')]);
    expect(report.files.filter(([, got]) => !got.includes('EACCES')).map(([file]) => file)).toEqual([]);
    expect(statSync(tokens[0] ?? '').mode & 0o077).toBe(0);
  });
});
