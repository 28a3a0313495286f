import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { hasBrowser, launchBrowser, openPage, type WatchedPage } from './browser.ts';
import { type PodCluster, startPodCluster } from './pod-cluster.ts';
import { type ScriptedConsole, signIn, startScriptedConsole } from './scripted-console.ts';
import type { ScriptedInventory } from './scripted-inventory.ts';
import { farm, ScriptedSource } from './scripted-source.ts';

/** The pages of the inventory: what is left to sell, the map of nodes, a node, storage. */
describe.skipIf(!hasBrowser())('the pages of the inventory in a browser', () => {
  let browser: Browser;
  let cluster: PodCluster;
  let source: ScriptedSource;
  let inventory: ScriptedInventory;
  let server: ScriptedConsole;
  let watched: WatchedPage;
  let page: Page;
  let stopConfirming: () => void;

  beforeAll(async () => {
    [browser, cluster] = await Promise.all([launchBrowser(), startPodCluster()]);
  });
  afterAll(async () => {
    await browser.close();
    await cluster.stop();
  });

  beforeEach(async () => {
    source = new ScriptedSource(farm({ nodeCount: 40 }));
    ({ inventory } = source);
    stopConfirming = source.keepConfirming();
    server = await startScriptedConsole(source, { kubeconfig: cluster.kubeconfig });
    watched = await openPage(browser);
    page = watched.page;
    await signIn(page, server.url);
  });
  afterEach(async () => {
    stopConfirming();
    await watched.close();
    await server.stop();
  });

  const expectSoon = (read: () => Promise<string | null>, expected: string | RegExp) =>
    vi.waitFor(async () => expect(await read()).toMatch(expected), { timeout: 20_000, interval: 50 });
  const main = () => page.getByRole('main').innerText();
  const bar = (kind: string, name: string) => page.getByTestId(`bar-${kind}-${name}`).innerText();

  it('opens with what is left to sell, and why it is not more', async () => {
    await page.goto(server.url);
    await expectSoon(() => bar('resource', 'gpu'), '62 of 150 sellable');
    expect(await bar('resource', 'gpu')).toMatch(
      /71 allocated\s+9 held back: 4 on 1 cordoned node, 3 on 1 node with disk pressure, 2 in quarantine/,
    );
    expect(await bar('resource', 'gpu')).toContain('8 unknown: on 1 silent node');
    expect(await bar('resource', 'memory')).toContain('13 of 30 TiB sellable');
    expect(await bar('model', 'NVIDIA L40S')).toContain('10 of 20 sellable');
    expect(await bar('class', 'old-nfs')).toMatch(/unknown\s+no querier/);
    expect(watched.problems).toEqual([]);
  });

  it('moves its numbers without a reload', async () => {
    await page.goto(server.url);
    await expectSoon(() => bar('resource', 'gpu'), '62 of 150 sellable');
    await page.evaluate('window.wasNotReloaded = true');
    inventory.lines = inventory.lines.map((line) =>
      line.name === 'gpu' ? { ...line, division: { ...line.division, allocated: 73, sellable: 60 } } : line,
    );
    source.setCluster(() => ({}));
    await expectSoon(() => bar('resource', 'gpu'), /60 of 150 sellable\s+73 allocated/);
    expect(await page.evaluate('window.wasNotReloaded')).toBe(true);
  });

  it('names the objects that could not be read, with why, and counts those that it does not name', async () => {
    await page.goto(server.url);
    await expectSoon(() => bar('resource', 'gpu'), '62 of 150 sellable');
    expect(await main()).not.toContain('could not be read');
    const named = [{ name: 'node-00007', reason: 'spec.gpus is not a list' }];
    inventory.leftOut = [
      { source: 'hardware', count: 3, named },
      { source: 'pods', count: 1, named: [{ name: 'tenant-b/odd', reason: 'spec.containers[0].name is not a text' }] },
    ];
    source.setCluster(() => ({}));
    const items = page.getByRole('note').filter({ hasText: 'could not be read' }).getByRole('listitem');
    await items.nth(2).waitFor();
    expect(await items.allInnerTexts()).toEqual([
      'hardware node-00007 (spec.gpus is not a list)',
      '2 more of hardware',
      'pods tenant-b/odd (spec.containers[0].name is not a text)',
    ]);
    inventory.leftOut = [];
    source.setCluster(() => ({}));
    await items.first().waitFor({ state: 'detached' });
    expect(watched.problems).toEqual([]);
  });

  it('leads from a reason to the nodes behind it', async () => {
    await page.goto(server.url);
    await page.getByTestId('bar-resource-gpu').getByRole('link', { name: '4 on 1 cordoned node' }).click();
    await expectSoon(() => page.getByTestId('node-count').innerText(), '1 of 40');
    await page.getByRole('link', { name: 'node-00013' }).waitFor();
  });

  it('lists what needs a person, what holds back most first, and leads to the explanation', async () => {
    await page.goto(server.url);
    const needs = page.getByRole('region', { name: 'Needs a person (4)' });
    await needs.getByText('silent for 4 min').waitFor();
    const text = await needs.innerText();
    const order = ['node-00008', 'node-00022', 'GPU-00000004', 'old-nfs'].map((name) => text.indexOf(name));
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(text).toContain('8 GPUs, 96 cores unknown');
    await needs.getByRole('link', { name: 'Explain node-00022' }).click();
    const why = page.getByRole('region', { name: 'Why is it not sellable?' });
    await expectSoon(() => why.innerText(), /not ready for 4 min[\s\S]*disk pressure/);
  });

  it('groups what needs a person, keeps what was acknowledged apart until its end, and copies the remedy', async () => {
    await page.clock.install();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto(server.url);
    const needs = page.getByRole('region', { name: /^Needs a person/ });
    await needs.getByRole('button', { name: 'Copy remedy for node-00008' }).click();
    await needs.getByText('copied', { exact: true }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('kubectl describe node node-00008');
    await needs.getByRole('button', { name: 'Acknowledge node-00008' }).click();
    await needs.getByLabel('Reason').fill('the machine is being repaired');
    await needs.getByLabel('For', { exact: true }).selectOption('1 hour');
    await needs.getByRole('button', { name: 'Acknowledge in this browser' }).click();
    await page.getByRole('heading', { name: 'Needs a person (3)' }).waitFor();
    await page.reload();
    await needs.getByText('1 acknowledged in this browser').click();
    await needs.getByText('Acknowledged: the machine is being repaired. Returns in 59 min.').waitFor();
    await needs.getByRole('button', { name: 'group by reason' }).click();
    await needs.getByText('Disk pressure: 1 node → 3 GPUs, 61.5 cores held back').waitFor();
    expect(new URL(page.url()).searchParams.get('needs')).toBe('grouped');
    await needs.getByRole('button', { name: 'Undo for node-00008' }).click();
    await page.getByRole('heading', { name: 'Needs a person (4)' }).waitFor();
    await needs.getByText('Silent: 1 node → 8 GPUs, 96 cores unknown').waitFor();
  });

  it('says what the inventory does not hear, and since when', async () => {
    inventory.stale = [{ source: 'pods', since: Date.now() - 65_000, reason: 'connection refused' }];
    await page.goto(server.url);
    await page.getByText('pods: silent for 1 min').waitFor();
    expect(await bar('resource', 'gpu')).toContain('62 of 150 sellable');
  });

  it('waits for an inventory that has not been read rather than show zeros', async () => {
    stopConfirming();
    const { installation, parts } = source.current();
    source.set({ installation, parts });
    for (const path of ['', '/storage']) {
      await page.goto(server.url + path);
      await page.getByText('The cluster has not been read yet').waitFor();
    }
    await page.goto(`${server.url}/nodes/node-00004`);
    await expectSoon(main, 'The cluster has not been read yet');
  });

  it('has no place for reservations without a cluster service', async () => {
    await page.goto(`${server.url}/?fit=1&cpu=1`);
    await expectSoon(() => bar('resource', 'gpu'), '62 of 150 sellable');
    const text = await page.locator('body').innerText();
    expect(text).not.toMatch(/reservation|reserved(?! by)|Will it fit/i);
    await page.goto(`${server.url}/reservations`);
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
    expect(watched.problems).toEqual([]);
  });

  it('completes the filter of nodes from what nodes have', async () => {
    await page.goto(`${server.url}/nodes`);
    const filter = page.getByLabel('Filter nodes');
    await filter.focus();
    await page.keyboard.type('why');
    await page.getByRole('option').filter({ hasText: 'why:' }).waitFor();
    await page.keyboard.press('Tab');
    await page.getByRole('option').filter({ hasText: 'Cordoned' }).click();
    expect(await filter.inputValue()).toBe('why:"Cordoned" ');
    await expectSoon(() => page.getByTestId('node-count').innerText(), '1 of 40');
  });

  it('draws the last hour, with the values under the pointer', async () => {
    await page.goto(server.url);
    const plot = page.getByRole('figure').filter({ hasText: 'CPU cores' });
    await expectSoon(() => plot.innerText(), /now\s+1.812/);
    await plot.locator('.u-over').hover({ position: { x: 90, y: 60 } });
    await expectSoon(() => plot.innerText(), /\d\d:\d\d:\d\d/);
  });

  it('shows a node in full: cards with health and holder, what each pod takes, the machine', async () => {
    await page.goto(`${server.url}/nodes/node-00004`);
    const cards = page.getByRole('region', { name: 'GPUs' });
    await expectSoon(() => cards.innerText(), 'XID 79: the card has fallen off the bus.');
    expect(await cards.getByRole('listitem').count()).toBe(8);
    expect(await cards.getByRole('link', { name: 'tenant-b/training-7d9c5b6f4-xxxx4' }).count()).toBe(2);
    const pods = page.getByRole('grid', { name: 'Pods' });
    await expectSoon(() => pods.innerText(), /12\.5\s+64 GiB\s+2 nvidia\.com\/gpu/);
    expect(await main()).toMatch(/ens1f0np0\s+0c:42:a1:5e:11:f0\s+mlx5_core, RDMA mlx5_0\s+200 Gbit\/s/);
    expect(await main()).toContain('12 × 64 GiB');
    expect(await page.getByRole('region', { name: 'Why is it sellable?' }).innerText()).not.toContain('Its kubelet reports Ready');
    await page.keyboard.press('e');
    await expectSoon(() => page.getByRole('region', { name: 'Why is it sellable?' }).innerText(), 'Its kubelet reports Ready');
    expect(watched.problems).toEqual([]);
  });

  it('says of a node alone that it is silent, and since when', async () => {
    await page.goto(`${server.url}/nodes/node-00008`);
    await expectSoon(main, /kubelet: silent for 4 min \(the kubelet does not report\)/);
    await page.goto(`${server.url}/nodes/node-00004`);
    await expectSoon(main, '12 × 64 GiB');
    expect(await main()).not.toContain('kubelet: silent');
  });

  it('fills the map, the table, the cards and the totals by one rule', async () => {
    await page.goto(`${server.url}/nodes`);
    const cell = (name: string) => page.locator(`[data-node="${name}"].heat-cell`);
    await expectSoon(() => cell('node-00008').getAttribute('title'), /: Unknown: silent, GPUs 100 % unknown$/);
    expect(await cell('node-00008').getAttribute('class')).toBe('heat-cell fill-unknown');
    expect(await cell('node-00008').locator('span').count()).toBe(0);
    expect(await page.getByRole('row', { name: 'node-00008' }).innerText()).toContain('? of 8');
    expect(await cell('node-00004').getAttribute('title')).toMatch(/GPUs 13 % allocated, 75 % sellable, 12 % held back$/);
    expect(await page.getByRole('row', { name: 'node-00004' }).innerText()).toContain('6 of 8');
    await page.goto(`${server.url}/nodes/node-00004`);
    const cards = page.getByRole('region', { name: 'GPUs' });
    await expectSoon(() => cards.innerText(), 'In quarantine');
    expect(await cards.locator('.gpu-edge.fill-held').count()).toBe(1);
    await expectSoon(() => bar('model', 'NVIDIA H100 SXM 80GB'), /3 of 8 sellable\s+4 allocated\s+1 held back: in quarantine/);
    await page.goto(`${server.url}/nodes/node-00008`);
    await expectSoon(() => bar('resource', 'cpu'), /0 of 96 sellable\s+96 unknown: silent\s+41\.3 allocated when last known/);
    await page.goto(`${server.url}/overview`);
    await expectSoon(() => bar('resource', 'gpu'), '62 of 150 sellable');
  });

  it('has one age for one silence', async () => {
    await page.goto(`${server.url}/nodes/node-00008`);
    await expectSoon(main, /kubelet: silent for 4 min/);
    const ages = [...(await main()).matchAll(/(?:silent|heartbeat)[^\n]*? (\d+ (?:s|min|h))/g)].map(([, age]) => age);
    expect(ages.length).toBeGreaterThan(1);
    expect(new Set(ages)).toEqual(new Set(['4 min']));
    await page.goto(`${server.url}/nodes`);
    await expectSoon(() => page.getByRole('row', { name: 'node-00008' }).innerText(), 'missing');
  });

  it('shows sums that add up, the same on every page, and a reason for everything held back', async () => {
    await page.goto(server.url);
    await expectSoon(() => bar('resource', 'gpu'), '62 of 150 sellable');
    for (const name of ['gpu', 'cpu', 'memory', 'disk']) {
      const text = (await bar('resource', name)).replaceAll('\u202f', '');
      const [, sellable = '', total = ''] = /([\d.]+) of ([\d.]+)/.exec(text) ?? [];
      const rest = [...text.matchAll(/([\d.]+)(?: TiB)? (?:allocated|held back|unknown)/g)].map(([, amount]) => Number(amount));
      expect(rest.reduce((sum, amount) => sum + amount, Number(sellable))).toBeCloseTo(Number(total), 5);
    }
    expect(await bar('resource', 'disk')).toContain('4 TiB held back: 3 TiB on 4 tainted nodes, 1 TiB without a reported reason');
    const held = '6 TiB held back: backend unhealthy';
    expect(await bar('class', 'longhorn')).toContain(held);
    await page.goto(`${server.url}/storage`);
    await expectSoon(() => page.getByRole('region', { name: 'longhorn' }).innerText(), held);
  });

  it('shows an error for a filter that makes no sense, and the last good result marked as such', async () => {
    await page.goto(`${server.url}/nodes`);
    const filter = page.getByLabel('Filter nodes');
    const count = () => page.getByTestId('node-count').innerText();
    await filter.fill('sale:unknown');
    await expectSoon(count, '1 of 40');
    await filter.fill('this.rack = "rack-1"');
    await page.getByRole('alert').getByText('Use == to compare.').waitFor();
    expect(await count()).toBe('1 of 40 in the last good result, for sale:unknown: the filter above is not applied');
    await filter.fill('this.rack == "rack-1" && this.sale != "sellable"');
    await expectSoon(count, /^1 of 40$/);
    await filter.fill('rak:rack-1');
    await page.getByText('There is no key rak, so it is searched for as text. Keys: name, state, rack').waitFor();
  });

  it('shows each storage class with what is promised, or why it is not offered', async () => {
    await page.goto(server.url);
    await expectSoon(() => bar('resource', 'gpu'), '62 of 150 sellable');
    await page.keyboard.type('gs');
    await expectSoon(
      () => page.getByRole('region', { name: 'beta3' }).innerText(),
      /24 of 42 TiB sellable[\s\S]*Replicas\s+3[\s\S]*over-committed by 9 TiB/,
    );
    expect(await page.getByRole('region', { name: 'longhorn' }).innerText()).toMatch(/not offered[\s\S]*BackendUnhealthy/);
    expect(await page.getByRole('region', { name: 'old-nfs' }).innerText()).toContain('size unknown');
    expect(await page.getByRole('region', { name: 'local-path' }).innerText()).toContain('and 34 with less space left');
  });

  it('names the holder of each part of a card that is cut up', async () => {
    await page.goto(`${server.url}/nodes/node-00012`);
    const cut = page.locator('.gpu-box', { hasText: 'in parts, 1 of 2 allocated' });
    await expectSoon(() => cut.innerText(), /1g\.10gb: tenant-c\/notebook-0[\s\S]*2g\.20gb: no holder known/);
    expect(await cut.getByRole('link', { name: 'tenant-c/notebook-0' }).count()).toBe(1);
  });

  it('finds a card by its UUID and a class by its name', async () => {
    await page.goto(server.url);
    await expectSoon(() => bar('resource', 'gpu'), '62 of 150 sellable');
    await page.keyboard.press('/');
    await page.keyboard.type('gpu-00000004-7c1e-4f0a-9d52-000000000002');
    await page.getByRole('option', { name: 'GPU-00000004' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'node-00004', level: 1 }).waitFor();
    await expectSoon(() => page.locator('.gpu-box[aria-current]').innerText(), 'In quarantine');
    expect(await page.locator('.gpu-box[aria-current]').innerText()).toContain(
      'hopper · compute 9.0 · 18 NVLinks, group 0 · NUMA 0 · MIG off: 1g.10gb 7g.80gb',
    );
    expect(await page.getByRole('region', { name: 'GPUs' }).innerText()).toContain('NVLink domain fabric-1.7');
    const machine = await page.getByRole('region', { name: 'Machine' }).innerText();
    expect(machine).toMatch(/Architecture\s+amd64[\s\S]*Memory\s+768 GiB[\s\S]*could not read\s+\/sys\/class\/dmi\/id\/product_serial/);
    await page.keyboard.press('/');
    await page.keyboard.type('longho');
    await page.getByRole('option', { name: 'longhorn' }).click();
    await expectSoon(() => page.locator('.card[aria-current]').innerText(), 'longhorn');
  });

  it('maps 5 000 nodes by rack, coloured by what is chosen, and scrolls the table below', { timeout: 60_000 }, async () => {
    stopConfirming();
    source.set(farm({ nodeCount: 5_000 }));
    stopConfirming = source.keepConfirming();
    await page.goto(`${server.url}/nodes`);
    await expectSoon(() => page.getByTestId('node-count').innerText(), '5\u202f000 nodes');
    await vi.waitFor(async () => expect(await page.locator('.heat-cell').count()).toBe(5_000), { timeout: 20_000 });
    expect(await page.locator('.heat-rack').count()).toBe(250);
    expect(await page.locator('[data-node="node-00008"].heat-cell').getAttribute('class')).toContain('fill-unknown');
    await page.getByRole('button', { name: 'memory', exact: true }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get('by')).toBe('memory');
    await expectSoon(
      () => page.locator('[data-node="node-00001"].heat-cell').getAttribute('title'),
      'memory 13 % allocated, 86 % sellable, 1 % held back',
    );

    await page.evaluate(`document.querySelector('[role=grid]').scrollTo({ top: 5_000 * 32 })`);
    await page.getByRole('row', { name: 'node-04999' }).waitFor();
    expect(await page.getByRole('row').count()).toBeLessThan(80);

    await page.getByLabel('Filter nodes').fill('sale:unknown gpu:h100');
    await expectSoon(() => page.getByTestId('node-count').innerText(), '125 of 5\u202f000');
    await vi.waitFor(async () => expect(await page.locator('.heat-cell').count()).toBe(125), { timeout: 20_000 });
    await page.locator('[data-node="node-00048"].heat-cell').click();
    await page.getByRole('heading', { name: 'node-00048', level: 1 }).waitFor();
    expect(watched.problems).toEqual([]);
  });

  it('keeps its figures when the cluster falls silent, and says since when', async () => {
    stopConfirming();
    await page.goto(server.url);
    await expectSoon(() => bar('resource', 'gpu'), '62 of 150 sellable');
    const { cluster: known, ...rest } = source.current();
    if (known === undefined) throw new Error('the farm has a cluster');
    source.set({ ...rest, cluster: { ...known, observedAt: Date.now() - 95_000 } });
    await expectSoon(() => page.getByRole('status').innerText(), /the cluster has not confirmed this for 1 min, since \d\d:\d\d:\d\d/);
    expect(await bar('resource', 'gpu')).toContain('62 of 150 sellable');
    await expectSoon(() => page.getByRole('region', { name: 'Total' }).innerText(), 'last known');
  });
});
