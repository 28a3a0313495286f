import { Bids, ProviderMarket } from '@quartermaster/api/market';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { deploy, uakt } from '../market/start-market.ts';
import { volumeSdl } from '../market/volume-sdl.ts';
import { hasBrowser, launchBrowser, openPage } from './browser.ts';
import { type MarketConsole, startMarketConsole } from './market-console.ts';
import { everyScreen, isExamined, screenFaults } from './screen-check.ts';
import { signIn } from './scripted-console.ts';
import { soon } from './use-console.ts';

const at = (secondsAgo: number) => ({ seconds: BigInt(Math.floor(Date.now() / 1000) - secondsAgo), nanos: 0 });

/** What a tenant sees of its leases, by the real market and what a provider reports to it. */
describe.skipIf(!hasBrowser())('leases of a tenant in a browser', { timeout: 120_000 }, () => {
  let browser: Browser;
  let console: MarketConsole;

  beforeAll(async () => {
    browser = await launchBrowser();
    console = await startMarketConsole();
  }, 120_000);
  afterAll(async () => {
    await browser.close();
    await console.stop();
  });

  async function openAs(caller: { readonly name: string; readonly role: string; readonly groups?: string[] }) {
    const watched = await openPage(browser);
    onTestFinished(() => watched.close());
    await signIn(watched.page, console.url, await console.market.token(caller));
    const { page } = watched;
    const region = (name: string) => page.getByRole('region', { name });
    return {
      ...watched,
      region,
      visit: (path: string) => page.goto(console.url + path),
      expectRegion: (name: string, text: string | RegExp) => soon(async () => expect(await region(name).innerText()).toMatch(text)),
    };
  }

  const provider = () => console.market.provider('p1').client(ProviderMarket);

  /** A lease of acme with p1. */
  async function leased() {
    const made = await deploy(console.market, 'acme', undefined, volumeSdl());
    await provider().createBid({ order: made.order, price: uakt('80'), offer: [] });
    await console.market
      .tenant('acme')
      .client(Bids)
      .accept({ id: `${made.order.dseq}-1-1-p1` });
    return { ...made, id: `${made.order.dseq}-1-1-p1` };
  }

  const tenant = { name: 'alice', role: 'tenant', groups: ['acme'] };

  it(`says how each is delivered, where it is reached and what is wrong, ${everyScreen}`, async () => {
    const { order, id } = await leased();
    const { page, problems, visit, expectRegion } = await openAs(tenant);
    await visit('/leases');
    const row = page.getByRole('row').filter({ hasText: id });
    await soon(async () => expect(await row.innerText()).toMatch(/Active\s+Unknown\s+–\s+–/));
    await row.getByRole('link', { name: id }).click();
    await expectRegion('Progress', /Leased\s+done[\s\S]*Manifest\s+in progress\s+The provider has not reported yet\./);
    const delivery = {
      ...{
        state: 'Active',
        reason: 'Unhealthy',
        message: '1 of 2 replicas cannot start.',
        health: 'unhealthy',
        manifestHash: 'ab'.repeat(32),
      },
      ...{ manifestAt: at(40), deployedAt: at(38), runningAt: at(20) },
      services: [
        {
          name: 'db',
          count: 2,
          available: 1,
          uris: ['db.acme.example', 'provider.example:31022'],
          problems: ['the image cannot be pulled: name a tag that exists'],
        },
      ],
    };
    await provider().reportDelivery({ order, delivery });
    await expectRegion(
      'Services',
      /db\s+1 of 2\s+db\.acme\.example\s+provider\.example:31022[\s\S]*The image cannot be pulled: name a tag/,
    );
    await expectRegion('Progress', /Manifest\s+done[\s\S]*Running\s+done/);
    // Nothing answers there yet.
    expect(await page.getByRole('main').getByRole('link', { name: 'db.acme.example' }).count()).toBe(0);
    expect(await page.getByRole('main').innerText()).toMatch(/Active\s+Unhealthy\s+1 of 2 replicas cannot start\./);
    expect(await screenFaults(page, 'market-lease')).toEqual([]);
    await visit('/leases');
    await soon(async () =>
      expect(await row.innerText()).toMatch(/Active\s+Unhealthy\s+1 of 2\s+db\.acme\.example, provider\.example:31022/),
    );
    expect(await screenFaults(page, 'market-leases')).toEqual([]);
    await page.getByLabel('Search by name').fill(id);
    await page.getByRole('option', { name: new RegExp(`lease\\s*${id}`) }).click();
    await page.getByRole('heading', { name: id, level: 1 }).waitFor();

    await page.getByRole('button', { name: 'Close', exact: true }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.innerText()).toMatch(
      /1 service \(db\) at p1 is stopped[\s\S]*db\.acme\.example, provider\.example:31022 are released/,
    );
    await dialog.getByLabel('Reason').fill('too dear');
    await dialog.getByLabel(/^Type/).fill(id);
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
    await page.getByText(`Closed lease ${id}. The market creates a new order for its group.`).waitFor();
    await expectRegion('Progress', /Closed\s+done\s+[\s\S]*too dear/);
    await soon(async () => expect(await page.getByRole('button', { name: 'Close', exact: true }).count()).toBe(0));
    expect(problems).toEqual([]);
  });

  it(`shows what an update changes before it is made, and loses data only after a yes to each volume, ${everyScreen}`, async () => {
    const { order, id } = await leased();
    const { page, problems, visit, region, expectRegion } = await openAs(tenant);
    await visit(`/leases/${id}`);
    await page.getByRole('link', { name: 'Update', exact: true }).click();
    const text = page.getByLabel('SDL');
    await soon(async () => expect(await text.inputValue()).toBe(volumeSdl()));
    const button = page.getByRole('button', { name: 'Update', exact: true });
    await page.getByText('Nothing is changed.').waitFor();
    expect(await button.isDisabled()).toBe(true);
    await text.fill(volumeSdl().replace('units: 1', 'units: 2'));
    await page.getByText(/The SDL has 1 fault: fix it first\./).waitFor();
    await text.fill(volumeSdl({ image: 'postgres:19' }));
    await expectRegion('Changes', /db\s+[^\n]*image[^\n]*\s+restarts/i);
    await soon(async () => expect(await button.isDisabled()).toBe(false));
    await text.fill(volumeSdl({ service: 'store' }));
    await page.getByText('Confirm first that the data of db/data may be lost.').waitFor();
    await expectRegion(
      'Changes',
      /db stops, store starts[\s\S]*db\s+the service is removed\s+stops[\s\S]*store\s+the service is added\s+starts/,
    );
    expect(await button.isDisabled()).toBe(true);
    expect(await screenFaults(page, 'update')).toEqual([]);
    await region('Changes')
      .getByLabel(/Permanently delete the data of db\/data/)
      .check();
    await soon(async () => expect(await button.isDisabled()).toBe(false));
    expect(await screenFaults(page, 'update-confirmed', isExamined)).toEqual([]);
    await button.click();
    await page.getByText(/Updated deployment .*\. Its provider rolls the changes out\./).waitFor();
    const manifest = await provider().getManifest({ order });
    expect(JSON.stringify(manifest, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value))).toContain('store');
    expect(problems).toEqual([]);
  });

  it('offers an update to those alone who may see what it would change', async () => {
    const { order, id } = await leased();
    const { page, visit } = await openAs({ name: 'admin', role: 'admin' });
    for (const path of [`/leases/${id}`, `/deployments/${order.dseq}`]) {
      await visit(path);
      await page.getByRole('button', { name: 'Close', exact: true }).waitFor();
      expect(await page.getByRole('link', { name: 'Update', exact: true }).count()).toBe(0);
    }
    await visit(`/deployments/${order.dseq}/update`);
    await page.getByText('The SDL cannot be opened.').waitFor();
  });

  it('has nothing in sight of others, and says how a lease comes about', async () => {
    const { id } = await leased();
    const { page, visit } = await openAs({ name: 'otto', role: 'tenant', groups: ['other'] });
    await visit('/leases');
    await page.getByText('There are no leases. One appears here when a bid on an order is accepted').waitFor();
    expect(await screenFaults(page, 'market-leases-none', isExamined)).toEqual([]);
    await visit(`/leases/${id}`);
    await page.getByText('There is no such lease').waitFor();
  });
});
