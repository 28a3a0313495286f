import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasBrowser, launchBrowser, openPage, type WatchedPage } from './browser.ts';
import { reservedFarm } from './reserved-farm.ts';
import { owners, type ReservingCluster } from './reserving-cluster.ts';
import { everyScreen, isExamined, screenFaults } from './screen-check.ts';
import { leaseScreens } from './screens.ts';
import { type ScriptedConsole, scriptedToken, signIn, startScriptedConsole } from './scripted-console.ts';
import { ScriptedLeases } from './scripted-leases.ts';
import type { ScriptedSource } from './scripted-source.ts';
import { soon } from './use-console.ts';

const [rita] = owners;

/** What a provider runs for its tenants, by the contract of the cluster service. */
describe.skipIf(!hasBrowser())('leases of a provider in a browser', { timeout: 120_000 }, () => {
  let browser: Browser;
  let source: ScriptedSource;
  let reserving: ReservingCluster;
  let leases: ScriptedLeases;
  let server: ScriptedConsole;
  let watched: WatchedPage;
  let page: Page;
  let stopConfirming: () => void;

  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
  });

  beforeEach(async () => {
    leases = new ScriptedLeases();
    ({ source, reserving } = reservedFarm(leases));
    stopConfirming = source.keepConfirming();
    await reserving.start();
    server = await startScriptedConsole(source, { clusterUrl: reserving.url });
    watched = await openPage(browser);
    page = watched.page;
    await signIn(page, server.url);
  });
  afterEach(async () => {
    stopConfirming();
    await watched.close();
    await server.stop();
    await reserving.stop();
  });

  const visit = (path: string) => page.goto(server.url + path);
  const panel = (name: string) => page.getByRole('region', { name });
  const expectRegion = (name: string, text: string | RegExp) => soon(async () => expect(await panel(name).innerText()).toMatch(text));
  const expectMain = (text: RegExp) => soon(async () => expect(await page.getByRole('main').innerText()).toMatch(text));
  const row = (text: string) => page.getByRole('row').filter({ hasText: text });
  const expectRow = (text: string, expected: RegExp) => soon(async () => expect(await row(text).innerText()).toMatch(expected));
  const expectRows = (count: number) => soon(async () => expect(await page.getByRole('grid').getByRole('row').count()).toBe(count + 1));

  it('are listed with whose they are, how they are, and what they hold', async () => {
    await visit('/');
    await page.getByRole('link', { name: 'Leases', exact: true }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('w');
    await page.getByRole('heading', { name: 'Leases', level: 1 }).waitFor();
    await soon(async () => expect(await page.title()).toBe('Leases · Quartermaster'));
    await expectRow(
      '1234561/1/1',
      /akash1q7n…8hjk\s+Active\s+Healthy\s+3 of 3\s+node-00012 \+1\s+4\s+train\.acme\.example\s+52\.6 AKT\s+50 min ago/,
    );
    await expectRow('1234570/1/1', /Pending\s+Not deployed\s+0 of 1\s+–\s+–\s+–\s+39\.45 AKT/);
    await expectRow('1234580/1/2', /Active\s+Unhealthy\s+1 of 2/);
    await expectRow('1234500/1/1', /Active\s+Unknown\s+–/);
    await expectRegion('Ignored namespaces', /lease-somebody-1-1-1\s+Its labels say another lease than its name/);
    await page.getByRole('link', { name: 'Pending' }).click();
    await expectRows(1);
    await page.getByRole('link', { name: 'All', exact: true }).click();
    await expectRows(4);
    await page.getByLabel('Filter leases').fill('health:unhealthy');
    await expectRows(1);
    await page.getByLabel('Filter leases').fill('hostname:train node:node-00016');
    await expectRows(1);
    await page.getByLabel('Filter leases').fill('problem:pulled');
    await expectRows(1);
    await page.getByLabel('Filter leases').fill('this.tenant = 1');
    await page.getByText('Use == to compare.').waitFor();
    await page.getByLabel('Filter leases').fill('nobody');
    await page.getByText('No lease matches').waitFor();
    leases.leases = [];
    await visit('/leases');
    await page.getByText('This provider has no leases. One appears here when a tenant accepts a bid').waitFor();
    expect(watched.problems).toEqual([]);
  });

  it('say what may be old, and stay in sight while the service is away', async () => {
    leases.stale = ['pods'];
    await visit('/leases');
    await page.getByText('The cluster service cannot watch pods at the moment').waitFor();
    await row('1234561/1/1').waitFor();
    expect(await screenFaults(page, 'leases-stale', isExamined)).toEqual([]);
    await reserving.stop();
    await page.getByText(/The cluster service has not answered since .* The last known state is shown\./).waitFor();
    await row('1234561/1/1').waitFor();
  });

  it('have a page from the order to what runs, and links from a card to its lease and back', async () => {
    await visit('/nodes/node-00016');
    await expectRegion(
      'Leases',
      /Losing this node affects 2 leases of 2 tenants, 3 pods and 2 GPUs[\s\S]*1234561\/1\/1\s+akash1q7n3eq…c9ratw8hjk\s+Healthy\s+train, web\s+2\s+2[\s\S]*1234580\/1\/2/,
    );
    await panel('GPUs').getByRole('link', { name: 'lease 1234561/1/1' }).first().click();
    await expectRegion('Progress', /Ordered\s+done[\s\S]*Bid\s+done[\s\S]*Leased\s+done\s+50 min ago, after 18 s[\s\S]*Running\s+done/);
    expect(await panel('Progress').innerText()).not.toContain('Clos');
    await expectRegion(
      'Services',
      /train\s+Healthy\s+2 of 2[\s\S]*provider\.example\.com:31022 → 22\/TCP, game: no address assigned yet[\s\S]*web/,
    );
    await expectRegion('Volumes', /web\/data\s+Bound\s+100 GiB\s+beta3/);
    await expectRegion(
      'Hostnames',
      /train\.acme\.example\s+Held\s+web\s+80[\s\S]*taken\.example\s+Refused[\s\S]*take one of your own domains/,
    );
    await expectRegion(
      'Shells',
      /2 shells[\s\S]*1 min ago\s+web\s+web-0\s+192\.0\.2\.7\s+token \S+\s+1 min\s+open\s+2 h ago\s+web\s+web-0\s+192\.0\.2\.7\s+token \S+\s+20 s\s+137/,
    );
    await expectRegion('Facts', /Price\s+52\.6 AKT per month/);
    await soon(async () =>
      expect(await page.getByRole('navigation', { name: 'Chain' }).innerText()).toMatch(
        /node-00012[\s\S]*1 more node[\s\S]*4 GPUs[\s\S]*1234561\/1\/1/,
      ),
    );
    await soon(async () => expect(await page.title()).toBe('1234561/1/1 · Leases · Quartermaster'));
    await panel('Pods').getByRole('link', { name: /^GPU-/ }).first().click();
    await page.getByRole('heading', { name: 'node-00016', level: 1 }).waitFor();
    expect(new URL(page.url()).searchParams.get('gpu')).toMatch(/^GPU-00000016/);
    expect(watched.problems).toEqual([]);
  });

  it('tell why one waits, why one is unhealthy and when that ends it, and what is not removed yet', async () => {
    await visit(leaseScreens['lease-waiting']);
    await expectRegion('Progress', /Manifest\s+in progress\s+The tenant has not handed it over[\s\S]*Deployed\s+not yet/);
    await visit(leaseScreens['lease-unhealthy']);
    await page.getByText(/It has been unhealthy for 6 min\. The lease will be closed in 1\d min unless it becomes healthy\./).waitFor();
    await page.getByText(/The newest manifest has been refused for 5 min: service api asks for 4 CPUs, and 2 were ordered/).waitFor();
    await expectRegion(
      'Services',
      /Unhealthy\s+1 of 2[\s\S]*api-5c9d-zzzzz\s+The image .* cannot be pulled: there is no such tag[\s\S]*\(ImagePullFailed\)/,
    );
    expect(await panel('Shells').count()).toBe(0);
    await visit(leaseScreens['lease-ending']);
    await expectRegion('Not removed yet', /PersistentVolumeClaim data-0\s+The volume is still attached to node-00020/);
    await expectRegion('Progress', /Closing\s+in progress\s+Its namespace is not gone yet\./);
    await expectRegion('Pods', 'Nothing is running any more.');
    expect(await page.getByRole('button', { name: 'Close', exact: true }).count()).toBe(0);
    await visit('/leases/nobody/1/1/1');
    await page.getByText('This provider has no lease nobody/1/1/1').waitFor();
  });

  it('are closed after a question that names what goes, with a reason, by those who may', async () => {
    await visit(leaseScreens.lease);
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.innerText()).toMatch(
      /2 services \(train, web\) with 3 pods and 4 GPUs on 2 nodes are stopped\.[\s\S]*1 volume and the data in it are deleted\.[\s\S]*train\.acme\.example is released\./,
    );
    const button = dialog.getByRole('button', { name: 'Close', exact: true }).last();
    expect(await button.isDisabled()).toBe(true);
    expect(await screenFaults(page, 'lease-close')).toEqual([]);
    await dialog.getByLabel('Reason').fill('the rack is moved');
    await dialog.getByLabel(/^Type/).fill('1234561/1/1');
    await button.click();
    await page.getByText('Closed lease 1234561/1/1 at the market.').waitFor();
    expect(leases.closed).toEqual([`${rita}/1234561/1/1: the rack is moved`]);
    await soon(async () => expect(await page.getByRole('button', { name: 'Close', exact: true }).count()).toBe(0));
    reserving.readers.add(scriptedToken);
    await visit(leaseScreens['lease-unhealthy']);
    const refused = page.getByRole('button', { name: 'Close', exact: true });
    await soon(async () =>
      expect(await refused.getAttribute('title')).toMatch(/may change leases; your role at the cluster service is reader/),
    );
    expect(await refused.isDisabled()).toBe(true);
  });

  it('give a hostname to another lease of the tenant, and the search finds both', async () => {
    await visit(leaseScreens.lease);
    await panel('Hostnames').getByRole('button', { name: 'Transfer' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(/To the lease/).selectOption('1234570/1/1');
    await dialog.getByLabel(/To the service/).selectOption('api');
    expect(await screenFaults(page, 'transfer', isExamined)).toEqual([]);
    await dialog.getByRole('button', { name: 'Transfer' }).click();
    await page.getByText('train.acme.example now belongs to 1234570/1/1.').waitFor();
    await visit('/hostnames');
    await expectRow('train.acme.example', /Held\s+akash1q7n…8hjk\s+1234570\/1\/1\s+api:80/);
    await expectRow('old.acme.example', /Released[\s\S]*in 54 min/);
    await page.getByLabel('Search by name').fill('globex');
    await page.getByRole('option', { name: /hostname\s*api\.globex\.example/ }).click();
    await page.getByRole('heading', { level: 1 }).filter({ hasText: '1234580' }).waitFor();
    await page.getByLabel('Search by name').fill('123457');
    await page.getByRole('option', { name: /lease\s*1234570\/1\/1/ }).waitFor();
    expect(await page.locator('.search-where').innerText()).toContain('leases, hostnames');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1 }).filter({ hasText: '1234570' }).waitFor();
    expect(watched.problems).toEqual([]);
  });

  it(`look right ${everyScreen}`, { timeout: 240_000 }, async () => {
    for (const [name, path] of Object.entries(leaseScreens)) {
      await visit(path);
      await page.getByText(/^live ·/).waitFor();
      await expectMain(/lease|hostname/i);
      expect(await screenFaults(page, name)).toEqual([]);
    }
    await visit('/nodes/node-00016');
    await panel('Leases').scrollIntoViewIfNeeded();
    expect(await screenFaults(page, 'node-leases')).toEqual([]);
    expect(watched.problems).toEqual([]);
  });
});
