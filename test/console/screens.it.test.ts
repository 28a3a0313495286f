import type { Browser, BrowserContextOptions } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { hasBrowser, launchBrowser, openPage, type WatchedPage } from './browser.ts';
import { pageRoutes } from './page-routes.ts';
import { type PodCluster, startPodCluster } from './pod-cluster.ts';
import { everyScreen, screenFaults } from './screen-check.ts';
import { absentScreens, inventoryScreens, routesWithoutScreen } from './screens.ts';
import { type ScriptedConsole, signIn, startScriptedConsole } from './scripted-console.ts';
import { farm, ScriptedSource } from './scripted-source.ts';

/** Every screen is drawn in every size and scheme; that is more than one wait. */
const timeout = 180_000;

describe.skipIf(!hasBrowser())('every screen of the console', { timeout }, () => {
  let browser: Browser;
  let cluster: PodCluster;

  beforeAll(async () => {
    [browser, cluster] = await Promise.all([launchBrowser(), startPodCluster()]);
  });
  afterAll(async () => {
    await browser.close();
    await cluster.stop();
  });

  async function serve(
    source: ScriptedSource,
    options?: BrowserContextOptions,
  ): Promise<WatchedPage & { readonly server: ScriptedConsole }> {
    const server = await startScriptedConsole(source, { kubeconfig: cluster.kubeconfig });
    onTestFinished(() => server.stop());
    const watched = await openPage(browser, options);
    onTestFinished(() => watched.close());
    await signIn(watched.page, server.url);
    return { server, ...watched };
  }

  it('is one of those that are looked at: no route of the page is left out', async () => {
    const routes = await pageRoutes();
    expect(routes).toEqual(expect.arrayContaining(['/', '/nodes/:name', '/audit']));
    expect(routesWithoutScreen(routes)).toEqual([]);
    expect(routesWithoutScreen([...routes, '/new', '/nodes/:name/new'])).toEqual(['/new', '/nodes/:name/new']);
  });

  it(`is readable and free of serious faults ${everyScreen}`, async () => {
    const source = new ScriptedSource(farm({ nodeCount: 40 }));
    onTestFinished(source.keepConfirming());
    const { page, problems, server } = await serve(source);
    for (const [name, path] of Object.entries({ ...inventoryScreens, 'not-found': absentScreens['not-found'] })) {
      await page.goto(server.url + path);
      await page.getByText(/^live ·/).waitFor();
      expect(await screenFaults(page, name)).toEqual([]);
    }
    await page.goto(`${server.url}/nodes?q=no-such-node`);
    await page.getByText('No node matches').waitFor();
    expect(await screenFaults(page, 'nodes-filtered')).toEqual([]);
    await page.keyboard.press('/');
    await page.keyboard.type('node-000');
    await page.getByRole('option').first().waitFor();
    expect(await screenFaults(page, 'search')).toEqual([]);
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
    expect(await screenFaults(page, 'keys')).toEqual([]);
    // No kubelet has a log.
    expect(problems.filter((problem) => !/\/log\?/.test(problem))).toEqual([]);
  });

  it('lets people in as clearly', async () => {
    const { page, problems, server } = await serve(new ScriptedSource(farm({ nodeCount: 3 })));
    await page.context().clearCookies();
    await page.goto(`${server.url}/nodes#code=used`);
    await page.getByRole('status').filter({ hasText: /\w/ }).waitFor();
    expect(await screenFaults(page, 'sign-in')).toEqual([]);
    expect(new URL(page.url()).hash).toBe('');
    expect(problems.filter((problem) => !/status of 4\d\d/.test(problem))).toEqual([]);
  });

  it('is as good when it is loaded at 390 pixels first', async () => {
    const source = new ScriptedSource(farm({ nodeCount: 40 }));
    onTestFinished(source.keepConfirming());
    const { page, problems, server } = await serve(source, { viewport: { width: 390, height: 844 } });
    await page.goto(server.url);
    await page.getByText(/^live ·/).waitFor();
    expect(await screenFaults(page, 'capacity-narrow-first', ({ width }) => width === 390)).toEqual([]);
    expect(problems).toEqual([]);
  });

  it(`shows doubt and absence as clearly ${everyScreen}`, async () => {
    const snapshot = farm({ nodeCount: 40 });
    const source = new ScriptedSource({ installation: snapshot.installation, parts: snapshot.parts });
    const { page, problems, server } = await serve(source);
    await page.goto(`${server.url}/overview`);
    await page.getByText('The cluster has not been read yet').waitFor();
    expect(await screenFaults(page, 'unread')).toEqual([]);
    source.setCluster(() => ({ nodes: [] }));
    await page.getByText('npm start -- --scenario small').waitFor();
    expect(await screenFaults(page, 'empty')).toEqual([]);
    if (snapshot.cluster === undefined) throw new Error('the farm has a cluster');
    source.set({ ...snapshot, cluster: { ...snapshot.cluster, observedAt: Date.now() - 45_000 } });
    await page.getByRole('status').getByText('has not confirmed').waitFor();
    expect(await screenFaults(page, 'stale-overview')).toEqual([]);
    for (const path of ['', 'nodes', 'nodes/node-00004', 'storage', 'pods']) {
      await page.goto(`${server.url}/${path}`);
      await page.getByRole('status').getByText('has not confirmed').waitFor();
      expect(await screenFaults(page, `stale-${path === '' ? 'capacity' : path.replace('/', '-')}`)).toEqual([]);
    }
    expect(problems).toEqual([]);
    await page.route('**/api/inventory/v1/views:watch?*', (route) => route.abort());
    await page.goto(server.url);
    await page.getByText('Quartermaster has not answered for').waitFor();
    expect(await screenFaults(page, 'no-server')).toEqual([]);
  });
});
