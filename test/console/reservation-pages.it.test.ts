import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { hasBrowser, launchBrowser, openPage, type WatchedPage } from './browser.ts';
import { reservedFarm } from './reserved-farm.ts';
import { newReservation, owners, type ReservingCluster } from './reserving-cluster.ts';
import { everyScreen, examinedScreens, isExamined, screenFaults } from './screen-check.ts';
import { reservationScreens } from './screens.ts';
import { type ScriptedConsole, scriptedToken, signIn, startScriptedConsole } from './scripted-console.ts';
import type { ScriptedSource } from './scripted-source.ts';

const [owner] = owners;
const first = `/reservations/${owner}/1234561/1/1`;

/** What the cluster service promises, and what it would: over its real placement. */
describe.skipIf(!hasBrowser())('reservations in a browser', () => {
  let browser: Browser;
  let source: ScriptedSource;
  let reserving: ReservingCluster;
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
    ({ source, reserving } = reservedFarm());
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

  const expectSoon = (read: () => Promise<string | null>, expected: string | RegExp) =>
    vi.waitFor(async () => expect(await read()).toMatch(expected), { timeout: 20_000, interval: 50 });
  const main = () => page.getByRole('main').innerText();
  const bar = (kind: string, name: string) => page.getByTestId(`bar-${kind}-${name}`);
  const panel = (name: string) => page.getByRole('region', { name });

  it('are listed with what is promised to whom, until when and over which nodes', async () => {
    await page.goto(server.url);
    await page.getByRole('link', { name: 'Reservations', exact: true }).click();
    const rows = page.getByRole('grid', { name: 'Reservations' }).getByRole('row');
    await expectSoon(async () => String(await rows.count()), '5');
    const active = page.getByRole('row').filter({ hasText: '1234561/1/1' });
    expect(await active.innerText()).toMatch(/Active\s+never\s+node-\d+.*\s+8 GPUs, 16 cores, 64 GiB memory[\s\S]*1 of 4/);
    expect(await page.getByRole('row').filter({ hasText: '1234562/1/1' }).innerText()).toMatch(/Pending\s+in \d min/);
    expect(await page.getByRole('row').filter({ hasText: '1234563/1/1' }).innerText()).toContain('Not confirmed');
    expect(await page.getByRole('row').filter({ hasText: '1234564/1/1' }).innerText()).toContain('over-committed');
    await page.getByRole('link', { name: /^Over-committed/ }).click();
    await expectSoon(async () => String(await rows.count()), '2');
    await page.getByRole('link', { name: /^Active/ }).click();
    await expectSoon(() => active.innerText(), /lease-of-rita[\s\S]*2 GPUs, 4 cores[\s\S]*6 GPUs, 12 cores/);
    await page.getByRole('link', { name: /^All/ }).click();
    await page.getByLabel('Filter reservations').fill('phase:pending 1234562');
    await expectSoon(() => page.getByTestId('page-range').innerText(), /1 among 1–2|1 in all/);
    await page.getByLabel('Filter reservations').fill('this.owner = 1');
    await page.getByText('Use == to compare.').waitFor();
    await page.getByLabel('Filter reservations').fill('nobody');
    await page.getByText('No reservation matches').waitFor();
    expect(watched.problems).toEqual([]);
  });

  it('come a page at a time', async () => {
    for (let count = 0; count < 210; count += 1) {
      const order = { owner, dseq: BigInt(count), gseq: 2, oseq: 1 };
      reserving.book.setReservation(newReservation(order, { units: [] }, { units: [], ports: 0, ips: 0 }));
    }
    await page.goto(`${server.url}/reservations`);
    await expectSoon(() => page.getByTestId('page-range').innerText(), '1–200, and more');
    await page.getByRole('button', { name: 'next' }).click();
    await expectSoon(() => page.getByTestId('page-range').innerText(), /^201–\d+/);
    await page.getByRole('button', { name: 'previous' }).click();
    await expectSoon(() => page.getByTestId('page-range').innerText(), '1–200, and more');
  });

  it('have a page that says all of one, from which it is given back after a question', async () => {
    await page.goto(`${server.url}/reservations`);
    await page.getByRole('link', { name: '1234561/1/1' }).click();
    await panel('Plan').waitFor();
    expect(await panel('Promised').innerText()).toMatch(/nvidia\.com\/gpu\s+8\s+2\s+6/);
    expect(
      await panel('Plan')
        .getByRole('link', { name: /^node-/ })
        .count(),
    ).toBe(4);
    expect(await panel('Request').innerText()).toMatch(/2 × NVIDIA H100 SXM 80GB/);
    expect(await panel('Facts').innerText()).toContain('lease-of-rita');
    expect(await panel('Conditions').innerText()).toContain('what is promised is there');
    await page.getByRole('button', { name: 'Unreserve', exact: true }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.innerText()).toMatch(/6 GPUs, 12 cores, [\s\S]*can be promised to others at once[\s\S]*its 1 pod goes on running/);
    expect(await dialog.getByRole('button', { name: 'Unreserve' }).isDisabled()).toBe(true);
    await dialog.getByLabel(/^Type/).fill('1234561');
    await dialog.getByRole('button', { name: 'Unreserve' }).click();
    await page.getByText(/Unreserved .*1234561/).waitFor();
    // Rows stay where they are under the pointer.
    await page.mouse.move(0, 0);
    await expectSoon(async () => String(await page.getByRole('grid').getByRole('row').count()), '4');
    // It is asked for every few seconds: also in the moment between its end and the way back to the list.
    const isOfTheGivenBack = (problem: string): boolean => problem.includes('status of 404') && problem.includes(first);
    expect(watched.problems.filter((problem) => !isOfTheGivenBack(problem))).toEqual([]);
    await page.goto(server.url + first);
    await page.getByText('There is no reservation for').waitFor();
  });

  it('name those that share a place with more promised than there is', async () => {
    await page.goto(server.url);
    const needs = page.getByRole('region', { name: /^Needs a person/ });
    await needs.getByRole('link', { name: '1 reservation', exact: true }).click();
    await page.getByRole('link', { name: '1234564/1/1' }).click();
    await expectSoon(
      () => panel('Conditions').innerText(),
      /Over-committed\s+More is promised than there is: [\s\S]*Where\s+node node-\d+/,
    );
  });

  it('are given back only by those who may', async () => {
    reserving.readers.add(scriptedToken);
    await page.goto(server.url + first);
    const button = page.getByRole('button', { name: 'Unreserve', exact: true });
    await expectSoon(() => button.getAttribute('title'), 'is reader');
    expect(await button.isDisabled()).toBe(true);
  });

  it('are a part of every bar, and the parts add up', async () => {
    await page.goto(server.url);
    await expectSoon(() => bar('resource', 'gpu').innerText(), '8 reserved');
    for (const [kind, name] of [
      ['resource', 'gpu'],
      ['resource', 'cpu'],
      ['model', 'NVIDIA H100 SXM 80GB'],
    ] as const) {
      const text = (await bar(kind, name).innerText()).replaceAll('\u202f', '');
      const [sellable = 0, total = 0] = (/([\d.]+) of ([\d.]+) sellable/.exec(text) ?? []).slice(1).map(Number);
      const parts = [...text.matchAll(/([\d.]+) (?:allocated|reserved|held back|unknown)\b/g)].map(([, amount]) => Number(amount));
      expect(parts.reduce((sum, part) => sum + part, sellable)).toBe(total);
    }
    expect(await bar('resource', 'gpu').locator('.share-bar > *').nth(1).getAttribute('title')).toBe(
      '8 devices reserved: 2 devices pending, 6 devices active',
    );
    expect(await bar('class', 'beta3').innerText()).toMatch(/0\.8 TiB reserved/);
    expect(await panel('Ports and addresses').innerText()).toMatch(
      /External ports\s+2\u202f692 of 2\u202f768 sellable[\s\S]*Leased addresses\s+unknown\s+Nobody says now how many addresses are free/,
    );
    await page.goto(`${server.url}/nodes/node-00012`);
    await expectSoon(() => panel('Reservations').innerText(), /1234561\/1\/1/);
    await panel('Reservations').scrollIntoViewIfNeeded();
    expect(await screenFaults(page, 'node-reservations', isExamined)).toEqual([]);
    await page.goto(`${server.url}/nodes/node-00039`);
    await expectSoon(() => panel('Reservations').innerText(), 'Nothing of this node is reserved.');
    expect(watched.problems).toEqual([]);
  });

  it('are unknown, and not none, while the cluster service is away', async () => {
    await reserving.stop();
    await page.goto(server.url);
    await page.getByText('What is reserved is unknown').waitFor();
    await expectSoon(() => bar('resource', 'gpu').innerText(), /at most \d+ of 150 sellable[\s\S]*reserved unknown/);
    expect(await screenFaults(page, 'capacity-reserved-unknown', isExamined)).toEqual([]);
    await page.goto(`${server.url}/?fit=1&cpu=1&memory=1+GiB`);
    await expectSoon(() => panel('Will it fit?').innerText(), 'Not known: The cluster service has not answered since');
    await page.goto(`${server.url}/reservations`);
    await page.getByText('The cluster service has not answered since').waitFor();
    await reserving.start();
    await expectSoon(async () => String(await page.getByRole('grid', { name: 'Reservations' }).getByRole('row').count()), '5');
    await page.goto(server.url);
    await expectSoon(() => bar('resource', 'gpu').innerText(), '8 reserved');
  });

  it('say whether an order fits and where it goes, or why not and what would', async () => {
    await page.goto(server.url);
    await page.getByRole('button', { name: 'Will it fit?' }).click();
    const fit = panel('Will it fit?');
    await fit.getByLabel('GPUs', { exact: true }).fill('4');
    // What is missing is said by the service, beside the field.
    await fit.getByText(/is 0; it must be a whole number of millicores/).waitFor();
    await fit.getByLabel('Cores').fill('4');
    await fit.getByLabel('Memory').fill('8 GiB');
    await fit.getByLabel('GPU model').selectOption('NVIDIA H100 SXM 80GB');
    await expectSoon(() => fit.innerText(), /Yes: 1 replica on 1 node\.\s+node-\d+ 1 replica/);
    await fit.getByLabel('Replicas').fill('40');
    await expectSoon(() => fit.innerText(), /No: /);
    expect(await fit.innerText()).toContain('Why not, node by node');
    const fewer = fit.getByRole('button', { name: /replicas/ });
    await fewer.click();
    await expectSoon(() => fit.innerText(), /Yes: \d+ replicas on \d+ nodes\./);
    expect(Number(await fit.getByLabel('Replicas').inputValue())).toBeLessThan(40);
    await fit.getByLabel('Memory').fill('64');
    await fit.getByText('64 bytes: add a unit').waitFor();
    await fit.getByLabel('Memory').fill('lots');
    await fit.getByRole('alert').waitFor();
    await fit.getByLabel('Memory').fill('8 GiB');
    await expectSoon(() => fit.innerText(), /Yes: /);
    const address = page.url();
    await page.goto(address);
    await expectSoon(() => fit.getByLabel('Cores').inputValue(), '4');
    await expectSoon(() => fit.innerText(), /Yes: /);
    reserving.hear({ code: 'InventoryStale', message: 'the inventory has been silent for 40 s' });
    await expectSoon(() => fit.innerText(), 'Not known: Nothing can be promised now: the inventory has been silent for 40 s');
    expect(await screenFaults(page, 'fit-not-known', isExamined)).toEqual([]);
    await page.getByRole('button', { name: 'Will it fit?' }).click();
    await fit.waitFor({ state: 'detached' });
    expect(new URL(page.url()).search).toBe('');
    expect(watched.problems.filter((problem) => !/status of 400/.test(problem))).toEqual([]);
  });

  it(`look right ${everyScreen}, and ${examinedScreens} where something is wrong`, { timeout: 180_000 }, async () => {
    for (const [name, path] of Object.entries(reservationScreens)) {
      await page.goto(server.url + path);
      await page.getByText(/^live ·/).waitFor();
      await page.getByText('Loading').first().waitFor({ state: 'hidden' });
      await vi.waitFor(async () => expect(await main()).toMatch(path.includes('fit=') ? /Yes:|No[: ]/ : /reserv/i), { timeout: 20_000 });
      await page.locator('.fit-answer[aria-busy=true]').waitFor({ state: 'hidden' });
      expect(await screenFaults(page, name)).toEqual([]);
    }
    await page.goto(server.url + first);
    await page.getByRole('button', { name: 'Unreserve', exact: true }).click();
    await page.getByRole('dialog').waitFor();
    expect(await screenFaults(page, 'unreserve')).toEqual([]);
    expect(watched.problems).toEqual([]);
  });
});
