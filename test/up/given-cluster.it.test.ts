import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KubeClient, kinds } from '@quartermaster/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedControlPlane, temporaryNamespace } from '../kube/shared.ts';
import { quartermaster, quartermasterInProcess, RunningUp } from './running-up.ts';
import { AdminConsole, expectSoon } from './snapshots.ts';

describe('up on a given cluster', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'up-given-'));
  const { kubeconfig } = sharedControlPlane();
  const up = new RunningUp(['--kubeconfig', kubeconfig, '--data-dir', dataDir, '--port', '0']);
  let console: string;
  let admin: AdminConsole;

  beforeAll(async () => {
    ({ console } = await up.ready());
    admin = await AdminConsole.open(console, dataDir);
  });
  afterAll(async () => {
    await admin.close();
    up.signal('SIGKILL');
    await up.exited();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('says what runs, and that nothing is simulated', async () => {
    const { installation } = await admin.installation();
    expect(installation).toMatchObject({ kubernetes: 'given', kubeconfig, dataDirectory: dataDir });
    expect(installation).not.toHaveProperty('scenario');
    // A probe that a busy machine answers too late says otherwise until the next one.
    const besideRoles = async () =>
      (await admin.installation()).parts.filter(({ kind }) => kind !== 'role').map((part) => [part.name, part.state]);
    await expect.poll(besideRoles, { timeout: 30_000 }).toEqual([['Kubernetes API', 'ready']]);
    const { parts } = await admin.installation();
    expect(parts.find(({ name }) => name === 'console')).toMatchObject({ state: 'ready', facts: { address: console } });
    expect(await admin.summary()).toMatchObject({ observedAt: expect.any(Number) });
  });

  it('shows a pod as soon as the cluster has it, and no longer once it is gone', async () => {
    await using namespace = await temporaryNamespace('up');
    const client = await KubeClient.connect({ kubeconfig });
    const ref = { namespace: namespace.name, name: 'lonely' };
    const isShown = async (): Promise<boolean> =>
      (await admin.pods(`${ref.namespace}/${ref.name}`)).some(({ phase }) => phase === 'Pending');
    await client.create(kinds.pods, { metadata: ref, spec: { containers: [{ name: 'main', image: 'example' }] } });
    await expectSoon(isShown);
    await client.delete(kinds.pods, ref, { gracePeriodSeconds: 0 });
    await expectSoon(async () => !(await isShown()));
    await client.close();
  });

  it('is described by `quartermaster status`, as a table and as JSON', async () => {
    const status = () => quartermasterInProcess('status', '--data-dir', dataDir);
    const everything = /^PART {2,}KIND {2,}STATE[\s\S]*^Kubernetes API +external +ready/m;
    await expect.poll(status).toMatchObject({ exitCode: 0, stderr: '', stdout: expect.stringMatching(everything) });
    expect((await status()).stdout).toContain(`kubeconfig  ${kubeconfig}`);
    const json = await quartermasterInProcess('status', '--json', '--data-dir', dataDir);
    expect(JSON.parse(json.stdout)).toMatchObject({ pid: up.pid, console, installation: { kubernetes: 'given' } });
  });

  it('has no faults to offer', async () => {
    const { stderr, exitCode } = await quartermasterInProcess('simulate', 'fault', 'list', '--data-dir', dataDir);
    expect(exitCode).toBe(1);
    expect(stderr).toBe('quartermaster: this `up` works on a given cluster and simulates nothing: start one without --kubeconfig\n');
  });

  it('keeps its data directory to itself', async () => {
    const { stderr, exitCode } = await quartermaster(['up', '--kubeconfig', kubeconfig, '--data-dir', dataDir, '--port', '0']);
    expect(exitCode).toBe(1);
    expect(stderr).toBe(
      `quartermaster: ${dataDir} is in use by another \`quartermaster up\` (process ${up.pid}): stop that one, or give this one a directory of its own with --data-dir DIR\n`,
    );
  });

  it('refuses a port that is taken before it starts anything', async () => {
    const { port } = new URL(console);
    const other = join(dataDir, '..', `${dataDir}-other`);
    const { stderr, exitCode } = await quartermaster(['up', '--kubeconfig', kubeconfig, '--data-dir', other, '--port', port]);
    expect(exitCode).toBe(1);
    expect(stderr).toBe(`quartermaster: port ${port} is in use: stop what listens there, or give another one with --port PORT\n`);
    rmSync(other, { recursive: true, force: true });
  });

  it('stops cleanly when it is interrupted, and can then be asked for no more', async () => {
    expect(await up.stop()).toBe(0);
    // Nothing is installed on this cluster, so nobody leads and writes to it. The inventory says so once; the cluster service does not try without its kind.
    const noLease = [{ level: 'warn', role: 'operator-inventory', msg: 'could not acquire the lease' }];
    const told = (await up.stderr()).split('\n').filter((line) => line.includes('"could not acquire the lease"'));
    expect(told.map((line) => JSON.parse(line) as unknown)).toMatchObject(noLease);
    expect(await up.errors()).toEqual([]);
    expect(up.events.at(-1)).toMatchObject({ event: 'stopped' });
    expect(readdirSync(dataDir).toSorted()).toEqual(['fulfillment', 'lock.1', 'market', 'quartermaster.json']);
    const { stderr, exitCode } = await quartermasterInProcess('status', '--data-dir', dataDir);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^quartermaster: nothing runs on .*: start it with `quartermaster up`/);
  });
});
