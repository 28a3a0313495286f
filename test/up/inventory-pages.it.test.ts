import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { countsOnNode, KubeClient, kinds, podRequests } from '@quartermaster/kube';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { accessibilityFaults, hasBrowser, launchBrowser, openPage, type WatchedPage } from '../console/browser.ts';
import { quartermasterInProcess, RunningUp } from './running-up.ts';

const pod = {
  metadata: { namespace: 'default', name: 'takes-two-cores' },
  spec: { containers: [{ name: 'main', image: 'nginx', resources: { requests: { cpu: '2', memory: '3Gi' } } }] },
};

const small = fileURLToPath(new URL('../../simulator/scenarios/small.yaml', import.meta.url));

/** What something is called -> its state. */
type States = ReadonlyMap<string, string>;

/** The inventory of a real `up`, from the API server to the pixels. */
describe.skipIf(!hasBrowser())('the inventory on the page of a running up', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'up-inventory-'));
  const scenario = `${dataDir}.yaml`;
  let browser: Browser;
  let watched: WatchedPage;
  let page: Page;
  let up: RunningUp;
  let link: string;
  let client: KubeClient;

  beforeAll(async () => {
    browser = await launchBrowser();
    // A node is lost five heartbeats after its last: with those of the scenario that is most of a minute.
    writeFileSync(scenario, `${readFileSync(small, 'utf8')}timing: { heartbeatMs: 2000 }\n`);
    up = new RunningUp(['--scenario', scenario, '--data-dir', dataDir, '--port', '0']);
    ({ link } = await up.ready());
    client = await KubeClient.connect({ kubeconfig: join(dataDir, 'kubeconfig') });
    watched = await openPage(browser);
    page = watched.page;
    await page.goto(link);
    await page.evaluate('window.wasNotReloaded = true');
  });
  afterAll(async () => {
    await client.close();
    await browser.close();
    up.signal('SIGKILL');
    await up.exited();
    rmSync(dataDir, { recursive: true, force: true });
    rmSync(scenario, { force: true });
  });

  const expectSoon = (read: () => Promise<string>, expected: string | RegExp) =>
    vi.waitFor(async () => expect(await read()).toMatch(expected), { timeout: 25_000, interval: 100 });
  const main = () => page.getByRole('main').innerText();
  const cpu = () => page.getByTestId('bar-resource-cpu').innerText();
  const go = (name: string) => page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name }).click();
  const allocatedCores = async (): Promise<number> => Number(/([\d.]+) allocated/.exec(await cpu())?.[1] ?? 0);
  /** Of all pods that count: those of the scenario's tenants start meanwhile. */
  const requestedCores = async (): Promise<number> => {
    const { items } = await client.list(kinds.pods);
    return items.filter(countsOnNode).reduce((sum, each) => sum + podRequests(each).cpuMillis, 0) / 1000;
  };

  it('opens with what there is to sell', async () => {
    await expectSoon(main, '3 nodes, all sellable');
    await expectSoon(cpu, /of \d+ sellable/);
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  it('moves the numbers when a pod starts, without a reload', async () => {
    await client.create(kinds.pods, pod);
    const shown = async () => {
      const placed = (await client.get(kinds.pods, pod.metadata)).spec?.nodeName;
      const [allocated, requested] = [await allocatedCores(), await requestedCores()];
      // The page rounds its parts up or down by less than a tenth, so that what it shows adds up.
      expect({ placed, allocated, requested, isNear: Math.abs(allocated - requested) < 0.1 }).toMatchObject({
        placed: expect.stringContaining('node-'),
        isNear: true,
      });
    };
    await vi.waitFor(shown, { timeout: 50_000, interval: 100 });
    expect(await page.evaluate('window.wasNotReloaded')).toBe(true);
  });

  it('shows on the page of its node what the pod takes, and of what the machine is made', async () => {
    const placed = await client.get(kinds.pods, pod.metadata);
    const node = placed.spec?.nodeName ?? '';
    await go('Nodes');
    await page.getByRole('link', { name: node, exact: true }).click();
    await expectSoon(() => page.getByRole('grid', { name: 'Pods' }).innerText(), /takes-two-cores\s+default\s+Running\s+2\s+3 GiB/);
    await expectSoon(main, 'Simulated Systems');
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  it('calls the state of every node, card, host and cluster as the commands do', { timeout: 180_000 }, async () => {
    const command = async (...args: readonly string[]): Promise<string> => {
      const { stdout, stderr, exitCode } = await quartermasterInProcess(...args, '--data-dir', dataDir);
      if (exitCode !== 0) throw new Error(stderr);
      return stdout;
    };
    /** The cells of a column of `get`, by those of another. */
    const listed = async (what: string, column = 'STATE', by = 'NAME', ...flags: readonly string[]): Promise<States> => {
      const [header = '', ...rows] = ((await command('get', what, ...flags)).split('\n\n')[0] ?? '').trimEnd().split('\n');
      const place = (name: string): number => header.split(/ {2,}/).indexOf(name);
      return new Map(rows.map((row) => row.split(/ {2,}/)).map((row) => [row[place(by)] ?? '', row[place(column)] ?? '']));
    };
    const shown = async (): Promise<States> => {
      const rows = await page.locator('[role=row]:has(.cell-state .state-word)').all();
      const cells = rows.map(
        async (row) => [await row.locator('.cell-name').innerText(), await stateOf(row.locator('.cell-state'))] as const,
      );
      return new Map(await Promise.all(cells));
    };
    const cards = async (): Promise<States> => {
      const boxes = await page.locator('.gpu-box').all();
      const idOf = async (box: Locator): Promise<string> =>
        (await box.locator('.id-button').getAttribute('title'))?.replace(/^Copy /, '') ?? '';
      return new Map(await Promise.all(boxes.map(async (box) => [await idOf(box), await stateOf(box)] as const)));
    };
    const stateOf = async (place: Locator): Promise<string> =>
      (await place.locator('.state-word').innerText()).replace(/, \d+\s%\sbusy$/, '');
    const soon = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 60_000, interval: 200 });
    const same = (read: () => Promise<States>, expected: () => Promise<States>) =>
      soon(async () => expect(sorted(await read())).toEqual(sorted(await expected())));
    const sorted = (states: States) => [...states].toSorted(([a], [b]) => (a < b ? -1 : 1));

    await client.patch(kinds.nodes, { name: 'node-2' }, { kind: 'merge', body: { spec: { unschedulable: true } } });
    await command('simulate', 'fault', 'add', 'node-loss', 'node-3');
    await command('simulate', 'fault', 'add', 'gpu-xid', 'node-1');
    const nodes = new Map([
      ['node-1', 'Sellable'],
      ['node-2', 'Held back: cordoned'],
      ['node-3', 'Unknown: silent'],
    ]);
    await go('Nodes');
    await same(shown, () => Promise.resolve(nodes));
    await same(
      () => listed('nodes'),
      () => Promise.resolve(nodes),
    );

    for (const node of nodes.keys()) {
      await go('Nodes');
      await page.getByRole('link', { name: node, exact: true }).click();
      await same(cards, async () => {
        const nodeOf = await listed('gpus', 'NODE', 'ID', '-o', 'wide');
        return new Map([...(await listed('gpus', 'STATE', 'ID', '-o', 'wide'))].filter(([id]) => nodeOf.get(id) === node));
      });
    }
    const gpuStates = async () => [...(await listed('gpus', 'STATE', 'ID', '-o', 'wide')).values()];
    // Which card the lease of a tenant holds is the scheduler's choice: it may be the one in quarantine.
    const kindsOfState = [
      expect.stringMatching(/^In quarantine(, allocated)?$/),
      expect.stringMatching(/^Healthy, /),
      'Healthy when last known, node silent',
    ];
    await soon(async () => expect(await gpuStates()).toEqual(expect.arrayContaining(kindsOfState)));

    await go('Hosts');
    await same(shown, () => listed('hosts'));
    await go('Clusters');
    await same(shown, () => listed('clusters'));
    await soon(async () => expect([...(await listed('hosts')).values(), ...(await listed('clusters')).values()]).not.toContain('-'));

    await command('simulate', 'fault', 'remove', 'node-loss:node-3');
    await client.patch(kinds.nodes, { name: 'node-2' }, { kind: 'merge', body: { spec: { unschedulable: false } } });
  });

  it('says why a cordoned node is not sellable, as soon as it is cordoned', async () => {
    await client.patch(kinds.nodes, { name: 'node-2' }, { kind: 'merge', body: { spec: { unschedulable: true } } });
    await go('Capacity');
    await expectSoon(cpu, /held back: .*on 1 cordoned node/);
    await page.getByRole('link', { name: 'Explain node-2' }).click();
    await expectSoon(() => page.getByRole('region', { name: 'Why is it not sellable?' }).innerText(), 'kubectl uncordon node-2');
    await client.patch(kinds.nodes, { name: 'node-2' }, { kind: 'merge', body: { spec: { unschedulable: false } } });
    await page.getByRole('region', { name: 'Why is it sellable?' }).waitFor();
    expect(watched.problems).toEqual([]);
  });
});
