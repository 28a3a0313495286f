import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, launchBrowser, openPage } from './browser.ts';
import { type FulfilledConsole, fillDatacenter, startFulfilledConsole } from './fulfilled-console.ts';
import { ScreenCheck, screens } from './screen-check.ts';

/** Every screen is loaded, drawn and examined; that is more than one wait. */
const timeout = 180_000;

/** Doubt changes fills and notices, not widths. */
const doubtful = screens.filter(({ suffix }) => suffix === '1440-dark' || suffix === '390-light');

const pages: Readonly<Record<string, string>> = {
  hosts: '/hosts',
  'hosts-none': '/hosts?q=this.id == "nothing"',
  racks: '/racks',
  host: '/hosts/host-04',
  'host-failed': '/hosts/host-07',
  'host-absent': '/hosts/nowhere',
};

describe.skipIf(!hasBrowser())('every screen of hosts and racks', () => {
  let browser: Browser;
  let console: FulfilledConsole;
  let check: ScreenCheck;

  beforeAll(async () => {
    browser = await launchBrowser();
    check = await ScreenCheck.open();
    console = await startFulfilledConsole();
    await fillDatacenter(console);
  }, 120_000);
  afterAll(async () => {
    await browser.close();
    await console.stop();
    await check.close();
  });

  it.each(screens)('is readable and free of serious faults at $width px, $scheme', { timeout }, async (screen) => {
    const { width, height, scheme, suffix } = screen;
    const { page, problems, close } = await openPage(browser, { viewport: { width, height }, colorScheme: scheme });
    try {
      for (const [name, path] of Object.entries(pages)) {
        await page.goto(console.url + path);
        await page.getByText(/^live ·/).waitFor();
        expect(await check.faultsOf(page, `${name}-${suffix}`)).toEqual([]);
      }
      await page.goto(`${console.url}/hosts?q=this.spec.rak == "r1"`);
      await page.getByRole('alert').waitFor();
      expect(await check.faultsOf(page, `hosts-refused-${suffix}`)).toEqual([]);
      await page.goto(`${console.url}/hosts`);
      await page.getByRole('button', { name: 'New host' }).click();
      await page.getByLabel('Name', { exact: true }).fill('Not A Name');
      await page.getByLabel('Title').focus();
      await page.getByRole('alert').waitFor();
      expect(await check.faultsOf(page, `host-form-${suffix}`)).toEqual([]);
      await page.keyboard.press('Escape');
      await page.goto(`${console.url}/hosts/host-04`);
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByLabel('Type gpu-04 to go on').waitFor();
      expect(await check.faultsOf(page, `host-delete-${suffix}`)).toEqual([]);
      await page.goto(`${console.url}/hosts`);
      await page.getByRole('button', { name: 'provider' }).click();
      await page.getByLabel('Token').waitFor();
      expect(await check.faultsOf(page, `sign-in-${suffix}`)).toEqual([]);
      await page.keyboard.press('Escape');
      if (width === 390) {
        await page.getByRole('button', { name: 'Hosts', exact: true }).click();
        await page.getByRole('link', { name: 'Racks' }).waitFor();
        expect(await check.faultsOf(page, `menu-${suffix}`)).toEqual([]);
        await page.getByRole('button', { name: 'Hosts', exact: true }).click();
      }
      await console.signIn(page, { name: 'alice', role: 'tenant', groups: ['acme'] });
      await page.goto(`${console.url}/hosts`);
      await page.getByRole('link', { name: 'gpu-04' }).waitFor();
      expect(await check.faultsOf(page, `tenant-hosts-${suffix}`)).toEqual([]);
      await page.getByRole('link', { name: 'gpu-04' }).click();
      await page.getByRole('heading', { name: 'gpu-04' }).waitFor();
      expect(await check.faultsOf(page, `tenant-host-${suffix}`)).toEqual([]);
      // A refused filter, a refused draft and an absent host are answers, which a browser tells its console of.
      expect(problems.filter((problem) => !/status of (400|404)/.test(problem))).toEqual([]);
    } finally {
      await close();
    }
  });

  it.each(doubtful)('shows doubt as clearly at $width px, $scheme', { timeout }, async ({ width, height, scheme, suffix }) => {
    const { page, close } = await openPage(browser, { viewport: { width, height }, colorScheme: scheme });
    try {
      for (const [name, path] of Object.entries({ hosts: '/hosts', racks: '/racks', host: '/hosts/host-04' })) {
        await page.clock.install();
        await page.goto(console.url + path);
        await page.getByText(/^live ·/).waitFor();
        await page.getByText('gpu-04').first().waitFor();
        await expect.poll(() => page.getByText('Asking').count(), { timeout: 30_000 }).toBe(0);
        console.setReachable(false);
        await page.getByText(/^reconnecting/).waitFor();
        await page.clock.fastForward(31_000);
        await page.getByRole('status').getByText('has not answered for').waitFor();
        expect(await check.faultsOf(page, `stale-${name}-${suffix}`)).toEqual([]);
        console.setReachable(true);
      }
    } finally {
      console.setReachable(true);
      await close();
    }
  });
});
