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
          await check.expectGood(page, `${name}-${suffix}`);
        }
        await page.goto(`${server.url}/nodes?q=no-such-node`);
        await page.getByText('No node matches').waitFor();
        await check.expectGood(page, `nodes-filtered-${suffix}`);
        await page.keyboard.press('/');
        await page.keyboard.type('node-000');
        await page.getByRole('option').first().waitFor();
        await check.expectGood(page, `search-${suffix}`);
        await page.keyboard.press('Escape');
        await page.keyboard.press('?');
        await page.getByRole('dialog').waitFor();
        await check.expectGood(page, `keys-${suffix}`);
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
      await check.expectGood(page, `unread-${suffix}`);
      source.setCluster(() => ({ nodes: [], podsByPhase: {} }));
      await page.getByText('npm start -- --scenario small').waitFor();
      await check.expectGood(page, `empty-${suffix}`);
      if (snapshot.cluster === undefined) throw new Error('the farm has a cluster');
      source.set({ ...snapshot, cluster: { ...snapshot.cluster, observedAt: Date.now() - 45_000 } });
      await page.getByRole('status').getByText('has not confirmed').waitFor();
      await check.expectGood(page, `stale-overview-${suffix}`);
      for (const path of ['', 'nodes', 'nodes/node-00004', 'storage', 'pods']) {
        await page.goto(`${server.url}/${path}`);
        await page.getByRole('status').getByText('has not confirmed').waitFor();
        await check.expectGood(page, `stale-${path === '' ? 'capacity' : path.replace('/', '-')}-${suffix}`);
      }
      expect(problems).toEqual([]);
      await page.route('**/api/console/v1/stream?*', (route) => route.abort());
      await page.goto(server.url);
      await page.getByText('Quartermaster has not answered for').waitFor();
      await check.expectGood(page, `no-server-${suffix}`);
    } finally {
      await close();
      await server.stop();
    }
  });
});
