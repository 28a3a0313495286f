import { describe, expect, it } from 'vitest';
import { times } from '../support/soak.ts';
import { accessibilityFaults, hasBrowser } from './browser.ts';
import { addHosts, fillDatacenter } from './fulfilled-console.ts';
import { soon, useConsole } from './use-console.ts';

const timeout = 60_000;

describe.skipIf(!hasBrowser())('the pages of hosts', { timeout }, () => {
  const used = useConsole(fillDatacenter);
  const { open, expectCount } = used;
  const filter = () => used.page.getByLabel('Filter hosts');

  it('filter and order by the API’s own language, keep both in the address, and show what the API says against a filter', async () => {
    const { page } = used;
    await open('/hosts');
    await expectCount('36 hosts');
    await filter().fill('this.spec.rack == "r1" && this.spec.class == "gpu"');
    await page.keyboard.press('Enter');
    await expectCount('3 hosts match');
    await page.getByRole('button', { name: 'Name' }).click();
    await soon(async () => expect(await page.getByRole('row').nth(1).innerText()).toContain('gpu-24'));
    const url = new URL(page.url());
    expect([url.searchParams.get('q'), url.searchParams.get('sort')]).toEqual([
      'this.spec.rack == "r1" && this.spec.class == "gpu"',
      '-name',
    ]);
    await page.reload();
    await expectCount('3 hosts match');
    expect(await page.getByRole('row').nth(1).innerText()).toContain('gpu-24');

    await filter().fill('this.spec.rak == "r1"');
    await page.keyboard.press('Enter');
    await soon(async () => expect(await page.getByRole('alert').innerText()).toMatch(/rak/));
    expect(await filter().getAttribute('aria-invalid')).toBe('true');
    expect(await page.getByRole('row').nth(1).innerText()).toContain('gpu-24');
    await expectCount(
      '3 hosts match in the last good result, for this.spec.rack == "r1" && this.spec.class == "gpu": the filter above is not applied',
    );
    await filter().fill('this.spec.rack = "r1"');
    await page.keyboard.press('Enter');
    await soon(async () => expect(await page.getByRole('alert').innerText()).toMatch(/use == to compare/i));
    for (const [typed, count] of [
      ['rack:r1 class:h100', '3 hosts match'],
      ['GPU-24', '1 host matches'],
      ['state:failed', '1 host matches'],
    ] as const) {
      await filter().fill(typed);
      await expectCount(count);
    }
    await filter().fill('rak:r1');
    await page.getByText('There is no key rak, so it is searched for as text.').waitFor();
    await expectCount('0 hosts match');
    await page.getByRole('button', { name: 'Close' }).waitFor({ state: 'detached' });
    await filter().fill('');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'failed' }).click();
    await expectCount('1 host matches');
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Hosts 1 needs attention' }).waitFor();
    await page.getByRole('link', { name: 'cpu-07' }).click();
    await page.getByText('PowerSupply: both power supplies are dark').waitFor();
  });

  it('make, change and delete a host, with the API’s word beside each field', async () => {
    const { console, page } = used;
    await open('/hosts');
    await page.getByRole('button', { name: 'New host' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Not A Name');
    await page.getByLabel('Boot MAC').fill('xyz');
    await page.getByLabel('Boot IP').focus();
    const nameProblem = page.locator('.form-field', { hasText: 'Name' }).first().getByRole('alert');
    await soon(async () => expect(await nameProblem.innerText()).toMatch(/a-z|lower/));
    await soon(async () =>
      expect(await page.locator('.form-field', { hasText: 'Boot MAC' }).getByRole('alert').innerText()).toContain('must be a MAC address'),
    );
    expect(await page.getByLabel('Boot MAC').getAttribute('aria-invalid')).toBe('true');
    expect(await page.locator('.form-field', { hasText: 'BMC address' }).getByRole('alert').count()).toBe(0);
    await page.getByRole('button', { name: 'Create host' }).click();
    await page.getByLabel('Name', { exact: true }).fill('by-hand');
    await page.getByLabel('Boot MAC').fill('52:54:00:AA:BB:CC');
    await page.getByLabel('Rack', { exact: true }).fill('r9');
    await page.getByLabel('BMC address').fill('redfish+https://10.1.1.1');
    await page.getByLabel('BMC password').fill('typed-canary');
    await page.getByRole('button', { name: 'Create host' }).click();
    await page.getByRole('heading', { name: 'by-hand', level: 1 }).waitFor();
    await page.getByText('52:54:00:aa:bb:cc').first().waitFor();
    await page.getByText('set, not shown').waitFor();
    const id = decodeURIComponent(new URL(page.url()).pathname.split('/').at(-1) ?? '');
    const history = page.getByRole('region', { name: 'History' });
    await soon(async () => expect(await history.innerText()).toMatch(/created by console/));

    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Title').fill('A spare one');
    await page.getByLabel('Rack', { exact: true }).fill('');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('no rack known').waitFor();
    await soon(async () => expect(await history.innerText()).toMatch(/spec\.rack\s+"r9"/));
    const stored = await console.call<{ spec: Record<string, unknown> }>('GET', `/api/private/v1/hosts/${id}?reveal=true`);
    expect(stored.spec).toMatchObject({
      title: 'A spare one',
      rack: '',
      bmc: { url: 'redfish+https://10.1.1.1', password: 'typed-canary' },
    });
    expect(await page.content()).not.toContain('typed-canary');

    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete host' }).click();
    await expectCount('36 hosts');
    // An event about the host may have it read again in the moment between its end and the way back to the list.
    const isOfTheDeleted = (problem: string): boolean => problem.includes('status of 404') && problem.includes(`/hosts/${id})`);
    expect(used.problems.filter((problem) => !/status of 400/.test(problem) && !isOfTheDeleted(problem))).toEqual([]);
  });

  it('do not offer to delete a host that a cluster has, and say what to do first', async () => {
    const { page } = used;
    await open('/hosts/host-00');
    const button = page.getByRole('button', { name: 'Delete' });
    await page
      .getByText('Delete: it belongs to the cluster acme-train. Release it first. Run: quartermaster release acme-train --host gpu-00')
      .waitFor();
    expect(await button.isDisabled()).toBe(true);
    await open('/hosts/host-01');
    await soon(async () => expect(await button.isEnabled()).toBe(true));
  });

  it('ask before a filled form is discarded, mark what is required, and tell what was done', async () => {
    const { page } = used;
    await open('/clusters');
    await page.getByRole('button', { name: 'Order a cluster' }).click();
    expect(await page.getByLabel('Template').getAttribute('aria-required')).toBe('true');
    await page.getByText('Fields marked with * are required.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await open('/hosts/host-02');
    await soon(async () => expect(await page.title()).toBe('cpu-02 · Hosts · Quartermaster'));
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Title').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Title').fill('Kept');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Keep editing' }).click();
    expect(await page.getByLabel('Title').inputValue()).toBe('Kept');
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved the host cpu-02.').waitFor();
    expect(await page.getByRole('time').first().getAttribute('title')).toMatch(/UTC$/);
    await page.keyboard.type('gh');
    await soon(async () => expect(await page.title()).toBe('Hosts · Quartermaster'));
    await expectCount('36 hosts');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await soon(async () => expect(await page.getByRole('row', { selected: true }).innerText()).toContain('cpu-02'));
  });

  it('refuse to overwrite what somebody else changed meanwhile', async () => {
    const { console, page } = used;
    await open('/hosts/host-03');
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Title').fill('mine');
    await console.call('PATCH', '/api/private/v1/hosts/host-03', { spec: { title: 'theirs' } });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Somebody else changed the object in the meantime').waitFor();
    expect(await console.call('GET', '/api/private/v1/hosts/host-03')).toMatchObject({ spec: { title: 'theirs' } });
  });

  it('show changes of others without a reload, where they stand while the pointer is over them', async () => {
    const { console, page } = used;
    await open('/hosts?q=this.spec.rack == "r2"');
    await expectCount('12 hosts match');
    await page.evaluate('window.wasNotReloaded = true');
    await console.call('PATCH', '/api/private/v1/hosts/host-10', { status: { state: 'HOST_STATE_FAILED' } });
    await soon(async () => expect(await page.getByRole('row', { name: /cpu-10/ }).innerText()).toContain('Failed'));
    await page.getByRole('row', { name: /cpu-10/ }).hover();
    await console.call('POST', '/api/private/v1/hosts', { id: 'live', metadata: { name: 'a-live-one' }, spec: { rack: 'r2' } });
    await page.getByRole('button', { name: '1 change, press r' }).waitFor();
    expect(await page.getByRole('link', { name: 'a-live-one' }).count()).toBe(0);
    await page.keyboard.press('r');
    await page.getByRole('link', { name: 'a-live-one' }).waitFor();
    await console.call('DELETE', '/api/private/v1/hosts/live');
    await page.mouse.move(5, 5);
    await expectCount('12 hosts match');
    expect(await page.evaluate('window.wasNotReloaded')).toBe(true);
  });

  it('stay as they were, and say since when, while the service is away', async () => {
    const { console, page } = used;
    await page.clock.install();
    await open('/hosts');
    await expectCount('36 hosts');
    console.setReachable(false);
    try {
      await soon(async () => expect(await page.getByTestId('truth').innerText()).toMatch(/^reconnecting/));
      await page.clock.fastForward(31_000);
      await soon(async () => expect(await page.getByTestId('truth').innerText()).toMatch(/^stale · last confirmed/));
      await soon(async () =>
        expect(await page.getByRole('status').innerText()).toMatch(/fulfillment service has not answered for .*, since \d\d:\d\d/),
      );
      expect(await page.getByRole('row').count()).toBeGreaterThan(20);
    } finally {
      console.setReachable(true);
    }
    await page.clock.fastForward(15_000);
    await soon(async () => expect(await page.getByTestId('truth').innerText()).toMatch(/^live/));
  });

  it('are linked with the node that runs on the same machine, by the same chain from both ends', async () => {
    const { console, page } = used;
    await console.call('PATCH', '/api/private/v1/hosts/host-00', {
      spec: { serial: 'S44711' },
      metadata: { labels: { 'quartermaster.dev/node': 'node-00004' } },
    });
    const chain = page.getByRole('navigation', { name: 'Chain' });
    const links = async () => Promise.all((await chain.getByRole('link').all()).map((link) => link.getAttribute('href')));
    await open('/hosts/host-00');
    await soon(async () =>
      expect(await chain.innerText()).toMatch(/r1\s+→\s+gpu-00\s+In use\s+→\s+acme-train\s+\S.*→\s+node-00004\s+Sellable/s),
    );
    const fromHost = await links();
    console.source.setNode('node-00004', { isReady: false, state: 'NotReady: kubelet stopped posting node status' });
    await soon(async () => expect(await chain.innerText()).toContain('Unknown: silent'));
    await chain.getByRole('link', { name: 'node-00004' }).click();
    await page.getByRole('heading', { name: 'node-00004' }).waitFor();
    await chain.getByRole('link', { name: 'gpu-00' }).waitFor();
    await soon(async () => expect(await chain.innerText()).toContain('acme-train'));
    expect(await links()).toEqual([fromHost[0], '/hosts/host-00', fromHost[1]]);
    expect(fromHost).toEqual(['/racks?rack=r1', '/clusters/acme-train', '/nodes/node-00004']);
    await chain.getByRole('link', { name: 'acme-train' }).click();
    await page.getByRole('heading', { name: 'acme-train' }).waitFor();
    await soon(async () => expect(await chain.innerText()).toMatch(/3 hosts\s+→\s+acme-train\s+.*→\s+1 node\s+1 unknown/s));
    console.source.setNode('node-00004', { isReady: true, state: 'Ready' });
    await open('/nodes/node-00006');
    await soon(async () => expect(await chain.innerText()).toContain('no host with its serial number'));
  });

  it('draw racks from the front', async () => {
    const { page } = used;
    await open('/racks');
    await soon(async () => expect(await page.getByTestId('rack-count').innerText()).toBe('3 racks'));
    const rack = page.getByRole('region', { name: 'Rack r2' });
    expect(await rack.getByRole('link').count()).toBe(13);
    const taken = rack.getByRole('link', { name: 'gpu-04' });
    expect(await taken.getAttribute('title')).toMatch(/^r2, units 2 to 9 → gpu-04 → cluster acme-train/);
    const [high, low] = [await taken.boundingBox(), await rack.getByRole('link', { name: 'cpu-07' }).boundingBox()];
    expect((high?.height ?? 0) / (low?.height ?? 1)).toBeGreaterThan(7);
    expect(low?.y ?? 0).toBeLessThan(high?.y ?? 0);
    await taken.click();
    await page.getByRole('heading', { name: 'gpu-04' }).waitFor();
    await page.getByRole('navigation', { name: 'Chain' }).getByRole('link', { name: 'r2' }).click();
    await soon(async () => expect(await page.getByTestId('rack-count').innerText()).toBe('1 rack'));
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  it('are found by name, serial number, MAC and IP, with racks, classes, templates and tenants, and say where it looked', async () => {
    const { page } = used;
    await open('/');
    const searchField = page.getByLabel('Search by name');
    const results = page.getByRole('listbox', { name: 'Search results' });
    for (const [typed, found] of [
      ['gpu-0', 'gpu-08'],
      ['SN-1007', 'cpu-07'],
      ['52:54:00:00:00:0A', 'cpu-10'],
      ['acme', 'acme-train'],
      ['525400-00000A', 'cpu-10'],
      ['n-1007', 'cpu-07'],
      ['10.9.0.17', 'cpu-07'],
      ['r2', 'rack r2'],
      ['training', 'template training'],
      ['general', 'host class cpu-general'],
      ['globex', 'tenant globex'],
    ] as const) {
      await searchField.fill(typed);
      await results.getByRole('option', { name: found }).waitFor();
    }
    await searchField.fill('nothing-like-it');
    await page.getByText('No match for “nothing-like-it” in names, serials, MACs, IPs or UUIDs.').waitFor();
    await page.getByText(/^Searched: nodes, .*hosts, host classes, clusters, templates, hubs, host pools, racks, tenants\.$/).waitFor();
    await searchField.fill('globex');
    await results.getByRole('option', { name: 'tenant globex' }).click();
    await expectCount('1 cluster matches');
    await searchField.fill('SN-1007');
    await soon(async () => expect(await results.getByRole('option').allInnerTexts()).toEqual([expect.stringContaining('cpu-07')]));
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'cpu-07', level: 1 }).waitFor();
  });

  it('say what is wrong with a token', async () => {
    const { page } = used;
    await open('/hosts');
    await page.getByRole('button', { name: 'provider' }).click();
    await page.getByLabel('Token').fill('not-a-token');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await soon(async () => expect(await page.getByRole('alert').innerText()).toContain('does not take the token'));
  });

  const many = times(20_000, 100_000);
  it(`scroll through ${many} hosts`, { timeout: 120_000 }, async () => {
    const { console, page } = used;
    const named = (number: number): string => `zz-${String(number).padStart(6, '0')}`;
    const all = `${many / 1000}\u202f036 hosts`;
    await addHosts(console, many);
    await open('/hosts');
    await expectCount(all);
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/hosts?')) asked.push(request.url());
    });
    const grid = page.getByRole('grid', { name: 'Hosts' });
    await grid.focus();
    await page.keyboard.press('End');
    await page.getByRole('link', { name: named(many) }).waitFor();
    expect(asked.length).toBeLessThan(6);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: named(many) }).waitFor();
    await page.goBack();
    await expectCount(all);
    const half = many / 2;
    await page.evaluate(`document.querySelector('[role=grid]').scrollTo({ top: ${half * 32} })`);
    // Those that are not copies stand before them.
    await page.getByRole('link', { name: named(half - 30) }).waitFor();
    expect(await page.getByRole('row').count()).toBeLessThan(80);
    const one = named(many - 2_223);
    await filter().fill(`this.metadata.name == "${one}"`);
    await page.keyboard.press('Enter');
    await expectCount('1 host matches');
    await page.getByRole('link', { name: one }).waitFor();
  });
});
