import { BidPhase } from '@quartermaster/api/cluster';
import { Bids, ProviderMarket } from '@quartermaster/api/market';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { sampleSdl } from '../market/sample-sdl.ts';
import { deploy, uakt } from '../market/start-market.ts';
import { hasBrowser, launchBrowser, openPage } from './browser.ts';
import { type MarketConsole, startMarketConsole } from './market-console.ts';
import { everyScreen, examinedScreens, isExamined, screenFaults } from './screen-check.ts';
import { marketScreens } from './screens.ts';
import { signIn } from './scripted-console.ts';
import { soon } from './use-console.ts';

/** Some look at several screens in every size, beside all that they wait for. */
const timeout = 120_000;
const tenant = { name: 'alice', role: 'tenant', groups: ['acme'] };
const card = { vendor: 'nvidia', model: 'a100', interface: 'SXM4', memoryBytes: 80n * 1024n ** 3n };

describe.skipIf(!hasBrowser())('the market in a browser', { timeout }, () => {
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

  /** A page of somebody whom the market knows. */
  async function openAs(caller: { readonly name: string; readonly role: string; readonly groups?: string[]; readonly source?: string }) {
    const watched = await openPage(browser);
    onTestFinished(() => watched.close());
    const token = await console.market.token(caller);
    if (caller.role === 'admin') console.staff.add(token);
    await signIn(watched.page, console.url, token);
    const { page } = watched;
    const region = (name: string) => page.getByRole('region', { name });
    return {
      ...watched,
      region,
      visit: (path: string) => page.goto(console.url + path),
      expectRegion: (name: string, text: string | RegExp) => soon(async () => expect(await region(name).innerText()).toMatch(text)),
      links: () => page.getByRole('navigation', { name: 'Pages' }).getByRole('link').allInnerTexts(),
    };
  }

  const bidOf = (provider: string, gseq: number, amount: string, dseq = 1n) =>
    console.market
      .provider(provider)
      .client(ProviderMarket)
      .createBid({ order: { owner: 'acme', dseq, gseq, oseq: 1 }, price: uakt(amount), offer: [{ unit: 1, cards: [card] }] });

  it(`lets a tenant deploy an SDL, accept a bid and close, ${everyScreen}`, async () => {
    const { page, problems, visit, expectRegion, region, links } = await openAs(tenant);
    await visit('/');
    await page.getByText('Nothing has been deployed.').waitFor();
    expect(await links()).toEqual(['Quartermaster', 'Deployments', 'Leases']);
    await page.getByRole('link', { name: 'Deploy', exact: true }).click();
    const text = page.getByLabel('SDL');
    const deployButton = page.getByRole('button', { name: 'Deploy' });
    expect(await deployButton.isDisabled()).toBe(true);
    const good = sampleSdl({}, { cpu: '2', price: '250' });
    await text.fill(good.replace('cpu:\n          units: 2', 'cpu:\n          units: two').replace('image: nginx', 'imag: nginx'));
    await page.getByRole('button', { name: 'Line 4' }).first().waitFor();
    await page.getByText(/The SDL has \d faults: fix them first\./).waitFor();
    expect(await deployButton.isDisabled()).toBe(true);
    expect(await page.locator('.sdl-faulty').allInnerTexts()).toEqual(expect.arrayContaining(['4', '28']));
    await page.getByRole('button', { name: 'Line 4' }).first().click();
    const caretLine = 'document.activeElement.value.slice(0, document.activeElement.selectionStart).split("\\n").length';
    expect(await page.evaluate(caretLine)).toBe(4);
    expect(await screenFaults(page, 'deploy-faults')).toEqual([]);
    await text.fill(good);
    await page.getByRole('heading', { name: 'Costs at most 153.41 AKT per month' }).waitFor();
    expect(await screenFaults(page, 'deploy', isExamined)).toEqual([]);
    await page.getByLabel('Name', { exact: true }).fill('shop');
    await deployButton.click();

    await page.getByRole('heading', { name: 'shop', level: 1 }).waitFor();
    await expectRegion('Group place-1', /Open\s+Order 1-1-1, at most 43\.83 AKT per month; closes in[\s\S]*No provider has bid yet/);
    await bidOf('p1', 1, '90');
    await bidOf('p2', 1, '80.5');
    await expectRegion('Group place-1', /p2\s+35\.28 AKT\s+nvidia a100 SXM4 80Gi\s+Open[\s\S]*p1\s+39\.45 AKT/);
    expect(await screenFaults(page, 'deployment')).toEqual([]);
    await region('Group place-1').getByRole('row', { name: 'p2' }).getByRole('button', { name: 'Accept' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.innerText()).toMatch(/p2 gets the lease of place-1 for 35\.28 AKT per month[\s\S]*1 other bid is lost/);
    await dialog.getByRole('button', { name: 'Accept' }).click();
    await page.getByText('Accepted the bid of p2.').waitFor();
    await expectRegion('Group place-1', /Active\s+Lease with p2 for 35\.28 AKT per month[\s\S]*p2[\s\S]*Won[\s\S]*p1[\s\S]*Lost/);
    await expectRegion(
      'History',
      /p2 has the lease for 35\.28 AKT per month\.[\s\S]*p1 bid 39\.45 AKT per month\.[\s\S]*Deployed by alice\./,
    );

    await page.getByRole('link', { name: 'Deployments', exact: true }).click();
    const row = page.getByRole('row').filter({ hasText: 'shop' });
    await soon(async () => expect(await row.innerText()).toMatch(/Active\s+place-1, place-2\s+2\s+35\.28 AKT/));
    expect(await screenFaults(page, 'deployments')).toEqual([]);
    await page.getByLabel('Filter deployments').fill('state:closed');
    await page.getByText('No deployment matches').waitFor();
    await visit(marketScreens.deployment);
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    await soon(async () =>
      expect(await dialog.innerText()).toMatch(/The lease with p2 ends, and what runs there is stopped\. Saves 35\.28 AKT per month/),
    );
    const close = dialog.getByRole('button', { name: 'Close', exact: true }).last();
    expect(await close.isDisabled()).toBe(true);
    await dialog.getByLabel(/^Type/).fill('1');
    await close.click();
    await page.getByText('Closed deployment shop.').waitFor();
    await expectRegion('History', /The deployment was closed: closed by its tenant\./);
    await soon(async () => expect(await page.getByRole('button', { name: 'Close', exact: true }).count()).toBe(0));
    await visit('/orders');
    await page.getByText('There is no such page').waitFor();
    expect(problems).toEqual([]);
  });

  it(`shows those who look after the market each order’s way, and what leases bring in, ${everyScreen}`, async () => {
    const { deployment, order } = await deploy(console.market, 'acme');
    const declined = await deploy(console.market, 'globex', undefined, sampleSdl({ cpu: '200' }));
    const at = { seconds: BigInt(Math.floor(Date.now() / 1000)), nanos: 0 };
    console.told.decisions = [
      {
        order: declined.order,
        phase: BidPhase.DECLINED,
        reasons: [{ code: 'DoesNotFit', message: 'No single node can hold one replica: 200 cores are more than any node has.' }],
        orderedAt: at,
        changedAt: at,
      },
      { order, phase: BidPhase.BID, price: uakt('40'), priceParts: { cpu: '30', memory: '10' }, orderedAt: at, reservedAt: at, bidAt: at },
    ];
    console.told.status = { configured: true, revenue: [{ denom: 'uakt', amount: '40', leases: 1n, parts: { cpu: '30', memory: '10' } }] };
    await bidOf('p1', 1, '40', order.dseq);
    const { page, problems, visit, expectRegion, links } = await openAs({ name: 'admin', role: 'admin' });
    await visit('/orders');
    const row = (id: string) => page.getByRole('row').filter({ hasText: `${id}/1/1` });
    await soon(async () => expect(await row(declined.deployment.id).innerText()).toMatch(/globex\s+Open[\s\S]*Declined\s+No single node/));
    expect(await links()).toEqual(expect.arrayContaining(['Deployments', 'Orders and bids']));
    await soon(async () => expect(await row(deployment.id).innerText()).toMatch(/Open[\s\S]*43\.83 AKT\s+1\s+17\.53 AKT\s+Bid/));
    await expectRegion('Revenue', /No lease is active\./);
    await console.market
      .tenant('acme')
      .client(Bids)
      .accept({ id: `${order.dseq}-1-1-p1` });
    await soon(async () => expect(await row(deployment.id).innerText()).toMatch(/Active[\s\S]*17\.53 AKT/));
    await expectRegion('Revenue', /17\.53 AKT per month from 1 active lease[\s\S]*CPU\s+13\.15 AKT\s+Memory\s+4\.38 AKT/);
    expect(await screenFaults(page, 'orders')).toEqual([]);
    await page.getByLabel('Filter orders').fill('reason:DoesNotFit');
    await soon(async () => expect(await page.getByTestId('order-count').innerText()).toMatch(/^1 order/));
    await row(declined.deployment.id).getByRole('link').click();
    await expectRegion('This provider', /Declined[\s\S]*No single node can hold one replica[\s\S]*\(DoesNotFit\)[\s\S]*Ordered/);
    await expectRegion('Order', /globex[\s\S]*200 cores/);
    await visit(`/orders/acme/${order.dseq}/1/1`);
    await expectRegion('This provider', /Bid\s+for 17\.53 AKT per month[\s\S]*Reserved[\s\S]*CPU\s+13\.15 AKT/);
    await expectRegion('Bids', /p1\s+17\.53 AKT[\s\S]*Won/);
    expect(await screenFaults(page, 'order')).toEqual([]);
    // This console has no inventory.
    expect(problems.filter((problem) => !problem.includes('/api/inventory/'))).toEqual([]);
  });

  it(`shows a provider its own bids alone, and keeps them while the market is away, ${examinedScreens}`, async () => {
    const { order } = await deploy(console.market, 'acme');
    await bidOf('p3', 1, '10', order.dseq);
    await bidOf('p4', 1, '20', order.dseq);
    const { page, visit, expectRegion, links } = await openAs({ name: 'p3', role: 'provider', source: 'p3' });
    await visit('/orders');
    const row = page.getByRole('row').filter({ hasText: `${order.dseq}/1/1` });
    await soon(async () => expect(await row.innerText()).toMatch(/Open[\s\S]*4\.38 AKT\s+Open/));
    expect(await links()).toEqual(['Quartermaster', 'Orders and bids']);
    await row.getByRole('link').click();
    await expectRegion('Bids', /p3\s+4\.38 AKT/);
    expect(await page.getByRole('main').innerText()).not.toContain('p4');
    await page.goBack();
    await row.waitFor();
    console.setReachable(false);
    await page.getByText(/^reconnecting ·/).waitFor();
    expect(await row.innerText()).toContain('4.38 AKT');
    await visit('/orders');
    await page.getByText(/The market has not answered since/).waitFor();
    expect(await screenFaults(page, 'orders-away', isExamined)).toEqual([]);
    console.setReachable(true);
    await row.waitFor();
  });
});
