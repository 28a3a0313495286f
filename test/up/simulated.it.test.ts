import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ConsoleBrowser } from '../console/console-browser.ts';
import { type KubectlResult, runKubectl } from '../kube/kubectl.ts';
import { isAlive, quartermaster, quartermasterInProcess, RunningUp } from './running-up.ts';
import { AdminConsole, expectSoon, playerOf } from './snapshots.ts';

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

async function withAdmin<T>(up: RunningUp, read: (admin: AdminConsole) => Promise<T>): Promise<T> {
  const admin = await AdminConsole.open((await up.ready()).console, dataDir);
  try {
    return await read(admin);
  } finally {
    await admin.close();
  }
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
  const tab = new ConsoleBrowser(undefined);
  afterAll(() => tab.close());
  const statusInTab = async (): Promise<number> => {
    const answer = await tab.send('GET', `${(await up.ready()).console}/api/console/v1/installation`);
    await answer.text();
    return answer.status;
  };

  it('is ready with its nodes, on loopback, and tells programs where everything is', async () => {
    up = await start();
    const { console: url } = await up.ready();
    expect(new URL(url).hostname).toBe('127.0.0.1');
    expect(up.events.at(-1)).toMatchObject({ event: 'ready', pid: up.pid, kubeconfig, kubernetes: 'simulated', scenario: 'small' });
    expect(readFileSync(kubeconfig, 'utf8')).toMatch(/server: https:\/\/127\.0\.0\.1:\d+/);
    await withAdmin(up, async (admin) => {
      const { installation } = await admin.installation();
      expect(installation).toMatchObject({ kubernetes: 'simulated', scenario: 'small', dataDirectory: dataDir });
      // A probe that a busy machine answers too late says otherwise until the next one.
      const besideRoles = async () =>
        (await admin.installation()).parts.filter(({ kind }) => kind !== 'role').map((part) => [part.name, part.state]);
      await expect.poll(besideRoles, { timeout: 30_000 }).toEqual([
        ['simulated cluster', 'ready'],
        ['Kubernetes API', 'ready'],
      ]);
      // The agent of a node tells of its cards when it has looked.
      const nodes = async () => (await admin.nodes()).map(({ name, state, rack, gpus }) => [name, state, rack, gpus]);
      await expect
        .poll(nodes, { timeout: 30_000 })
        .toEqual(['node-1', 'node-2', 'node-3'].map((name) => [name, 'Ready', 'rack-1', { 'nvidia t4 PCIe 16Gi': 2 }]));
    });
  });

  it('serves the page of its console', async () => {
    const answer = await fetch((await up.ready()).console);
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain('<div id="root">');
  });

  it('gives nothing to whoever has not signed in: no read, no write, no stream', async () => {
    const { console: url } = await up.ready();
    const other = new ConsoleBrowser(undefined);
    const status = async (method: string, path: string): Promise<number> => {
      const answer = await other.send(method, url + path, method === 'GET' ? {} : { body: {} });
      const said = await answer.text();
      expect(said).not.toMatch(/node-\d|spare|compute|kubeconfig/);
      return answer.status;
    };
    const paths = [
      ...['/api/console/v1/installation', '/api/console/v1/pods', '/api/console/v1/events', '/api/console/v1/pods/default/shop/log'],
      ...['/api/inventory/v1/view?view=nodes', '/api/inventory/v1/views:watch?views=nodes', '/api/inventory/v1/search?query=node'],
      ...['/api/private/v1/hosts', '/api/private/v1/events/watch', '/api/fulfillment/v1/clusters', '/api/events/v1/events'],
      ...['/api/quartermaster/v1/session', '/openapi.json', '/api/anything'],
    ];
    for (const path of paths) expect([path, await status('GET', path)]).toEqual([path, 401]);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      for (const path of ['/api/private/v1/hosts', '/api/fulfillment/v1/clusters', '/api/inventory/v1/x']) {
        expect([method, path, await status(method, path)]).toEqual([method, path, 401]);
      }
    }
    expect(await (await other.send('GET', `${url}/api/session`)).json()).toEqual({ kind: 'none', signIn: ['link', 'token'] });
    for (const body of [{ token: 'made-up' }, { code: 'made-up' }]) {
      expect((await other.send('POST', `${url}/api/session`, { body })).status).toBe(401);
    }
    expect((await other.send('POST', `${url}/api/session/links`)).status).toBe(401);
    expect(other.cookies.size).toBe(0);
    await other.close();
  });

  it('lets in whoever opens its link, once; who signs out has nothing', async () => {
    const { console: url, link } = await up.ready();
    expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#code=[\w-]{43}$/);
    const body = { code: new URL(link).hash.slice('#code='.length) };
    const [first, second] = [new ConsoleBrowser(undefined), new ConsoleBrowser(undefined)];
    expect(await (await first.send('POST', `${url}/api/session`, { body })).json()).toMatchObject({
      kind: 'signed-in',
      way: 'link',
      caller: { role: 'admin' },
    });
    expect((await second.send('POST', `${url}/api/session`, { body })).status).toBe(401);
    const read = async (): Promise<number> => (await first.send('GET', `${url}/api/inventory/v1/view?view=nodes`)).status;
    expect(await read()).toBe(200);
    expect((await first.send('DELETE', `${url}/api/session`)).status).toBe(200);
    expect([first.cookies.size, await read()]).toEqual([0, 401]);
    await Promise.all([first.close(), second.close()]);
  });

  it('is driven by kubectl as a person would', async () => {
    // A node of a machine that stood still is lost until it is heard of again.
    await expect.poll(async () => (await kubectl(['get', 'nodes'])).stdout.match(/^node-\d +Ready/gm), { timeout: 30_000 }).toHaveLength(3);
    expect(await kubectl(['apply', '-f', '-'], shop)).toMatchObject({ exitCode: 0, stdout: 'deployment.apps/shop created\n' });
    expect((await kubectl(['rollout', 'status', 'deployment/shop', '--timeout=45s'])).stdout).toContain('successfully rolled out');
    const described = await kubectl(['describe', 'node', 'node-1']);
    expect(described.stdout).toMatch(/nvidia\.com\/gpu: +2/);
    const logs = await kubectl(['logs', 'deployment/shop']);
    expect(logs).toMatchObject({ exitCode: 0 });
    expect((await kubectl(['delete', 'deployment', 'web', '--namespace=tenant-1'])).exitCode).toBe(0);
    const shown = () => withAdmin(up, (admin) => admin.pods('shop-'));
    await expectSoon(async () => (await shown()).filter(({ phase }) => phase === 'Running').length === 2);
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

  // Within which time is in prompt-stop.it.test.ts.
  it('stops in order and leaves no process behind', async () => {
    const player = await playerOf(up, dataDir);
    const token = readFileSync(join(dataDir, 'fulfillment', 'tokens', 'admin'), 'utf8').trim();
    await (await tab.send('POST', `${(await up.ready()).console}/api/session`, { body: { token } })).text();
    expect(await statusInTab()).toBe(200);
    // 0 says that every part stopped by itself.
    expect(await up.stop()).toBe(0);
    expect(up.events.at(-1)).toMatchObject({ event: 'stopped' });
    expect(await up.errors()).toEqual([]);
    expect(isAlive(player)).toBe(false);
    expect(readdirSync(dataDir).toSorted()).toEqual(['fulfillment', 'kubeconfig', 'lock.1', 'market', 'quartermaster.json', 'simulator']);
  });

  it('finds everything again after a start on the same directory, under the same address, and not what a person deleted', async () => {
    const before = readFileSync(kubeconfig, 'utf8').match(/server: (.*)/)?.[1];
    up = await start();
    expect(readFileSync(kubeconfig, 'utf8')).toContain(`server: ${before}`);
    expect((await kubectl(['get', 'deployment', 'shop', '-o', 'jsonpath={.spec.replicas}'])).stdout).toBe('2');
    expect((await kubectl(['rollout', 'status', 'deployment/shop', '--timeout=45s'])).exitCode).toBe(0);
    expect((await kubectl(['get', 'deployments', '--namespace=tenant-1', '-o', 'name'])).stdout).toBe('deployment.apps/trainer\n');
  });

  it('knows no session of before: whoever had its port in between may have seen both halves of one', async () => {
    expect([tab.cookies.size > 0, tab.key !== undefined]).toEqual([true, true]);
    expect(await statusInTab()).toBe(401);
  });

  it('leaves no process behind when it is killed, and loses nothing', async () => {
    const player = await playerOf(up, dataDir);
    const lastWords = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'last-words' } };
    expect((await kubectl(['apply', '-f', '-'], JSON.stringify(lastWords))).exitCode).toBe(0);
    up.signal('SIGKILL');
    expect(await up.exited()).toBe('SIGKILL');
    await expectSoon(() => !isAlive(player));
    up = await start();
    expect((await kubectl(['get', 'configmap', 'last-words'])).exitCode).toBe(0);
  });

  it('stops at once at a second Ctrl-C while a part hangs, and leaves no process behind', async () => {
    const player = await playerOf(up, dataDir);
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

  it('stops with one line and 1 when the process of its cluster dies', async () => {
    process.kill(await playerOf(up, dataDir), 'SIGKILL');
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
