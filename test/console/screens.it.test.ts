import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningConsole, startConsole } from '@quartermaster/console';
import { silentLog } from '@quartermaster/kernel';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessibilityFaults, hasBrowser, launchBrowser, openPage } from './browser.ts';
import { farm, ScriptedSource } from './scripted-source.ts';

const sizes = [
  { width: 1440, height: 900 },
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
];
const screens = sizes.flatMap(({ width, height }) => (['dark', 'light'] as const).map((scheme) => ({ width, height, scheme })));

/** axe is the slow part. The middle size differs from the largest in widths alone, and contrasts do not depend on the size. */
const sameForAxe = /-1280-|-390-dark/;

/** Every screen is loaded, drawn and examined; that is more than one wait. */
const timeout = 180_000;

/** Where to leave the pictures for a person to look at. */
const kept = process.env['QUARTERMASTER_TEST_SCREENSHOTS'];

/** Whatever the page shows must fit: no sideways scrolling of the page itself. */
const overflow = (page: Page) => page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');

/** No part of the page waits for its first answer any more. */
async function answered(page: Page): Promise<void> {
  await expect.poll(() => page.getByText('Asking').count(), { timeout: 30_000 }).toBe(0);
}

describe.skipIf(!hasBrowser())('every screen of the console', () => {
  let browser: Browser;
  let folder: string;

  beforeAll(async () => {
    browser = await launchBrowser();
    folder = kept ?? (await mkdtemp(join(tmpdir(), 'quartermaster-screens-')));
    await mkdir(folder, { recursive: true });
  });
  afterAll(async () => {
    await browser.close();
    if (kept === undefined) await rm(folder, { recursive: true, force: true });
  });

  const serve = (source: ScriptedSource): Promise<RunningConsole> => startConsole({ source, host: '127.0.0.1', port: 0, log: silentLog });

  async function expectGood(page: Page, name: string): Promise<void> {
    await page.screenshot({ path: join(folder, `${name}.png`) });
    expect({ name, pixelsTooWide: await overflow(page) }).toEqual({ name, pixelsTooWide: 0 });
    if (!sameForAxe.test(name)) expect({ name, faults: await accessibilityFaults(page) }).toEqual({ name, faults: [] });
  }

  it.each(screens)('is readable and free of serious faults at $width px, $scheme', { timeout }, async ({ width, height, scheme }) => {
    const source = new ScriptedSource(farm({ nodeCount: 40 }));
    const stopConfirming = source.keepConfirming();
    const server = await serve(source);
    const { page, problems, close } = await openPage(browser, { viewport: { width, height }, colorScheme: scheme });
    const suffix = `${width}-${scheme}`;
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
        await answered(page);
        await expectGood(page, `${name}-${suffix}`);
      }
      await page.goto(`${server.url}/nodes?q=no-such-node`);
      await page.getByText('No node matches').waitFor();
      await expectGood(page, `nodes-filtered-${suffix}`);
      await page.keyboard.press('/');
      await page.keyboard.type('node-000');
      await page.getByRole('option').first().waitFor();
      await expectGood(page, `search-${suffix}`);
      await page.keyboard.press('Escape');
      await page.keyboard.press('?');
      await page.getByRole('dialog').waitFor();
      await expectGood(page, `keys-${suffix}`);
      expect(problems).toEqual([]);
    } finally {
      stopConfirming();
      await close();
      await server.stop();
    }
  });

  it.each(screens)('shows doubt and absence as clearly at $width px, $scheme', { timeout }, async ({ width, height, scheme }) => {
    const suffix = `${width}-${scheme}`;
    const snapshot = farm({ nodeCount: 40 });
    const source = new ScriptedSource({ installation: snapshot.installation, parts: snapshot.parts });
    const server = await serve(source);
    const { page, problems, close } = await openPage(browser, { viewport: { width, height }, colorScheme: scheme });
    try {
      await page.goto(`${server.url}/overview`);
      await page.getByText('The cluster has not been read yet').waitFor();
      await expectGood(page, `unread-${suffix}`);
      source.setCluster(() => ({ nodes: [], podsByPhase: {} }));
      await page.getByText('npm start -- --scenario small').waitFor();
      await expectGood(page, `empty-${suffix}`);
      if (snapshot.cluster === undefined) throw new Error('the farm has a cluster');
      source.set({ ...snapshot, cluster: { ...snapshot.cluster, observedAt: Date.now() - 45_000 } });
      await page.getByRole('status').getByText('has not confirmed').waitFor();
      await expectGood(page, `stale-overview-${suffix}`);
      for (const path of ['', 'nodes', 'nodes/node-00004', 'storage', 'pods']) {
        await page.goto(`${server.url}/${path}`);
        await page.getByRole('status').getByText('has not confirmed').waitFor();
        await answered(page);
        await expectGood(page, `stale-${path === '' ? 'capacity' : path.replace('/', '-')}-${suffix}`);
      }
      expect(problems).toEqual([]);
      await page.route('**/api/console/v1/stream?*', (route) => route.abort());
      await page.goto(server.url);
      await page.getByText('Quartermaster has not answered for').waitFor();
      await expectGood(page, `no-server-${suffix}`);
    } finally {
      await close();
      await server.stop();
    }
  });
});
