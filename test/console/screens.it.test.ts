import { type RunningConsole, startConsole } from '@quartermaster/console';
import { silentLog } from '@quartermaster/kernel';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { hasBrowser, launchBrowser, openPage, type WatchedPage } from './browser.ts';
import { everyScreen, screenFaults } from './screen-check.ts';
import { farm, ScriptedSource } from './scripted-source.ts';

/** Every screen is drawn in every size and scheme; that is more than one wait. */
const timeout = 180_000;

const pages: Readonly<Record<string, string>> = {
  capacity: '/',
  fit: '/?fit=1&cpu=500&gpus=4&model=NVIDIA+H100+SXM+80GB&replicas=12',
  overview: '/overview',
  nodes: '/nodes',
  node: '/nodes/node-00004',
  'node-silent': '/nodes/node-00008',
  storage: '/storage',
  pods: '/pods',
  'not-found': '/nowhere',
};

describe.skipIf(!hasBrowser())('every screen of the console', { timeout }, () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
  });

  async function serve(
    source: ScriptedSource,
    options?: BrowserContextOptions,
  ): Promise<WatchedPage & { readonly server: RunningConsole }> {
    const server = await startConsole({ source, host: '127.0.0.1', port: 0, log: silentLog });
    onTestFinished(() => server.stop());
    const watched = await openPage(browser, options);
    onTestFinished(() => watched.close());
    return { server, ...watched };
  }

  it(`is readable and free of serious faults ${everyScreen}`, async () => {
    const source = new ScriptedSource(farm({ nodeCount: 40 }));
    onTestFinished(source.keepConfirming());
    const { page, problems, server } = await serve(source);
    for (const [name, path] of Object.entries(pages)) {
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
    expect(problems).toEqual([]);
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
    source.setCluster(() => ({ nodes: [], podsByPhase: {} }));
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
    await page.route('**/api/console/v1/stream?*', (route) => route.abort());
    await page.goto(server.url);
    await page.getByText('Quartermaster has not answered for').waitFor();
    expect(await screenFaults(page, 'no-server')).toEqual([]);
  });
});
