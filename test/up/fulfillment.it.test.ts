import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { expectNone, keyOfKubeconfig, mark } from '../fulfillment/canary-mark.ts';
import { quartermasterInProcess, RunningUp } from './running-up.ts';
import { AdminConsole } from './snapshots.ts';

interface Served {
  readonly rest: string;
  readonly tokenFile: string;
  readonly tenants: readonly { readonly name: string; readonly tokenFile: string }[];
  /** Where the metrics of the process are. */
  readonly admin: string;
}

interface RunFile extends Pick<Served, 'tenants' | 'admin'> {
  readonly roles: { readonly 'service-fulfillment': Omit<Served, 'tenants' | 'admin'> };
}

interface ListedHosts {
  readonly total: number;
  readonly items: readonly {
    readonly id: string;
    readonly metadata: { readonly name: string; readonly version: string };
    readonly spec: { readonly rack: string };
  }[];
}

const parent = mkdtempSync(join(tmpdir(), 'up-fulfillment-'));
const dataDir = join(parent, 'data');
const started: RunningUp[] = [];

async function start(): Promise<{ readonly up: RunningUp; readonly served: Served }> {
  const up = new RunningUp(['--data-dir', dataDir, '--port', '0', '--log-level', 'debug']);
  started.push(up);
  await up.ready();
  return { up, served: servedNow() };
}

/** What the run file says of the service. */
function servedNow(): Served {
  const { roles, tenants, admin } = JSON.parse(readFileSync(join(dataDir, 'run.json'), 'utf8')) as RunFile;
  return { ...roles['service-fulfillment'], tenants, admin };
}

async function ask<T>({ rest }: Served, tokenFile: string, path: string, init: RequestInit = {}): Promise<{ status: number; body: T }> {
  const authorization = `Bearer ${readFileSync(tokenFile, 'utf8').trim()}`;
  const answer = await fetch(new URL(path, rest), { ...init, headers: { authorization, 'content-type': 'application/json' } });
  return { status: answer.status, body: (await answer.json()) as T };
}

/** What must not be told of an installation, as far as it lies in its directory. */
function keptSecrets(): ReadonlyMap<string, string> {
  const read = (...path: readonly string[]): string => readFileSync(join(dataDir, ...path), 'utf8').trim();
  const signatureOf = (token: string): string => token.split('.')[2] ?? '';
  const tokens = readdirSync(join(dataDir, 'fulfillment', 'tokens'));
  return new Map([
    ['keys of secrets', read('fulfillment', 'key-ring').split(':')[1] ?? ''],
    ['key of tokens', (JSON.parse(read('fulfillment', 'token-key')) as { readonly d: string }).d],
    ['password of the database', read('fulfillment', 'postgres', 'password')],
    ['key of the kubeconfig', keyOfKubeconfig(read('kubeconfig'))],
    ['control of faults', (JSON.parse(read('simulator-control.json')) as { readonly token: string }).token],
    ...tokens.map((name) => [`token of ${name}`, signatureOf(read('fulfillment', 'tokens', name))] as const),
  ]);
}

/** Name -> what nobody may be told. */
const secrets = new Map<string, string>();

function expectNoSecret(said: string): void {
  expect(secrets.size).toBeGreaterThan(7);
  expect([...secrets].filter(([, secret]) => secret.length < 16)).toEqual([]);
  expect([...secrets].filter(([, secret]) => said.includes(secret)).map(([name]) => name)).toEqual([]);
  expectNone('what it says', said);
  // No token at all, whoever has it.
  expect(said).not.toMatch(/eyJ[\w-]{10,}\.[\w-]+\./);
}

async function askAdmin(path: string): Promise<string> {
  const { admin, tokenFile } = servedNow();
  const headers = { authorization: `Bearer ${readFileSync(tokenFile, 'utf8').trim()}` };
  return await (await fetch(new URL(path, admin), { headers })).text();
}

afterAll(async () => {
  for (const up of started) {
    up.signal('SIGKILL');
    await up.exited();
  }
  rmSync(parent, { recursive: true, force: true });
});

describe('the fulfillment service of up', () => {
  it('has the datacenter of the scenario, with a token for the administrator and one for each tenant', async () => {
    const { served } = await start();
    expect(new URL(served.rest).hostname).toBe('127.0.0.1');
    expect(statSync(served.tokenFile).mode & 0o777).toBe(0o600);
    const { body } = await ask<ListedHosts>(served, served.tokenFile, '/api/private/v1/hosts');
    const inRacks = Map.groupBy(body.items, ({ spec }) => spec.rack);
    const names = [...inRacks].map(([rack, hosts]) => [rack, hosts.map(({ metadata }) => metadata.name).toSorted()] as const);
    expect(Object.fromEntries(names)).toEqual({
      'rack-1': ['node-1', 'node-2', 'node-3', 'spare-1', 'spare-2', 'spare-3', 'spare-4', 'spare-5'],
      'rack-2': ['compute-1', 'compute-2', 'compute-3', 'compute-4', 'compute-5', 'compute-6'],
      'rack-3': ['extra-1', 'extra-2', 'extra-3', 'extra-4'],
    });
    for (const { name, tokenFile } of served.tenants) {
      const own = await ask<ListedHosts>(served, tokenFile, '/api/fulfillment/v1/hosts');
      const refused = await ask(served, tokenFile, '/api/private/v1/hosts');
      expect([name, own.body.total, refused.status]).toEqual([name, name === 'acme' ? 2 : 3, 403]);
    }
  });

  it('is measured, like every role, where the run file says', async () => {
    const metrics = await askAdmin('/metrics');
    expect(metrics).toContain('quartermaster_fulfillment_calls_total{');
    expect(metrics).toContain('quartermaster_inventory_resource{');
    for (const role of ['service-fulfillment', 'operator-inventory'])
      expect(metrics).toContain(`quartermaster_role_ready{role="${role}"} 1`);
  });

  it('tells of the configuration of all roles, whether they need a cluster or not', async () => {
    const checks = await askAdmin('/readyz?verbose');
    for (const phase of ['alone', 'on-cluster', 'last']) expect(checks).toContain(`[+] config/${phase} ok`);
  });

  it('tells nobody its secrets by its state, metrics, probes, events, answers or the run file', async () => {
    const served = servedNow();
    for (const [name, secret] of keptSecrets()) secrets.set(name, secret);
    const spec = { bmc: { url: 'redfish+https://10.0.0.1', user: 'root', password: `${mark}-of-a-bmc` } };
    for (const body of [
      { id: 'secretive', spec },
      { id: 'Not An Id', spec },
    ]) {
      await ask(served, served.tokenFile, '/api/private/v1/hosts', { method: 'POST', body: JSON.stringify(body) });
    }
    const console = await AdminConsole.open((await started[0]?.ready())?.console ?? '', dataDir);
    const said = [
      readFileSync(join(dataDir, 'run.json'), 'utf8'),
      ...(await Promise.all(['/metrics', '/readyz?verbose', '/livez?verbose'].map(askAdmin))),
      ...(await Promise.all(
        [[], ['--json']].map(async (args) => (await quartermasterInProcess('status', '--data-dir', dataDir, ...args)).stdout),
      )),
      JSON.stringify([await console.installation(), await console.get('/api/console/v1/events'), await console.get('/api/session')]),
      JSON.stringify(await console.get('/api/quartermaster/v1/audit')),
      JSON.stringify(started[0]?.events),
    ].join('\n');
    await console.close();
    for (const part of ['secretive', 'quartermaster_', '[+]']) expect(said).toContain(part);
    expectNoSecret(said);
  });

  it('keeps what was written through a kill of everything, and fills in nothing twice', async () => {
    const [first] = started;
    const served = servedNow();
    const init = { method: 'POST', body: JSON.stringify({ id: 'by-hand', metadata: { name: 'by-hand' }, spec: { rack: 'rack-1' } }) };
    expect((await ask(served, served.tokenFile, '/api/private/v1/hosts', init)).status).toBe(200);
    const before = await ask<ListedHosts>(served, served.tokenFile, '/api/private/v1/hosts');
    first?.signal('SIGKILL');
    await first?.exited();

    const again = await start();
    const after = await ask<ListedHosts>(again.served, again.served.tokenFile, '/api/private/v1/hosts');
    const versions = ({ items }: ListedHosts) => items.map(({ id, metadata }) => [id, metadata.version]);
    expect(versions(after.body)).toEqual(versions(before.body));
    expect(await again.up.stop()).toBe(0);
  });

  it('tells nobody its secrets by its log, which has every line here', async () => {
    const code = new URL((await started[0]?.ready())?.link ?? '').hash.slice('#code='.length);
    for (const up of started) {
      const logged = await up.stderr();
      expect(logged).toContain('"level":"debug"');
      expect(logged).not.toContain(code);
      expectNoSecret(logged);
    }
  });
});
