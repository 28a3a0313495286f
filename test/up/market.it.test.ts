import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { tenantLeaseType } from '@quartermaster/api/tenant-lease';
import { discover, KubeClient, type KubeObject, type ResourceType } from '@quartermaster/kube';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { hasBrowser, launchBrowser, openPage } from '../console/browser.ts';
import { writtenOf } from '../leases/written-objects.ts';
import { quartermasterInProcess, RunningUp } from './running-up.ts';

interface RunFile {
  readonly tenants: readonly { readonly name: string; readonly tokenFile: string }[];
}

interface Deployed {
  readonly deployment: { readonly id: string; readonly status: { readonly owner: string } };
  readonly leases: readonly { readonly id: string; readonly status: { readonly state: string } }[];
}

const withKind = ({ kind }: ResourceType, { items }: { readonly items: readonly KubeObject[] }) => items.map((item) => ({ ...item, kind }));
const program = fileURLToPath(new URL('../../apps/quartermaster/bin/quartermaster.mjs', import.meta.url));
const example = (name: string): string => fileURLToPath(new URL(`../../examples/${name}.yaml`, import.meta.url));

// A test may wait for several things in turn, each as long as `--timeout` or a poll says: what did not come about is then named.
describe('the market of up', { timeout: 120_000 }, () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'up-market-'));
  let up = new RunningUp(['--data-dir', dataDir, '--port', '0']);
  let tenants: RunFile['tenants'];
  let link: string;

  beforeAll(async () => {
    ({ link } = await up.ready());
    ({ tenants } = JSON.parse(readFileSync(join(dataDir, 'run.json'), 'utf8')) as RunFile);
  });

  afterAll(async () => {
    up.signal('SIGKILL');
    await up.exited();
    rmSync(dataDir, { recursive: true, force: true });
  });

  async function command(...args: readonly string[]): Promise<string> {
    const { stdout, stderr, exitCode } = await quartermasterInProcess(...args, '--data-dir', dataDir);
    expect({ args, stderr, exitCode }).toEqual({ args, stderr: '', exitCode: 0 });
    return stdout;
  }

  const json = async <T>(...args: readonly string[]): Promise<T> => JSON.parse(await command(...args, '-o', 'json')) as T;

  async function withClient<T>(use: (client: KubeClient) => Promise<T>): Promise<T> {
    const client = await KubeClient.connect({ kubeconfig: join(dataDir, 'kubeconfig') });
    try {
      return await use(client);
    } finally {
      await client.close();
    }
  }

  /**
   * Kind and name -> what the provider has written of what is in namespaces of leases, of these namespaces, and of what is recorded, stored and declared of leases. A node that
   * was silent for a moment, and a lease that was not seen for one, are not among it.
   */
  const leaseObjects = (): Promise<Readonly<Record<string, string>>> =>
    withClient(async (client) => {
      const types = (await discover(client.transport)).filter(
        ({ verbs, preferred, kind }) => preferred && verbs.includes('list') && kind !== 'Event',
      );
      const written: Record<string, string> = {};
      for (const object of (await Promise.all(types.map(async (type) => withKind(type, await client.list(type))))).flat()) {
        const { namespace = '', name = '' } = object.metadata ?? {};
        const isOfLease =
          /^lease(-|$)/.test(namespace) || name.startsWith('lease-') || ['TenantLease', 'HostnameClaim'].includes(object.kind);
        const [text] = isOfLease ? writtenOf([object]) : [];
        if (text !== undefined) written[`${object.kind} ${namespace}/${name}`] = text;
      }
      return written;
    });

  /** Why each lease is as it is of which something is left in the cluster. */
  const reasonsLeft = async (): Promise<readonly unknown[]> =>
    (await withClient((client) => client.list(tenantLeaseType))).items
      .filter(({ status }) => status?.state !== 'Complete')
      .map(({ status }) => status?.reason);

  it('has healthy leases of what the tenants of the scenario deploy', async () => {
    const leases = () => Promise.all(tenants.map(({ tokenFile }) => command('get', 'leases', '--token-file', tokenFile)));
    await expect
      .poll(leases, { timeout: 45_000 })
      .toEqual(
        tenants.map((): unknown =>
          expect.stringMatching(/^ID .*\n\d+-1-1-provider +Active +Active, healthy +anywhere +provider .* uakt .* AKT .*\n$/),
        ),
      );
  });

  it.each([
    ['web', 0],
    ['gpu', 1],
    ['storage', 1],
  ])('brings %s from an SDL file to a lease, for a tenant by its own token, with what was bid on reserved', async (name, which) => {
    const tenant = tenants[which];
    if (tenant === undefined) throw new Error('the scenario has too few tenants');
    const access = ['--token-file', tenant.tokenFile];
    const { deployment, leases } = await json<Deployed>('deploy', example(name), '--wait', '--timeout', '45s', ...access);
    expect(deployment.status.owner).toBe(tenant.name);
    expect(leases).toMatchObject([{ id: `${deployment.id}-1-1-provider`, status: { state: 'LEASE_STATE_ACTIVE' } }]);
    const order = `${tenant.name}/${deployment.id}/1/1`;
    await expect
      .poll(() => json('explain', 'bid', order), { timeout: 45_000 })
      .toMatchObject({ phase: 'BID_PHASE_WON', reservedAt: expect.any(String), wonAt: expect.any(String), reasons: [] });
    const explained = await command('explain', 'bid', order);
    expect(explained).toMatch(/Won, .* uakt per block[\s\S]*reserved[\s\S]*bid[\s\S]*won[\s\S]*Price for each block/i);
    await expect.poll(() => command('get', 'reservations', order), { timeout: 45_000 }).toMatch(/active/i);
  });

  it('shows a tenant what a lease says and does, and lets it in', async () => {
    const [tenant, another] = tenants;
    if (tenant === undefined || another === undefined) throw new Error('the scenario has too few tenants');
    const access = ['--token-file', tenant.tokenFile];
    const { deployment } = await json<Deployed>('deploy', example('web'), '--wait', '--timeout', '45s', ...access);
    const { id } = deployment;
    expect(await command('lease', 'logs', id, '--tail', '1', ...access)).toMatch(/^(\[web-\S+\] nothing real runs here.*\n){2}$/);
    expect(await command('lease', 'events', id, ...access)).toMatch(/Started +Pod\/web-\S+/);
    expect(await json('lease', 'status', id, ...access)).toMatchObject({ live: { services: { web: { available: 2, total: 2 } } } });
    expect(await command('lease', 'send-manifest', id, example('web'), ...access)).toBe(
      `${id}-1-1-provider took the manifest of deployment ${id}\n`,
    );
    const shell = spawnSync(process.execPath, [program, 'lease', 'shell', id, '--data-dir', dataDir, ...access, '--', 'sh'], {
      input: 'echo from stdin\nexit 7\n',
      encoding: 'utf8',
      timeout: 45_000,
    });
    expect(shell).toMatchObject({ stdout: 'from stdin\n', status: 7 });
    // Nobody else is let in: not another tenant, and not who runs the market and the cluster.
    for (const token of [another.tokenFile, join(dataDir, 'fulfillment', 'tokens', 'admin')]) {
      const refused = await quartermasterInProcess('lease', 'logs', `${id}-1-1-provider`, '--data-dir', dataDir, '--token-file', token);
      expect(refused).toMatchObject({ stdout: '', exitCode: expect.toSatisfy((code: number) => code > 0) });
    }
    await command('close', 'deployment', id, '-y', ...access);
    await expect
      .poll(async () => (await quartermasterInProcess('lease', 'logs', id, '--data-dir', dataDir, ...access)).exitCode, { timeout: 45_000 })
      .toBeGreaterThan(0);
  });

  it('gives back what a lease had when its tenant closes it', async () => {
    const [tenant] = tenants;
    if (tenant === undefined) throw new Error('the scenario has no tenant');
    const access = ['--token-file', tenant.tokenFile];
    const { deployment } = await json<Deployed>('deploy', example('web'), '--wait', '--timeout', '45s', ...access);
    const order = `${tenant.name}/${deployment.id}/1/1`;
    const hasPhase = async (phase: string): Promise<void> => {
      await expect.poll(() => json('explain', 'bid', order), { timeout: 45_000 }).toMatchObject({ phase: `BID_PHASE_${phase}` });
    };
    await hasPhase('WON');
    expect(await command('get', 'reservations')).toContain(order);
    await command('close', 'deployment', deployment.id, '-y', ...access);
    await hasPhase('CLOSED');
    // Once nothing of it runs any more.
    await expect.poll(() => command('get', 'reservations'), { timeout: 45_000 }).not.toContain(order);
  });

  it('explains why nobody bids on what does not fit, to whoever runs the cluster', async () => {
    const tenant = tenants[1];
    if (tenant === undefined) throw new Error('the scenario has too few tenants');
    const { stdout, stderr, exitCode } = await quartermasterInProcess(
      'deploy',
      example('too-large'),
      '--tenant',
      tenant.name,
      '--data-dir',
      dataDir,
    );
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
    const id = /deployment (\d+) created/.exec(stdout)?.[1];
    const order = `${tenant.name}/${id}/1/1`;
    await expect
      .poll(() => quartermasterInProcess('explain', 'bid', order, '--data-dir', dataDir), { timeout: 45_000 })
      .toMatchObject({
        exitCode: 0,
        stdout: expect.stringMatching(/Declined[\s\S]*gpu/i),
      });
  });

  it('updates and closes a deployment as its tenant, whose token it has', async () => {
    const [, tenant] = tenants;
    if (tenant === undefined) throw new Error('the scenario has too few tenants');
    const file = join(dataDir, 'web.yaml');
    // Another tenant has the hostname of the example.
    const sdl = readFileSync(example('web'), 'utf8').replace(/ +accept:\n( +- hello\.example\.org\n)/, '');
    writeFileSync(file, sdl);
    const { deployment, leases } = await json<Deployed>('deploy', file, '--tenant', tenant.name, '--wait', '--timeout', '45s');
    writeFileSync(file, sdl.replaceAll('nginx:1.29', 'nginx:1.30'));
    const asTenant = { stderr: `As tenant ${tenant.name}.\n`, exitCode: 0 };
    const update = ['lease', 'update', leases[0]?.id ?? '', file, '--yes', '--timeout', '45s', '--data-dir', dataDir];
    expect(await quartermasterInProcess(...update)).toMatchObject({
      ...asTenant,
      stdout: expect.stringMatching(/^SERVICE +CHANGE\n[\s\S]*\nRunning at provider\.\n$/),
    });
    expect(await quartermasterInProcess('close', 'deployment', deployment.id, '--yes', '--data-dir', dataDir)).toMatchObject({
      ...asTenant,
      stdout: `deployment ${deployment.id} closed: closed by its tenant\n`,
    });
  });

  it.skipIf(!hasBrowser())('shows on the page what the bid engine decided of each order, and what leases bring in', async () => {
    const browser = await launchBrowser();
    try {
      const { page, problems } = await openPage(browser);
      await page.goto(link);
      await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Orders and bids' }).click();
      const text = async (region: string) => await page.getByRole('region', { name: region }).innerText();
      const soon = (expected: () => Promise<void>) => vi.waitFor(expected, { timeout: 45_000, interval: 100 });
      await soon(async () =>
        expect(await text('Revenue')).toMatch(/[\d.]+ AKT per month from \d+ active leases[\s\S]*CPU\s+[\d.]+ AKT[\s\S]*t4/i),
      );
      const rows = page.getByRole('row');
      await soon(async () => expect(await rows.filter({ hasText: 'Won' }).count()).toBeGreaterThanOrEqual(2));
      await rows.filter({ hasText: 'Declined' }).getByRole('link').first().click();
      await soon(async () =>
        expect(await text('This provider')).toMatch(/Declined[\s\S]*GPUs free; each replica needs 8[\s\S]*\(TooFewGpus\)/),
      );
      expect(problems).toEqual([]);
    } finally {
      await browser.close();
    }
  });

  it('takes the first tenant of the scenario where none is named, and says so', async () => {
    const { stderr, exitCode } = await quartermasterInProcess('deploy', example('web'), '--dry-run', '--data-dir', dataDir);
    expect({ stderr, exitCode }).toEqual({
      stderr: `As tenant ${tenants[0]?.name}; --tenant ${tenants[1]?.name} is another.\n`,
      exitCode: 0,
    });
  });

  it('has all leases healthy again after a stop and a start, with every object as it was', { timeout: 300_000 }, async () => {
    const healths = async (): Promise<readonly string[]> => {
      const { leases } = await json<{ readonly leases: readonly { readonly health: string }[] }>(
        'get',
        'running-leases',
        '--state',
        'active',
      );
      return leases.map(({ health }) => health);
    };
    const healthy = (count: number) => Array.from({ length: count }, () => 'LEASE_HEALTH_HEALTHY');
    const count = tenants.length + 3;
    await expect.poll(healths, { timeout: 45_000 }).toEqual(healthy(count));
    // What was closed is removed by and by, and what runs is written down last, some seconds later: afterwards nothing has anything left to change.
    let before = await leaseObjects();
    let unchanged = 0;
    const looksUnchanged = async (): Promise<number> => {
      const last = before;
      before = await leaseObjects();
      const areRunning = isDeepStrictEqual(
        await reasonsLeft(),
        healthy(count).map(() => 'Running'),
      );
      unchanged = areRunning && isDeepStrictEqual(before, last) ? unchanged + 1 : 0;
      return unchanged;
    };
    await expect.poll(looksUnchanged, { timeout: 90_000, interval: 1_000 }).toBeGreaterThanOrEqual(8);
    expect(Object.keys(before).length).toBeGreaterThan(10 * count);
    expect(await up.stop()).toBe(0);
    up = new RunningUp(['--data-dir', dataDir, '--port', '0']);
    await up.ready();
    await expect.poll(healths, { timeout: 45_000 }).toEqual(healthy(count));
    // One that comes after them has gone through every queue that they are in.
    await command('deploy', example('web'), '--wait', '--timeout', '45s', '--token-file', tenants[0]?.tokenFile ?? '');
    await expect.poll(healths, { timeout: 45_000 }).toEqual(healthy(count + 1));
    // Versions do not come back.
    await expect.poll(leaseObjects, { timeout: 45_000 }).toMatchObject(before);
  });
});
