import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { accessibilityFaults, hasBrowser, launchBrowser, openPage, type WatchedPage } from '../console/browser.ts';
import { quartermasterInProcess, RunningUp } from './running-up.ts';

const order = 'akash1q7n3eq2m9yq3u5z8p0d4kfs6lvx2c9ratw8hjk/4711/1/1';

/** The cluster service of a real `up`, from the objects to the pixels. */
describe.skipIf(!hasBrowser())('reservations on the page of a running up', { timeout: 120_000 }, () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'up-reservations-'));
  let browser: Browser;
  let watched: WatchedPage;
  let page: Page;
  let up: RunningUp;

  beforeAll(async () => {
    browser = await launchBrowser();
    up = new RunningUp(['--scenario', 'small', '--data-dir', dataDir, '--port', '0']);
    const { link } = await up.ready();
    watched = await openPage(browser);
    page = watched.page;
    await page.goto(link);
  }, 120_000);
  afterAll(async () => {
    await browser.close();
    up.signal('SIGKILL');
    await up.exited();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const expectSoon = (read: () => Promise<string>, expected: string | RegExp) =>
    vi.waitFor(async () => expect(await read()).toMatch(expected), { timeout: 60_000, interval: 100 });
  const panel = (name: string) => page.getByRole('region', { name });
  const cpu = () => page.getByTestId('bar-resource-cpu').innerText();
  const go = (name: string) => page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name }).click();

  it('says what fits as the service would reserve it', async () => {
    await page.getByRole('button', { name: 'Will it fit?' }).click();
    const fit = panel('Will it fit?');
    await fit.getByLabel('Cores').fill('2');
    await fit.getByLabel('Memory').fill('2 GiB');
    await fit.getByLabel('Replicas').fill('2');
    await expectSoon(() => fit.innerText(), /Yes: 2 replicas on \d nodes?\./);
    await fit.getByLabel('Cores').fill('300');
    await expectSoon(() => fit.innerText(), /No single node can hold one replica\.[\s\S]*What would fit[\s\S]*Why not, node by node/);
    await page.getByRole('button', { name: 'Will it fit?' }).click();
  });

  it('takes what is reserved off what is sellable, and lists it', async () => {
    await expectSoon(cpu, /\d of \d+ sellable/);
    const made = await quartermasterInProcess('reserve', order, '--cpu', '2', '--memory', '2Gi', '--replicas', '2', '--data-dir', dataDir);
    expect(made).toMatchObject({ exitCode: 0 });
    await expectSoon(cpu, /\b4 reserved/);
    await go('Reservations');
    await expectSoon(
      () => page.getByRole('grid', { name: 'Reservations' }).innerText(),
      /4711\/1\/1[\s\S]*Pending\s+in \d+ (min|s)[\s\S]*4 cores, 4 GiB memory/,
    );
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  it('shows one, and gives it back', async () => {
    await page.getByRole('link', { name: '4711/1/1' }).click();
    await expectSoon(() => panel('Plan').innerText(), /Unit \d+[\s\S]*node-\d/);
    await page.getByRole('button', { name: 'Unreserve', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Unreserve' }).click();
    await expectSoon(() => page.getByRole('grid', { name: 'Reservations' }).innerText(), /^(?![\s\S]*4711)[\s\S]*\d\/1\/1\s+acme/);
    const { stdout } = await quartermasterInProcess('get', 'reservations', '--data-dir', dataDir);
    expect(stdout).not.toContain('4711');
    await go('Capacity');
    await expectSoon(cpu, /^(?![\s\S]*\d reserved)/);
    // A slow machine asks what fits before all fields are filled in, and for a reservation in the moment after its end: the browser logs both refusals.
    const isOfTheMoment = (problem: string): boolean => /status of 400.*fit:explain|status of 404.*\/4711\/1\/1\)/.test(problem);
    expect(watched.problems.filter((problem) => !isOfTheMoment(problem))).toEqual([]);
  });
});
