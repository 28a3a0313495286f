import { describe, expect, it } from 'vitest';
import { hasBrowser } from './browser.ts';
import { fillDatacenter } from './fulfilled-console.ts';
import { orderClusters } from './ordered-clusters.ts';
import { soon, useConsole } from './use-console.ts';

const timeout = 60_000;

describe.skipIf(!hasBrowser())('the pages of events and of the audit log', { timeout }, () => {
  const used = useConsole(async (console) => {
    await fillDatacenter(console);
    await orderClusters(console);
  });
  const { open } = used;
  const heading = (name: string) => used.page.getByRole('heading', { name, level: 1 });

  it('tell what happens as it happens, one line each, by kind and by object', async () => {
    const { console, page } = used;
    await open('/clusters');
    await console.call('PATCH', '/api/private/v1/clusters/acme-short', { metadata: { labels: { step: 'one' } } });
    await page.keyboard.type('ge');
    await heading('Events').waitFor();
    const first = page.getByRole('row').nth(1);
    await soon(async () => expect(await first.innerText()).toMatch(/changed\s+cluster\s+acme-short\s+version \d+/));
    await console.call('POST', '/api/private/v1/hosts', { id: 'passing', metadata: { name: 'passing' } });
    await soon(async () => expect(await first.innerText()).toMatch(/created\s+host\s+passing/));
    await console.call('DELETE', '/api/private/v1/hosts/passing');
    await soon(async () => expect(await first.innerText()).toMatch(/deleted\s+host\s+passing/));
    await page.getByRole('navigation', { name: 'Kinds' }).getByRole('link', { name: 'clusters' }).click();
    await soon(async () => expect(await first.innerText()).toContain('acme-short'));
    expect(new URL(page.url()).searchParams.get('kind')).toBe('clusters');
    await page.getByLabel('Filter events').fill('globex');
    await soon(async () => expect(await first.innerText()).toContain('globex-train'));
    expect(await page.getByText('acme-short').count()).toBe(0);
    expect(used.problems).toEqual([]);
  });

  it('show who did what, before and after, without secrets', async () => {
    const { console, page } = used;
    await console.call('POST', '/api/private/v1/hosts', { id: 'short-lived', metadata: { name: 'short-lived' } });
    await console.call('DELETE', '/api/private/v1/hosts/short-lived');
    // More than a page of entries, whichever tests ran before.
    for (let index = 0; index < 12; index += 1) {
      await console.call('PATCH', '/api/private/v1/hosts/host-02', { spec: { title: `title ${index}` } });
    }
    await console.call('PATCH', '/api/private/v1/hosts/host-01', { spec: { rack: 'r7', bmc: { password: 'canary-new' } } });
    await open('/audit');
    const entry = page.getByRole('row', { name: /cpu-01/ }).first();
    await soon(async () => expect(await entry.innerText()).toMatch(/admin\s+changed\s+host\s+cpu-01/));
    await entry.getByRole('button').click();
    const changes = page.locator('.change-table');
    await soon(async () => expect(await changes.innerText()).toMatch(/spec\.rack\s+r\d\s+r7/));
    expect(await changes.innerText()).toMatch(/spec\.bmc\.password\s+a secret\s+a secret/);
    expect(await page.content()).not.toContain('canary-new');
    await console.call('PATCH', '/api/private/v1/hosts/host-02', { spec: { title: 'meanwhile' } });
    await page.getByRole('button', { name: '1 change, press r' }).waitFor();
    expect(await page.getByRole('row').nth(1).innerText()).not.toContain('meanwhile');
    await page.keyboard.press('r');
    await soon(async () => expect(await page.getByRole('row').nth(1).innerText()).toContain('meanwhile'));
    await entry.getByRole('link', { name: 'cpu-01' }).click();
    await heading('cpu-01').waitFor();
    await open('/audit?kind=clusters&object=acme-ready');
    await soon(async () => expect(await page.getByRole('row').last().innerText()).toMatch(/created\s+cluster\s+acme-ready/));
    expect(await page.getByText('cpu-01').count()).toBe(0);
    await open('/audit');
    await page.getByLabel('Filter the audit log').fill('this.actr == "x"');
    await page.keyboard.press('Enter');
    await soon(async () => expect(await page.getByRole('alert').innerText()).toContain('actr'));
    await page.getByLabel('Filter the audit log').fill('this.actor == "nobody"');
    await page.keyboard.press('Enter');
    await page.getByText('No entry matches.').waitFor();
    await page.getByRole('button', { name: 'refused' }).click();
    await page.getByText('No entry matches.').waitFor();
    await page.getByRole('button', { name: 'deletions' }).click();
    await soon(async () => expect(await page.getByRole('row').nth(1).innerText()).toMatch(/deleted\s+host\s+short-lived/));
    await page.getByRole('button', { name: 'last hour' }).click();
    await page
      .getByRole('row', { name: /cpu-01/ })
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'last hour' }).click();
    await page.getByRole('button', { name: 'Show older entries' }).waitFor();
    const rows = await page.getByRole('row').count();
    await page.getByRole('button', { name: 'Show older entries' }).click();
    await soon(async () => expect(await page.getByRole('row').count()).toBeGreaterThan(rows));
  });
});
