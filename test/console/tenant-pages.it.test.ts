import type { Request } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { hasBrowser } from './browser.ts';
import { fillDatacenter } from './fulfilled-console.ts';
import { orderClusters } from './ordered-clusters.ts';
import { soon, useConsole } from './use-console.ts';

const timeout = 60_000;

describe.skipIf(!hasBrowser())('the pages of a tenant', { timeout }, () => {
  const used = useConsole(fillDatacenter);
  const { open, expectCount } = used;
  const region = (name: string) => used.page.getByRole('region', { name });
  const expectRegion = (name: string, text: string | RegExp) => soon(async () => expect(await region(name).innerText()).toMatch(text));
  const heading = (name: string) => used.page.getByRole('heading', { name, level: 1 });

  it('show a tenant its own hosts, and nothing of the provider in the page or in what it asks for', async () => {
    const { console, page } = used;
    const asked: Request[] = [];
    const bodies: Promise<string>[] = [];
    await open('/');
    await page.getByRole('link', { name: 'Capacity' }).waitFor();
    await console.signIn(page, { name: 'alice', role: 'tenant', groups: ['acme'] });
    page.on('request', (request) => asked.push(request));
    // What the provider asked for before may be answered only now.
    page.on('response', (answer) => {
      if (!asked.includes(answer.request())) return;
      if (answer.url().includes('/api/') && !answer.url().includes('/events')) bodies.push(answer.text().catch(() => ''));
    });
    await open('/hosts');
    await expectCount('3 hosts');
    const links = await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').allInnerTexts();
    expect(links).not.toEqual(expect.arrayContaining(['Capacity', 'Nodes', 'Racks', 'Hubs', 'Audit', 'Overview']));
    expect(await page.getByRole('button', { name: 'New host' }).count()).toBe(0);
    const shown = [await page.content()];
    await page.getByRole('link', { name: 'gpu-04' }).click();
    await page.getByRole('heading', { name: 'gpu-04' }).waitFor();
    await page.getByRole('link', { name: 'acme-train' }).waitFor();
    expect(await page.getByRole('button', { name: 'Edit' }).count()).toBe(0);
    shown.push(await page.content(), ...(await Promise.all(bodies)));
    for (const text of shown) expect(text).not.toMatch(/bmc-\d|redfish|SN-1\d{3}|bcm-east|globex|canary|rack_unit|"hub"|finalizers/);
    expect(asked.filter((request) => /\/api\/(private|console|inventory)\/|\/audit/.test(request.url()))).toEqual([]);

    await page.goto(`${console.url}/hosts/host-12`);
    await page.getByText('There is no such host').waitFor();
    await page.goto(`${console.url}/racks`);
    await page.getByText('There is no such page').waitFor();
    await page.goto(`${console.url}/hosts?q=this.spec.rack == "r1"`);
    await soon(async () => expect(await page.getByRole('alert').innerText()).toContain('rack'));
    await page.getByRole('button', { name: 'alice · tenant' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to Quartermaster' }).waitFor();
  });

  it('let a tenant order and see its own, with no provider field in the page or in what it asks for', async () => {
    const { console, page } = used;
    const asked: Request[] = [];
    const answers: Promise<string>[] = [];
    await orderClusters(console);
    await open('/');
    await console.signIn(page, { name: 'alice', role: 'tenant', groups: ['acme'] });
    page.on('request', (request) => asked.push(request));
    // What the provider asked for before may be answered only now.
    page.on('response', (answer) => {
      if (!asked.includes(answer.request())) return;
      if (answer.url().includes('/api/') && !/\/events|views:watch/.test(answer.url())) answers.push(answer.text().catch(() => ''));
    });
    await open('/clusters');
    await expectCount('3 clusters');
    const shown = [await page.content()];
    await page.getByRole('link', { name: 'acme-ready' }).click();
    await expectRegion('Progress', /Ready\s+done/);
    await page
      .getByRole('region', { name: 'workers' })
      .getByRole('link', { name: /^cpu-\d/ })
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Reveal password' }).click();
    await page.getByTestId('cluster-password').waitFor();
    shown.push(await page.content());

    await open('/templates/general');
    expect(await page.getByRole('button', { name: 'Edit' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Order a cluster' }).click();
    await page.getByLabel('Name', { exact: true }).fill('mine');
    await page.getByLabel('Topology').fill('ring');
    expect(await page.getByLabel('Belongs to').count()).toBe(0);
    await page.getByRole('button', { name: 'Order cluster' }).click();
    await heading('mine').waitFor();
    shown.push(await page.content());
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete cluster' }).click();
    await expectCount('3 clusters');

    await open('/host-classes');
    await soon(async () => expect(await page.getByRole('row', { name: 'gpu-h100' }).innerText()).toMatch(/3$/));
    expect(await page.getByText('Free', { exact: true }).count()).toBe(0);
    await open('/events');
    await heading('Events').waitFor();
    shown.push(await page.content(), ...(await Promise.all(answers)));
    for (const text of shown) expect(text).not.toMatch(/globex|hub-east|redfish|SN-1\d{3}|canary|finalizers|"hub"|"alias"|kubeconfig_ref/);
    expect(asked.filter((request) => /\/api\/(private|console|inventory)\/|\/audit|HostAssignments|\/claim/.test(request.url()))).toEqual(
      [],
    );
    for (const path of ['/hubs', '/audit']) {
      await page.goto(console.url + path);
      await page.getByText('There is no such page').waitFor();
    }
    await page.goto(`${console.url}/clusters/globex-train`);
    await page.getByText('There is no such cluster').waitFor();
  });
});
