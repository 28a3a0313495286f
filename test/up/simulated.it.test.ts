import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type KubectlResult, runKubectl } from '../kube/kubectl.ts';
import { isAlive, quartermaster, quartermasterInProcess, RunningUp } from './running-up.ts';
import { expectSoon, readNodes, readOverview, readPods } from './snapshots.ts';

const parent = mkdtempSync(join(tmpdir(), 'up-simulated-'));
const dataDir = join(parent, 'data');
const kubeconfig = join(dataDir, 'kubeconfig');
const started: RunningUp[] = [];

async function start(...args: readonly string[]): Promise<RunningUp> {
  const up = new RunningUp(['--data-dir', dataDir, '--port', '0', ...args]);
  started.push(up);
  await up.ready();
  return up;
}

afterAll(async () => {
  for (const up of started) {
    up.signal('SIGKILL');
    await up.exited();
  }
  rmSync(parent, { recursive: true, force: true });
});

const kubectl = (args: readonly string[], input?: string): Promise<KubectlResult> =>
  runKubectl({ kubeconfig, cacheDirectory: join(parent, 'kubectl-cache') }, args, input);

/** The process that plays the cluster. */
async function playerOf(up: RunningUp): Promise<number> {
  const { parts } = await readOverview((await up.ready()).console);
  return Number(parts.find(({ name }) => name === 'simulated cluster')?.facts['pid']);
}

const shop = JSON.stringify({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'shop', namespace: 'default' },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'shop' } },
    template: { metadata: { labels: { app: 'shop' } }, spec: { containers: [{ name: 'main', image: 'nginx' }] } },
  },
});

describe('up with the small world', () => {
  let up: RunningUp;

  it('is ready with its nodes, on loopback, and tells programs where everything is', async () => {
    up = await start();
    const { console: url } = await up.ready();
    expect(new URL(url).hostname).toBe('127.0.0.1');
    expect(up.events.at(-1)).toMatchObject({ event: 'ready', pid: up.pid, kubeconfig, kubernetes: 'simulated', scenario: 'small' });
    expect(readFileSync(kubeconfig, 'utf8')).toMatch(/server: https:\/\/127\.0\.0\.1:\d+/);
    const { installation, parts } = await readOverview(url);
    expect(installation).toMatchObject({ kubernetes: 'simulated', scenario: 'small', dataDirectory: dataDir });
    expect(parts.filter(({ kind }) => kind !== 'role').map(({ name, state }) => [name, state])).toEqual([
      ['simulated cluster', 'ready'],
      ['Kubernetes API', 'ready'],
      ['console', 'ready'],
    ]);
    const nodes = await readNodes(url);
    expect(nodes.map(({ name, state, rack, gpus }) => [name, state, rack, gpus])).toEqual(
      ['node-1', 'node-2', 'node-3'].map((name) => [name, 'Ready', 'rack-1', { 'Tesla-T4': 2 }]),
    );
  });

  it('serves the page of its console', async () => {
    const answer = await fetch((await up.ready()).console);
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain('<div id="root">');
  });

  it('is driven by kubectl as a person would', async () => {
    const nodes = await kubectl(['get', 'nodes']);
    expect(nodes.stdout.match(/^node-\d +Ready/gm)).toHaveLength(3);
    expect(await kubectl(['apply', '-f', '-'], shop)).toMatchObject({ exitCode: 0, stdout: 'deployment.apps/shop created\n' });
    expect((await kubectl(['rollout', 'status', 'deployment/shop', '--timeout=60s'])).stdout).toContain('successfully rolled out');
    const described = await kubectl(['describe', 'node', 'node-1']);
    expect(described.stdout).toMatch(/nvidia\.com\/gpu: +2/);
    const logs = await kubectl(['logs', 'deployment/shop']);
    expect(logs).toMatchObject({ exitCode: 0 });
    expect((await kubectl(['delete', 'deployment', 'web', '--namespace=tenant-1'])).exitCode).toBe(0);
    const { console: url } = await up.ready();
    await expectSoon(async () => (await readPods(url, 'shop-')).filter(({ phase }) => phase === 'Running').length === 2);
  });

  it('takes faults from the command line and mends them again', async () => {
    const fault = (...args: readonly string[]) => quartermasterInProcess('simulate', 'fault', ...args, '--data-dir', dataDir);
    expect(await fault('list')).toMatchObject({ exitCode: 0, stdout: 'No faults are active.\n' });
    expect(await fault('add', 'gpu-loss', 'node-1', '--count', '2')).toMatchObject({ exitCode: 0, stdout: 'gpu-loss:node-1\n' });
    const gpus = async () =>
      (await kubectl(['get', 'node', 'node-1', '-o', String.raw`jsonpath={.status.allocatable.nvidia\.com/gpu}`])).stdout;
    expect(await gpus()).toBe('0');
    const refused = await fault('add', 'error', '--code', '503', '--resource', 'secrets', '--verbs', 'list');
    expect(refused).toMatchObject({ exitCode: 0, stderr: '' });
    expect((await kubectl(['get', 'secrets'])).stderr).toContain('a simulated fault');
    const listed = await fault('list', '--json');
    expect(JSON.parse(listed.stdout)).toHaveLength(2);
    expect(await fault('remove', 'gpu-loss:node-1', refused.stdout.trim())).toMatchObject({ exitCode: 0 });
    expect(await gpus()).toBe('2');
    expect((await kubectl(['get', 'secrets'])).exitCode).toBe(0);
    expect(await fault('add', 'node-loss', 'node-9')).toMatchObject({
      exitCode: 1,
      stderr: 'quartermaster: no simulated node "node-9": use one of the 3 that exist, such as node-1, node-2, node-3\n',
    });
    expect(await fault('remove', 'nothing')).toMatchObject({ exitCode: 1 });
  });

  it('stops in order within 5 s and leaves no process behind', async () => {
    const player = await playerOf(up);
    // 0 says that every part stopped within its time, which is less than 5 s for all together.
    expect(await up.stop()).toBe(0);
    expect(up.events.at(-1)).toMatchObject({ event: 'stopped' });
    expect(await up.stderr()).toBe('');
    expect(isAlive(player)).toBe(false);
    expect(readdirSync(dataDir).toSorted()).toEqual(['fulfillment', 'kubeconfig', 'lock.1', 'quartermaster.json', 'simulator']);
  });

  it('finds everything again after a start on the same directory, under the same address, and not what a person deleted', async () => {
    const before = readFileSync(kubeconfig, 'utf8').match(/server: (.*)/)?.[1];
    up = await start();
    expect(readFileSync(kubeconfig, 'utf8')).toContain(`server: ${before}`);
    expect((await kubectl(['get', 'deployment', 'shop', '-o', 'jsonpath={.spec.replicas}'])).stdout).toBe('2');
    expect((await kubectl(['rollout', 'status', 'deployment/shop', '--timeout=60s'])).exitCode).toBe(0);
    expect((await kubectl(['get', 'deployments', '--namespace=tenant-1', '-o', 'name'])).stdout).toBe('deployment.apps/trainer\n');
  });

  it('leaves no process behind when it is killed, and loses nothing', async () => {
    const player = await playerOf(up);
    const lastWords = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'last-words' } };
    expect((await kubectl(['apply', '-f', '-'], JSON.stringify(lastWords))).exitCode).toBe(0);
    up.signal('SIGKILL');
    expect(await up.exited()).toBe('SIGKILL');
    await expectSoon(() => !isAlive(player), 10_000);
    up = await start();
    expect((await kubectl(['get', 'configmap', 'last-words'])).exitCode).toBe(0);
  });

  it('stops at once at a second Ctrl-C while a part hangs, and leaves no process behind', async () => {
    const player = await playerOf(up);
    process.kill(player, 'SIGSTOP');
    up.signal('SIGINT');
    await expectSoon(() => up.events.at(-1)?.event === 'stopping');
    // The same signal within a quarter of a second counts as an echo of the first: another one does not.
    up.signal('SIGTERM');
    expect(await up.exited()).toBe(143);
    await expectSoon(() => !isAlive(player));
    up = await start();
    expect((await kubectl(['get', 'configmap', 'last-words'])).exitCode).toBe(0);
  });

  it('kills a part that hangs when its time is over, and is done within 5 s', async () => {
    const player = await playerOf(up);
    process.kill(player, 'SIGSTOP');
    expect(await up.stop()).toBe(0);
    expect(isAlive(player)).toBe(false);
    const stopped = up.events.at(-1);
    expect(stopped?.event).toBe('stopped');
    expect(Number(/after (\d+\.\d) s/.exec(stopped?.text ?? '')?.[1])).toBeLessThan(5);
    up = await start();
  });

  it('stops with one line and 1 when the process of its cluster dies', async () => {
    process.kill(await playerOf(up), 'SIGKILL');
    expect(await up.exited()).toBe(1);
    expect(await up.stderr()).toMatch(
      /^quartermaster: the process of the simulated cluster ended by itself \(signal SIGKILL\)[^\n]*: start again\n$/m,
    );
  });

  it('refuses another scenario on the same directory, and starts over when told to', async () => {
    const other = join(parent, 'pair.yaml');
    const small = { seed: 3, hardware: { plain: { cpu: 'xeon-6130', sockets: 1, memoryGiB: 64 } } };
    writeFileSync(other, JSON.stringify({ ...small, racks: [{ name: 'r', nodes: [{ prefix: 'pair', hardware: 'plain', count: 2 }] }] }));
    const refused = await quartermaster(['up', '--data-dir', dataDir, '--port', '0', '--scenario', other]);
    expect(refused).toMatchObject({
      exitCode: 1,
      stderr: `quartermaster: ${dataDir} keeps a world of the scenario small, not of ${other}: start over with --reset, or keep both with another --data-dir DIR\n`,
    });
    up = await start('--scenario', other, '--reset', '--yes');
    expect((await kubectl(['get', 'nodes', '-o', 'name'])).stdout).toBe('node/pair-1\nnode/pair-2\n');
    expect((await kubectl(['get', 'deployments', '--all-namespaces', '-o', 'name'])).stdout).toBe('');
    await up.stop();
  });
});

describe('a scenario with a mistake', () => {
  it('is refused with file, line and key', async () => {
    const file = join(parent, 'broken.yaml');
    writeFileSync(file, 'seed: 1\nhardware: {}\nracks:\n  - name: r\n    nodes:\n      - { prefix: n, hardware: none, count: 1 }\n');
    const { stderr, exitCode } = await quartermaster(['up', '--data-dir', join(parent, 'other'), '--port', '0', '--scenario', file]);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^quartermaster: .*broken\.yaml:6: racks\.0\.nodes\.0\.hardware: "none" is not under hardware/);
  });

  it('is refused with the names of those that there are when there is no such file', async () => {
    const { stderr, exitCode } = await quartermaster(['up', '--data-dir', join(parent, 'other'), '--port', '0', '--scenario', 'tiny']);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('use one of 5000-nodes, gpu-farm, small, or the path of a file');
  });
});
