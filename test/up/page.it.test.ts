import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { KubeClient, kinds } from '@quartermaster/kube';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { accessibilityFaults, hasBrowser, launchBrowser, openPage, type WatchedPage } from '../console/browser.ts';
import { quartermasterInProcess, RunningUp } from './running-up.ts';
import { AdminConsole } from './snapshots.ts';

const shop = {
  metadata: { namespace: 'default', name: 'shop' },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: 'shop' } },
    template: { metadata: { labels: { app: 'shop' } }, spec: { containers: [{ name: 'main', image: 'nginx' }] } },
  },
};

const small = fileURLToPath(new URL('../../simulator/scenarios/small.yaml', import.meta.url));

/** What a new user does, with the real processes and in a real browser. */
describe.skipIf(!hasBrowser())('the page of a running up', { timeout: 120_000 }, () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'up-page-'));
  const kubeconfig = join(dataDir, 'kubeconfig');
  const scenario = `${dataDir}.yaml`;
  let browser: Browser;
  let watched: WatchedPage;
  let page: Page;
  let up: RunningUp;
  let url: string;
  let link: string;
  let port = '0';

  const start = async (): Promise<void> => {
    up = new RunningUp(['--scenario', scenario, '--data-dir', dataDir, '--port', port]);
    ({ console: url, link } = await up.ready());
    ({ port } = new URL(url));
  };

  beforeAll(async () => {
    browser = await launchBrowser();
    // A node is lost five heartbeats after its last: with those of the scenario that is most of a minute.
    writeFileSync(scenario, `${readFileSync(small, 'utf8')}timing: { heartbeatMs: 2000 }\n`);
    await start();
    watched = await openPage(browser);
    page = watched.page;
    await page.goto(link);
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Overview' }).click();
    await page.evaluate('window.wasNotReloaded = true');
  });
  afterAll(async () => {
    await browser.close();
    up.signal('SIGKILL');
    await up.exited();
    rmSync(dataDir, { recursive: true, force: true });
    rmSync(scenario, { force: true });
  });

  const expectSoon = (read: () => Promise<string>, expected: string | RegExp) =>
    vi.waitFor(async () => expect(await read()).toMatch(expected), { timeout: 50_000, interval: 100 });
  const main = () => page.getByRole('main').innerText();
  const truth = () => page.getByTestId('truth').innerText();
  const go = (name: string) => page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name }).click();
  const withClient = async <T>(use: (client: KubeClient) => Promise<T>): Promise<T> => {
    const client = await KubeClient.connect({ kubeconfig });
    try {
      return await use(client);
    } finally {
      await client.close();
    }
  };

  it('signs in who opens the link, leaves no code in the address, and shows others where to sign in', async () => {
    expect(page.url()).toBe(`${url}/overview`);
    await page.getByRole('button', { name: 'admin · admin' }).waitFor();
    const other = await openPage(browser);
    await other.page.goto(link);
    await expectSoon(() => other.page.getByRole('main').innerText(), /Sign in to Quartermaster[\s\S]*quartermaster console link/);
    expect(new URL(other.page.url()).hash).toBe('');
    await other.page.goto(`${url}/nodes`);
    await other.page.getByRole('heading', { name: 'Sign in to Quartermaster' }).waitFor();
    expect(await other.page.content()).not.toMatch(/node-\d/);
    await other.close();
  });

  it('says what runs, that it is simulated, and how to point kubectl at it', async () => {
    await expectSoon(main, 'Simulated cluster');
    await expectSoon(main, '3 of 3 ready');
    expect(await main()).toContain(`export KUBECONFIG=${kubeconfig}`);
    await expectSoon(truth, /^live · /);
  });

  it('shows the pods of a new Deployment without a reload', async () => {
    await go('Pods');
    await page.getByLabel('Filter pods').fill('default/shop-');
    await expectSoon(main, 'No pod is matching default/shop-');
    await withClient((client) => client.create(kinds.deployments, shop));
    await expectSoon(() => page.getByTestId('pod-range').innerText(), '1–3');
    await expectSoon(async () => String((await main()).match(/Running\s+node-\d/g)?.length), '3');
    expect(await page.evaluate('window.wasNotReloaded')).toBe(true);
  });

  it('shows what a pod takes, what happened to it and what it writes', async () => {
    await page
      .getByRole('grid', { name: 'Pods' })
      .getByRole('link', { name: /^shop-/ })
      .first()
      .click();
    const region = (name: string) => () => page.getByRole('region', { name }).innerText();
    await expectSoon(region('Containers'), /main\s+running/);
    await expectSoon(region('Events'), /Started[\s\S]*Scheduled/);
    await expectSoon(() => page.getByRole('log', { name: 'Log of main' }).innerText(), /\S/);
    await expectSoon(region('Log'), 'Following.');
    await page.getByRole('checkbox', { name: 'Follow' }).uncheck();
    await expectSoon(region('Log'), 'The last 500 lines at most.');
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  it('shows that nodes are heard of in time', async () => {
    await go('Nodes');
    await page.getByRole('link', { name: 'node-1', exact: true }).click();
    await expectSoon(main, /heartbeat in time/);
    await expectSoon(main, /Pods\n[\s\S]*Running/);
  });

  it('shows that a node is lost, with the reason, and that it is back', async () => {
    const fault = (...args: readonly string[]) => quartermasterInProcess('simulate', 'fault', ...args, '--data-dir', dataDir);
    expect(await fault('add', 'node-loss', 'node-1')).toMatchObject({ exitCode: 0 });
    await expectSoon(main, /node-1\s+Unknown: silent/);
    await expectSoon(main, /heartbeat missing for \d+ s/);
    const events = () => page.getByRole('region', { name: 'Events' }).innerText();
    await expectSoon(events, /NodeNotReady/);
    await expectSoon(events, /node-loss began\s+simulated on purpose/);
    await go('Overview');
    await expectSoon(() => page.getByRole('region', { name: 'Simulated faults' }).innerText(), /node-loss\s+node-1/);
    await expectSoon(main, '2 of 3 ready');
    await page.getByRole('link', { name: '1 Unknown: silent' }).click();
    await expectSoon(() => page.getByTestId('node-count').innerText(), '1 of 3');
    expect(await fault('remove', 'node-loss:node-1')).toMatchObject({ exitCode: 0 });
    await go('Overview');
    await expectSoon(main, '3 of 3 ready');
    await expectSoon(main, 'Nothing goes wrong on purpose.');
    await go('Events');
    await expectSoon(main, /Sellable\s+node\s+node-1/);
    await expectSoon(main, /node-loss ended\s+simulated fault\s+node-1/);
    await go('Overview');
  });

  it('tells among the events that the API was late, that cards were sick, and that they are well again', async () => {
    const fault = (...args: readonly string[]) => quartermasterInProcess('simulate', 'fault', ...args, '--data-dir', dataDir);
    expect(await fault('add', 'gpu-xid', 'node-2', '--code', '79')).toMatchObject({ exitCode: 0 });
    const late = await fault('add', 'latency', '--ms', '300', '--resource', 'configmaps');
    expect(late).toMatchObject({ exitCode: 0 });
    await go('Events');
    await page.getByLabel('Filter events').fill('this.name == "node-2" || this.name == "API server"');
    await expectSoon(main, /GpuQuarantined\s+node\s+node-2/);
    await expectSoon(main, /latency began\s+simulated fault\s+API server/);
    expect(await fault('remove', 'gpu-xid:node-2', late.stdout.trim())).toMatchObject({ exitCode: 0 });
    await expectSoon(main, /GpuReleased\s+node\s+node-2/);
    await expectSoon(main, /latency ended/);
    await go('Overview');
  });

  it('says since when its data is stale while the API is away, keeps it, on two pages at once, and recovers by itself', async () => {
    const capacity = { page: await page.context().newPage() };
    await capacity.page.goto(url);
    const figures = () => capacity.page.getByTestId('bar-resource-cpu').innerText();
    await expectSoon(figures, / allocated/);
    await expectSoon(main, '3 of 3 ready');
    const pages = [page, capacity.page];
    const statusOf = (each: Page) => each.getByRole('status').innerText();
    const admin = await AdminConsole.open(url, dataDir);
    const { parts } = await admin.installation();
    await admin.close();
    const player = Number(parts.find(({ name }) => name === 'simulated cluster')?.facts['pid']);
    process.kill(player, 'SIGSTOP');
    try {
      for (const each of pages) {
        await expectSoon(() => statusOf(each), /the cluster has not confirmed this for \d+ s, since \d\d:\d\d:\d\d/);
      }
      // What the cluster said before it went may have come until here; from now on nothing can change.
      const before = await figures();
      expect(before).toContain(' allocated');
      await expectSoon(truth, /^stale · last confirmed \d+ s ago$/);
      await expectSoon(() => capacity.page.getByRole('region', { name: 'Total' }).innerText(), 'last known');
      await expectSoon(main, /Kubernetes API\s+degraded/);
      expect(await main()).toContain('3 of 3 ready');
      expect(await figures()).toBe(before);
    } finally {
      process.kill(player, 'SIGCONT');
    }
    for (const each of pages) {
      await expectSoon(() => each.getByTestId('truth').innerText(), /^live · /);
      await expectSoon(() => statusOf(each), /^$/);
    }
    await capacity.page.close();
  });

  it('keeps what it knew while up is stopped, and shows everything again after a start on the same directory and a sign-in', async () => {
    await go('Pods');
    await page.getByLabel('Filter pods').fill('default/shop-');
    await expectSoon(() => page.getByTestId('pod-range').innerText(), '1–3');
    // 0 says that every part stopped in order.
    expect(await up.stop()).toBe(0);
    await expectSoon(truth, /^reconnecting · /);
    expect(await main()).toMatch(/shop-/);
    expect(await page.evaluate('window.wasNotReloaded')).toBe(true);
    await start();
    await page.getByRole('heading', { name: 'Sign in to Quartermaster' }).waitFor();
    await page.goto(link);
    await go('Pods');
    await page.getByLabel('Filter pods').fill('default/shop-');
    await expectSoon(truth, /^live · /);
    await expectSoon(async () => String((await main()).match(/Running\s+node-\d/g)?.length), '3');
    expect(await withClient((client) => client.find(kinds.deployments, shop.metadata))).toMatchObject({ spec: { replicas: 3 } });
    // What the browser says of a server that is away is its own words, and no fault of the page.
    expect(watched.problems.filter((problem) => !/ERR_|Failed to load resource/.test(problem))).toEqual([]);
  });
});
