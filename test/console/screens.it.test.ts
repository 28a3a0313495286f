import { type RunningConsole, startConsole } from '@quartermaster/console';
import { silentLog } from '@quartermaster/kernel';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, launchBrowser, openPage } from './browser.ts';
import { ScreenCheck, screens } from './screen-check.ts';
import { farm, ScriptedSource } from './scripted-source.ts';

/** Every screen is loaded, drawn and examined; that is more than one wait. */
const timeout = 180_000;

describe.skipIf(!hasBrowser())('every screen of the console', () => {
  let browser: Browser;
  let check: ScreenCheck;

  beforeAll(async () => {
    browser = await launchBrowser();
    check = await ScreenCheck.open();
  });
  afterAll(async () => {
    await browser.close();
    await check.close();
  });

  const serve = (source: ScriptedSource): Promise<RunningConsole> => startConsole({ source, host: '127.0.0.1', port: 0, log: silentLog });

  it.each(screens)(
    'is readable and free of serious faults at $width px, $scheme',
    { timeout },
    async ({ width, height, scheme, suffix }) => {
      const source = new ScriptedSource(farm({ nodeCount: 40 }));
      const stopConfirming = source.keepConfirming();
      const server = await serve(source);
      const { page, problems, close } = await openPage(browser, { viewport: { width, height }, colorScheme: scheme });
      try {
        const pages = {
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
        for (const [name, path] of Object.entries(pages)) {
          await page.goto(server.url + path);
          await page.getByText(/^live ·/).waitFor();
          expect(await check.faultsOf(page, `${name}-${suffix}`)).toEqual([]);
        }
        await page.goto(`${server.url}/nodes?q=no-such-node`);
        await page.getByText('No node matches').waitFor();
        expect(await check.faultsOf(page, `nodes-filtered-${suffix}`)).toEqual([]);
        await page.keyboard.press('/');
        await page.keyboard.type('node-000');
        await page.getByRole('option').first().waitFor();
        expect(await check.faultsOf(page, `search-${suffix}`)).toEqual([]);
        await page.keyboard.press('Escape');
        await page.keyboard.press('?');
        await page.getByRole('dialog').waitFor();
        expect(await check.faultsOf(page, `keys-${suffix}`)).toEqual([]);
        expect(problems).toEqual([]);
      } finally {
        stopConfirming();
        await close();
        await server.stop();
      }
    },
  );

  it.each(screens)('shows doubt and absence as clearly at $width px, $scheme', { timeout }, async ({ width, height, scheme, suffix }) => {
    const snapshot = farm({ nodeCount: 40 });
    const source = new ScriptedSource({ installation: snapshot.installation, parts: snapshot.parts });
    const server = await serve(source);
    const { page, problems, close } = await openPage(browser, { viewport: { width, height }, colorScheme: scheme });
    try {
      await page.goto(`${server.url}/overview`);
      await page.getByText('The cluster has not been read yet').waitFor();
      expect(await check.faultsOf(page, `unread-${suffix}`)).toEqual([]);
      source.setCluster(() => ({ nodes: [], podsByPhase: {} }));
      await page.getByText('npm start -- --scenario small').waitFor();
      expect(await check.faultsOf(page, `empty-${suffix}`)).toEqual([]);
      if (snapshot.cluster === undefined) throw new Error('the farm has a cluster');
      source.set({ ...snapshot, cluster: { ...snapshot.cluster, observedAt: Date.now() - 45_000 } });
      await page.getByRole('status').getByText('has not confirmed').waitFor();
      expect(await check.faultsOf(page, `stale-overview-${suffix}`)).toEqual([]);
      for (const path of ['', 'nodes', 'nodes/node-00004', 'storage', 'pods']) {
        await page.goto(`${server.url}/${path}`);
        await page.getByRole('status').getByText('has not confirmed').waitFor();
        expect(await check.faultsOf(page, `stale-${path === '' ? 'capacity' : path.replace('/', '-')}-${suffix}`)).toEqual([]);
      }
      expect(problems).toEqual([]);
      await page.route('**/api/console/v1/stream?*', (route) => route.abort());
      await page.goto(server.url);
      await page.getByText('Quartermaster has not answered for').waitFor();
      expect(await check.faultsOf(page, `no-server-${suffix}`)).toEqual([]);
    } finally {
      await close();
      await server.stop();
    }
  });
});
