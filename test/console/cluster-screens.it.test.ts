import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { hasBrowser, launchBrowser, openPage } from './browser.ts';
import { type FulfilledConsole, fillDatacenter, startFulfilledConsole } from './fulfilled-console.ts';
import { orderClusters } from './ordered-clusters.ts';
import { everyScreen, examinedScreens, isExamined, screenFaults } from './screen-check.ts';
import { clusterScreens } from './screens.ts';

/** Every screen is drawn in every size and scheme; that is more than one wait. */
const timeout = 240_000;

describe.skipIf(!hasBrowser())('every screen of clusters and of what they are made of', { timeout }, () => {
  let browser: Browser;
  let console: FulfilledConsole;

  beforeAll(async () => {
    browser = await launchBrowser();
    console = await startFulfilledConsole();
    await fillDatacenter(console);
    await orderClusters(console);
    for (const path of ['clusters/acme-ready', 'hubs/hub-east']) await console.call('GET', `/api/private/v1/${path}?reveal=true`);
    await console.call('POST', '/api/private/v1/host_pools', {
      id: 'spare',
      metadata: { name: 'spare', tenants: ['acme'] },
      spec: { host_sets: { all: { host_class: 'cpu', size: 2 } } },
    });
  }, 120_000);
  afterAll(async () => {
    await browser.close();
    await console.stop();
  });

  async function open() {
    const watched = await openPage(browser);
    await console.enter(watched.page);
    onTestFinished(() => watched.close());
    const visit = async (path: string): Promise<void> => {
      await watched.page.goto(console.url + path);
      await watched.page.getByText(/^live ·/).waitFor();
      await watched.page.getByRole('heading', { level: 1 }).waitFor();
    };
    return { ...watched, visit };
  }

  it(`is readable and free of serious faults ${everyScreen}`, async () => {
    const { page, problems, visit } = await open();
    for (const [name, path] of Object.entries(clusterScreens)) {
      await visit(path);
      expect(await screenFaults(page, name)).toEqual([]);
    }
    await page.getByRole('row').nth(1).getByRole('button').click();
    await page.locator('.change-table').waitFor();
    expect(await screenFaults(page, 'audit-entry')).toEqual([]);
    await page.goto(`${console.url}/clusters`);
    await page.getByRole('button', { name: 'Order a cluster' }).click();
    await page.getByLabel('Template').selectOption('general');
    await page.getByLabel('Name', { exact: true }).fill('No Name');
    await page.getByRole('button', { name: 'Order cluster' }).click();
    await page.getByRole('dialog').getByRole('alert').first().waitFor();
    expect(await screenFaults(page, 'cluster-order')).toEqual([]);
    await page.goto(`${console.url}/clusters/acme-short`);
    await page.getByRole('button', { name: 'Claim hosts …' }).click();
    await page.getByTestId('claim-consequences').waitFor();
    expect(await screenFaults(page, 'cluster-claim')).toEqual([]);
    await page.goto(`${console.url}/clusters/acme-ready`);
    await page.getByRole('button', { name: 'Release hosts of workers …' }).click();
    await page.getByRole('button', { name: 'All 2' }).click();
    expect(await screenFaults(page, 'cluster-release')).toEqual([]);
    await page.goto(`${console.url}/templates/general`);
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('button', { name: 'Add a parameter' }).waitFor();
    expect(await screenFaults(page, 'template-edit')).toEqual([]);
    await page.goto(`${console.url}/hubs/hub-east`);
    await page.getByTitle('Hubs are written by administrators: secrets are sent to them.').first().waitFor();
    expect(await page.getByRole('button', { name: 'Edit' }).isDisabled()).toBe(true);
    await page.goto(`${console.url}/clusters/acme-ready`);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByLabel('Type acme-ready to confirm').waitFor();
    expect(await screenFaults(page, 'cluster-delete')).toEqual([]);
    // A form that is checked is refused at first.
    expect(problems.filter((problem) => !/status of 400/.test(problem))).toEqual([]);
  });

  it(`is as good for a tenant ${examinedScreens}`, async () => {
    const { page, visit } = await open();
    await page.goto(console.url);
    await console.signIn(page, { name: 'alice', role: 'tenant', groups: ['acme'] });
    for (const name of [
      'clusters',
      'cluster-ready',
      'templates',
      'template',
      'host-classes',
      'host-class',
      'host-pools',
      'host-pool',
      'events',
    ] as const) {
      await visit(clusterScreens[name]);
      expect(await screenFaults(page, `tenant-${name}`, isExamined)).toEqual([]);
    }
  });

  it(`is as good for an administrator, who reveals a password and edits a hub ${examinedScreens}`, async () => {
    const { page, visit } = await open();
    await page.goto(console.url);
    await console.signIn(page, { name: 'root', role: 'admin' });
    await visit('/clusters/acme-ready');
    await page.getByRole('button', { name: 'Reveal password' }).click();
    await page.getByRole('region', { name: 'Secrets opened by' }).getByText('root').waitFor();
    await page.getByRole('region', { name: 'Access' }).scrollIntoViewIfNeeded();
    expect(await screenFaults(page, 'admin-cluster-revealed', isExamined)).toEqual([]);
    await visit('/hubs/hub-east');
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('button', { name: 'Replace kubeconfig' }).click();
    expect(await screenFaults(page, 'hub-edit', isExamined)).toEqual([]);
  });
});
