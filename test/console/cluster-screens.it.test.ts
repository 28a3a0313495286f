import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessibilityFaults, hasBrowser, launchBrowser, openPage } from './browser.ts';
import { type FulfilledConsole, fillDatacenter, startFulfilledConsole } from './fulfilled-console.ts';
import { orderClusters } from './ordered-clusters.ts';

const sizes = [
  { width: 1440, height: 900 },
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
];
const screens = sizes.flatMap(({ width, height }) => (['dark', 'light'] as const).map((scheme) => ({ width, height, scheme })));

/** axe is the slow part. The middle size differs from the largest in widths alone, and contrasts do not depend on the size. */
const sameForAxe = /^(1280-|390-dark)/;

/** Every screen is loaded, drawn and examined; that is more than one wait. */
const timeout = 240_000;

/** Where to leave the pictures for a person to look at. Without anybody to look, the screens that axe examines are enough. */
const kept = process.env['QUARTERMASTER_TEST_SCREENSHOTS'];
const drawn = screens.filter(({ width, scheme }) => kept !== undefined || !sameForAxe.test(`${width}-${scheme}`));

const pages: Readonly<Record<string, string>> = {
  clusters: '/clusters',
  'cluster-ready': '/clusters/acme-ready',
  'cluster-short': '/clusters/acme-short',
  templates: '/templates',
  template: '/templates/general',
  'host-classes': '/host-classes',
  'host-class': '/host-classes/cpu',
  hubs: '/hubs',
  hub: '/hubs/hub-east',
  'host-pools': '/host-pools',
  'host-pool': '/host-pools/spare',
  events: '/events',
  audit: '/audit',
};

describe.skipIf(!hasBrowser())('every screen of clusters and of what they are made of', () => {
  let browser: Browser;
  let console: FulfilledConsole;
  let folder: string;

  beforeAll(async () => {
    browser = await launchBrowser();
    folder = kept ?? (await mkdtemp(join(tmpdir(), 'quartermaster-screens-')));
    await mkdir(folder, { recursive: true });
    console = await startFulfilledConsole();
    await fillDatacenter(console);
    await orderClusters(console);
    await console.call('POST', '/api/private/v1/host_pools', {
      id: 'spare',
      metadata: { name: 'spare', tenants: ['acme'] },
      spec: { host_sets: { all: { host_class: 'cpu', size: 2 } } },
    });
  }, 120_000);
  afterAll(async () => {
    await browser.close();
    await console.stop();
    if (kept === undefined) await rm(folder, { recursive: true, force: true });
  });

  async function expectGood(page: Page, name: string, suffix: string): Promise<void> {
    await expect.poll(() => page.getByText('Asking').count(), { timeout: 30_000 }).toBe(0);
    await page.screenshot({ path: join(folder, `${name}-${suffix}.png`) });
    const tooWide = await page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
    expect({ name, tooWide }).toEqual({ name, tooWide: 0 });
    if (!sameForAxe.test(suffix)) expect({ name, faults: await accessibilityFaults(page) }).toEqual({ name, faults: [] });
  }

  it.each(drawn)('is readable and free of serious faults at $width px, $scheme', { timeout }, async ({ width, height, scheme }) => {
    const { page, problems, close } = await openPage(browser, { viewport: { width, height }, colorScheme: scheme });
    const suffix = `${width}-${scheme}`;
    try {
      for (const [name, path] of Object.entries(pages)) {
        await page.goto(console.url + path);
        await page.getByText(/^live ·/).waitFor();
        await page.getByRole('heading', { level: 1 }).waitFor();
        await expectGood(page, name, suffix);
      }
      await page.getByRole('row').nth(1).getByRole('button').click();
      await page.locator('.change-table').waitFor();
      await expectGood(page, 'audit-entry', suffix);
      await page.goto(`${console.url}/clusters`);
      await page.getByRole('button', { name: 'Order a cluster' }).click();
      await page.getByLabel('Template').selectOption('general');
      await page.getByLabel('Name', { exact: true }).fill('No Name');
      await page.getByRole('button', { name: 'Order cluster' }).click();
      await page.getByRole('dialog').getByRole('alert').first().waitFor();
      await expectGood(page, 'cluster-order', suffix);
      await page.goto(`${console.url}/templates/general`);
      await page.getByRole('button', { name: 'Edit' }).click();
      await page.getByRole('button', { name: 'Add a parameter' }).waitFor();
      await expectGood(page, 'template-edit', suffix);
      await page.goto(`${console.url}/hubs/hub-east`);
      await page.getByRole('button', { name: 'Edit' }).click();
      await page.getByRole('button', { name: 'Replace kubeconfig' }).click();
      await expectGood(page, 'hub-edit', suffix);
      await page.goto(`${console.url}/clusters/acme-ready`);
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByLabel('Type acme-ready to go on').waitFor();
      await expectGood(page, 'cluster-delete', suffix);
      // A form that is checked is refused at first.
      expect(problems.filter((problem) => !/status of 400/.test(problem))).toEqual([]);
    } finally {
      await close();
    }
  });

  it('is as good for a tenant', { timeout }, async () => {
    const { page, close } = await openPage(browser, { viewport: { width: 1280, height: 800 }, colorScheme: 'light' });
    try {
      await page.goto(console.url);
      await console.signIn(page, { name: 'alice', role: 'tenant', groups: ['acme'] });
      for (const name of ['clusters', 'cluster-ready', 'templates', 'template', 'host-classes', 'events']) {
        await page.goto(console.url + (pages[name] ?? ''));
        await page.getByText(/^live ·/).waitFor();
        await page.getByRole('heading', { level: 1 }).waitFor();
        await expectGood(page, name, 'tenant');
      }
    } finally {
      await close();
    }
  });
});
