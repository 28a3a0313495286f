import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { hasBrowser, launchBrowser, openPage } from './browser.ts';
import { type FulfilledConsole, fillDatacenter, startFulfilledConsole } from './fulfilled-console.ts';
import { everyScreen, examinedScreens, isExamined, screenFaults, show } from './screen-check.ts';
import { absentScreens, hostScreens } from './screens.ts';

/** Every screen is drawn in every size and scheme; that is more than one wait. */
const timeout = 180_000;

const narrow = { width: 390, height: 844, scheme: 'light' } as const;

describe.skipIf(!hasBrowser())('every screen of hosts and racks', { timeout }, () => {
  let browser: Browser;
  let console: FulfilledConsole;

  beforeAll(async () => {
    browser = await launchBrowser();
    console = await startFulfilledConsole();
    await fillDatacenter(console);
  }, 120_000);
  afterAll(async () => {
    await browser.close();
    await console.stop();
  });

  async function open() {
    const watched = await openPage(browser);
    await console.enter(watched.page);
    onTestFinished(() => watched.close());
    return watched;
  }

  it(`is readable and free of serious faults ${everyScreen}`, async () => {
    const { page, problems } = await open();
    for (const [name, path] of Object.entries({ ...hostScreens, 'host-absent': absentScreens['host-absent'] })) {
      await page.goto(console.url + path);
      await page.getByText(/^live ·/).waitFor();
      expect(await screenFaults(page, name)).toEqual([]);
    }
    await page.goto(`${console.url}/hosts?q=this.spec.rak == "r1"`);
    await page.getByRole('alert').waitFor();
    expect(await screenFaults(page, 'hosts-refused')).toEqual([]);
    await page.goto(`${console.url}/hosts`);
    await page.getByRole('button', { name: 'New host' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Not A Name');
    await page.getByLabel('Title').focus();
    await page.getByRole('alert').waitFor();
    expect(await screenFaults(page, 'host-form')).toEqual([]);
    await page.keyboard.press('Escape');
    await page.goto(`${console.url}/hosts/host-01`);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete host' }).waitFor();
    expect(await screenFaults(page, 'host-delete')).toEqual([]);
    await page.goto(`${console.url}/hosts`);
    await page.getByRole('button', { name: 'provider' }).click();
    await page.getByLabel('Token').waitFor();
    expect(await screenFaults(page, 'sign-in')).toEqual([]);
    await page.keyboard.press('Escape');
    await show(page, narrow);
    await page.getByRole('button', { name: 'Hosts', exact: true }).click();
    await page.getByRole('link', { name: 'Racks' }).waitFor();
    expect(await screenFaults(page, 'menu', ({ width }) => width === narrow.width)).toEqual([]);
    await console.signIn(page, { name: 'alice', role: 'tenant', groups: ['acme'] });
    await page.goto(`${console.url}/hosts`);
    await page.getByRole('link', { name: 'gpu-04' }).waitFor();
    expect(await screenFaults(page, 'tenant-hosts')).toEqual([]);
    await page.getByRole('link', { name: 'gpu-04' }).click();
    await page.getByRole('heading', { name: 'gpu-04' }).waitFor();
    expect(await screenFaults(page, 'tenant-host')).toEqual([]);
    // A refused filter, a refused draft and an absent host are answers, which a browser tells its console of.
    expect(problems.filter((problem) => !/status of (400|404)/.test(problem))).toEqual([]);
  });

  it(`shows doubt as clearly ${examinedScreens}`, async () => {
    const { page } = await open();
    onTestFinished(() => console.setReachable(true));
    for (const [name, path] of Object.entries({ hosts: '/hosts', racks: '/racks', host: '/hosts/host-04' })) {
      await page.clock.install();
      await page.goto(console.url + path);
      await page.getByText(/^live ·/).waitFor();
      await page.getByText('gpu-04').first().waitFor();
      await expect.poll(() => page.getByText('Loading').count(), { timeout: 30_000 }).toBe(0);
      console.setReachable(false);
      await page.getByText(/^reconnecting/).waitFor();
      await page.clock.fastForward(31_000);
      await page.getByRole('status').getByText('has not answered for').waitFor();
      expect(await screenFaults(page, `stale-${name}`, isExamined)).toEqual([]);
      console.setReachable(true);
    }
  });
});
