import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KubeClient, kinds } from '@quartermaster/kube';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { accessibilityFaults, hasBrowser, launchBrowser, openPage, type WatchedPage } from '../console/browser.ts';
import { RunningUp } from './running-up.ts';

const pod = {
  metadata: { namespace: 'default', name: 'takes-two-cores' },
  spec: { containers: [{ name: 'main', image: 'nginx', resources: { requests: { cpu: '2', memory: '3Gi' } } }] },
};

/** The inventory of a real `up`, from the API server to the pixels. */
describe.skipIf(!hasBrowser())('the inventory on the page of a running up', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'up-inventory-'));
  let browser: Browser;
  let watched: WatchedPage;
  let page: Page;
  let up: RunningUp;
  let link: string;
  let client: KubeClient;

  beforeAll(async () => {
    browser = await launchBrowser();
    up = new RunningUp(['--scenario', 'small', '--data-dir', dataDir, '--port', '0']);
    ({ link } = await up.ready());
    client = await KubeClient.connect({ kubeconfig: join(dataDir, 'kubeconfig') });
    watched = await openPage(browser);
    page = watched.page;
    await page.goto(link);
    await page.evaluate('window.wasNotReloaded = true');
  });
  afterAll(async () => {
    await client.close();
    await browser.close();
    up.signal('SIGKILL');
    await up.exited();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const expectSoon = (read: () => Promise<string>, expected: string | RegExp) =>
    vi.waitFor(async () => expect(await read()).toMatch(expected), { timeout: 60_000, interval: 100 });
  const main = () => page.getByRole('main').innerText();
  const cpu = () => page.getByTestId('bar-resource-cpu').innerText();
  const go = (name: string) => page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name }).click();
  const allocatedCores = async (): Promise<number> => Number(/([\d.]+) allocated/.exec(await cpu())?.[1] ?? 0);

  it('opens with what there is to sell', async () => {
    await expectSoon(main, '3 nodes, all sellable');
    await expectSoon(cpu, /of \d+ sellable/);
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  it('moves the numbers when a pod starts, without a reload', async () => {
    const before = await allocatedCores();
    await client.create(kinds.pods, pod);
    await vi.waitFor(async () => expect(await allocatedCores()).toBeCloseTo(before + 2, 1), { timeout: 60_000, interval: 100 });
    expect(await page.evaluate('window.wasNotReloaded')).toBe(true);
  });

  it('shows on the page of its node what the pod takes, and of what the machine is made', async () => {
    const placed = await client.get(kinds.pods, pod.metadata);
    const node = placed.spec?.nodeName ?? '';
    await go('Nodes');
    await page.getByRole('link', { name: node, exact: true }).click();
    await expectSoon(() => page.getByRole('grid', { name: 'Pods' }).innerText(), /takes-two-cores\s+default\s+Running\s+2\s+3 GiB/);
    await expectSoon(main, 'Simulated Systems');
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  it('says why a cordoned node is not sellable, as soon as it is cordoned', async () => {
    await client.patch(kinds.nodes, { name: 'node-2' }, { kind: 'merge', body: { spec: { unschedulable: true } } });
    await go('Capacity');
    await expectSoon(cpu, /held back: .*on 1 cordoned node/);
    await page.getByRole('link', { name: 'Explain node-2' }).click();
    await expectSoon(() => page.getByRole('region', { name: 'Why is it not sellable?' }).innerText(), 'kubectl uncordon node-2');
    await client.patch(kinds.nodes, { name: 'node-2' }, { kind: 'merge', body: { spec: { unschedulable: false } } });
    await page.getByRole('region', { name: 'Why is it sellable?' }).waitFor();
    expect(watched.problems).toEqual([]);
  });
});
