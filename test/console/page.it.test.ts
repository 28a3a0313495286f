import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { hasBrowser, launchBrowser, openPage, type WatchedPage } from './browser.ts';
import { describedPod, type PodCluster, startPodCluster } from './pod-cluster.ts';
import { type ScriptedConsole, scriptedToken, signIn, startScriptedConsole } from './scripted-console.ts';
import { farm, ScriptedSource } from './scripted-source.ts';

describe.skipIf(!hasBrowser())('the console in a browser', () => {
  let browser: Browser;
  let cluster: PodCluster;
  let source: ScriptedSource;
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
    stopConfirming = source.keepConfirming();
    server = await startScriptedConsole(source, { kubeconfig: cluster.kubeconfig, args: ['--console-sign-in=token,link'] });
    watched = await openPage(browser, { permissions: ['clipboard-read', 'clipboard-write'] });
    page = watched.page;
    await signIn(page, server.url);
  });
  afterEach(async () => {
    stopConfirming();
    await watched.close();
    await server.stop();
  });

  const truth = () => page.getByTestId('truth');
  /** Waits until the text holds, or fits, what is expected. */
  const expectSoon = (read: () => Promise<string | null>, expected: string | RegExp) =>
    vi.waitFor(async () => expect(await read()).toMatch(expected), { timeout: 20_000, interval: 50 });
  const linkCode = async (): Promise<string> => {
    const headers = { authorization: `Bearer ${scriptedToken}` };
    const answer = await fetch(`${server.url}/api/session/links`, { method: 'POST', headers });
    return ((await answer.json()) as { readonly code: string }).code;
  };
  const textOf = (name: string) => page.getByRole('region', { name }).innerText();

  it('shows what runs, how it is and since when, and the cluster at a glance', async () => {
    await page.goto(`${server.url}/overview`);
    await expectSoon(() => truth().innerText(), /^live · /);
    // Each view comes by itself.
    await expectSoon(() => textOf('Cluster'), '38 of 40 ready');
    expect(await page.getByRole('link', { name: '1 Held back: not ready, disk pressure' }).count()).toBe(1);
    await expectSoon(() => textOf('Cluster'), '13 of 30 TiB sellable');
    await expectSoon(() => textOf('GPUs by model'), /NVIDIA H100 SXM 80GB\s+80\s+40\s+30\s+2\s+8/);
    await expectSoon(() => textOf('Components'), 'The watch of nodes was cut 40 s ago');
    const parts = await textOf('Components');
    expect(parts).toContain('2 of 4 ready');
    expect(parts.indexOf('inventory')).toBeLessThan(parts.indexOf('simulated cluster'));
    expect(watched.problems).toEqual([]);
  });

  it('shows changes without a reload', async () => {
    await page.goto(`${server.url}/overview`);
    await page.getByText('38 of 40 ready').waitFor();
    await page.evaluate('window.wasNotReloaded = true');
    source.setNode('node-00003', { isReady: false, state: 'NotReady: kubelet stopped posting node status' });
    await page.getByText('37 of 40 ready').waitFor();
    const [part, ...others] = source.current().parts;
    if (part === undefined) throw new Error('the farm has parts');
    source.set({ ...source.current(), parts: [{ ...part, state: 'failed', reason: 'it fell over' }, ...others] });
    await page.getByText('it fell over').waitFor();
    expect(await page.evaluate('window.wasNotReloaded')).toBe(true);
  });

  it('leads from a reason to exactly the nodes that it counts', async () => {
    await page.goto(`${server.url}/overview`);
    await page.getByRole('link', { name: '1 Held back: not ready, disk pressure' }).click();
    await page.getByRole('link', { name: 'node-00022' }).waitFor();
    expect(await page.getByTestId('node-count').innerText()).toBe('1 of 40');
    expect(new URL(page.url()).searchParams.get('q')).toBe('state:"Held back: not ready, disk pressure"');
  });

  it('never goes empty when the stream is cut: says that it is stale, and recovers by itself', async () => {
    await page.clock.install();
    await page.goto(`${server.url}/overview`);
    await page.getByText('38 of 40 ready').waitFor();
    const { port } = server;
    await server.stop();
    await expectSoon(() => truth().innerText(), 'reconnecting');
    await page.clock.fastForward(31_000);
    await expectSoon(() => truth().innerText(), /^stale · last confirmed \d+ s ago$/);
    await expectSoon(() => page.getByRole('status').innerText(), 'The connection to Quartermaster is broken');
    await expectSoon(() => textOf('Cluster'), 'last known');
    expect(await textOf('Cluster')).toContain('38 of 40 ready');

    source.setNode('node-00003', { isReady: false, state: 'NotReady: DiskPressure' });
    server = await startScriptedConsole(source, { kubeconfig: cluster.kubeconfig, port });
    await page.clock.fastForward(10_000);
    await expectSoon(() => textOf('Cluster'), '37 of 40 ready');
    // Without streams a browser may keep the page in memory, to go back to: it begins anew then.
    await page.evaluate('window.wasNotReloaded = true');
    const reloaded = page.waitForEvent('load');
    await page.evaluate(`setTimeout(() => window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))`);
    await reloaded;
    expect(await page.evaluate('window.wasNotReloaded')).toBeUndefined();
    await expectSoon(() => truth().innerText(), /^live/);
    await expectSoon(() => page.getByRole('status').innerText(), /^$/);
  });

  it('tells when the server answers but the cluster does not', async () => {
    stopConfirming();
    source.setCluster(() => ({}));
    await page.goto(`${server.url}/nodes`);
    await page.getByRole('link', { name: 'node-00003' }).waitFor();
    const snapshot = source.current();
    if (snapshot.cluster === undefined) throw new Error('the farm has a cluster');
    source.set({ ...snapshot, cluster: { ...snapshot.cluster, observedAt: Date.now() - 45_000 } });
    // It counts on while the page is told.
    await expectSoon(() => page.getByRole('status').innerText(), /the cluster has not confirmed this for (4[5-9]|5\d) s, since /);
    expect(await page.getByRole('link', { name: 'node-00003' }).count()).toBe(1);
  });

  it('says that the cluster has not been read rather than that it is empty', async () => {
    const { installation, parts } = source.current();
    stopConfirming();
    source.set({ installation, parts });
    await page.goto(`${server.url}/overview`);
    await page.getByText('The cluster has not been read yet').waitFor();
    await expectSoon(() => textOf('Cluster'), 'inventory has been degraded');
    source.setCluster(() => farm({ nodeCount: 2 }).cluster ?? {});
    await page.getByText('2 of 2 ready').waitFor();
  });

  it('says what would be here and how to get it when there is nothing', async () => {
    source.setCluster(() => ({ nodes: [] }));
    await page.goto(`${server.url}/overview`);
    await page.getByText('npm start -- --scenario small').waitFor();
    await page.goto(`${server.url}/pods?phase=Unknown`);
    await expectSoon(() => page.getByRole('main').innerText(), 'No pod is in phase Unknown.');
    await page.goto(`${server.url}/nowhere`);
    await expectSoon(() => page.getByRole('main').innerText(), 'There is no such page');
  });

  it('shows where to sign in when the session ends while somebody looks, and goes on from there after a sign-in', async () => {
    await page.goto(`${server.url}/nodes?q=node-00003`);
    await page.getByRole('link', { name: 'node-00003' }).waitFor();
    await page.context().clearCookies();
    await page.getByRole('heading', { name: 'Sign in to Quartermaster' }).waitFor();
    expect(await page.content()).not.toContain('node-00003');
    await page.getByLabel('Token').fill('made-up');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expectSoon(() => page.getByRole('alert').innerText(), 'does not take the token');
    await page.getByLabel('Token').fill(scriptedToken);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('link', { name: 'node-00003' }).waitFor();
    await page.getByRole('button', { name: 'admin · admin' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to Quartermaster' }).waitFor();
  });

  it('asks before a link changes who looks, and loads a tab again whose session another tab replaced', async () => {
    await page.goto(`${server.url}/nodes`);
    await page.getByTestId('node-count').waitFor();
    const link = `${server.url}/nodes#code=${await linkCode()}`;
    const tab = await page.context().newPage();
    await tab.goto(link);
    await tab.getByRole('heading', { name: 'Sign in as somebody else?' }).waitFor();
    expect(tab.url()).toBe(`${server.url}/nodes`);
    await tab.getByRole('button', { name: 'Stay signed in as admin' }).click();
    await tab.getByTestId('node-count').waitFor();
    await page.evaluate('window.wasNotReloaded = true');
    await tab.goto(`${server.url}/overview`);
    await tab.goto(link);
    await tab.getByRole('button', { name: 'Use the link' }).click();
    await tab.getByTestId('node-count').waitFor();
    await vi.waitFor(async () => expect(await page.evaluate('window.wasNotReloaded')).toBeUndefined(), { timeout: 20_000, interval: 50 });
    await page.getByTestId('node-count').waitFor();
    const other = await openPage(browser);
    await other.page.goto(`${server.url}/nodes#code=${await linkCode()}`);
    await other.page.getByTestId('node-count').waitFor();
    await other.close();
  });

  it('leaves its stream while nobody sees it, and goes on with what changed meanwhile', async () => {
    const isStream = (request: { url(): string }): boolean => request.url().includes('views:watch');
    const setSeen = (state: string) =>
      page.evaluate(
        `Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => '${state}' });
        document.dispatchEvent(new Event('visibilitychange'));`,
      );
    await page.goto(`${server.url}/overview`);
    await page.getByText('38 of 40 ready').waitFor();
    const ended = page.waitForEvent('requestfailed', isStream);
    await setSeen('hidden');
    await ended;
    source.setNode('node-00003', { isReady: false, state: 'NotReady: kubelet stopped posting node status' });
    const begun = page.waitForRequest(isStream);
    await setSeen('visible');
    await begun;
    await expectSoon(() => textOf('Cluster'), '37 of 40 ready');
  });

  it('copies a command', async () => {
    await page.goto(`${server.url}/overview`);
    await page.getByRole('button', { name: 'Copy export KUBECONFIG' }).click();
    await page.getByText('copied', { exact: true }).waitFor();
    const text = await page.evaluate('navigator.clipboard.readText()');
    expect(text).toBe('export KUBECONFIG=/home/someone/.local/share/quartermaster/up/kubeconfig');
  });

  it('obeys the keyboard', async () => {
    await page.goto(`${server.url}/overview`);
    await page.getByText('38 of 40 ready').waitFor();
    await page.keyboard.type('gn');
    await page.getByRole('heading', { name: 'Nodes', level: 1 }).waitFor();
    await page.keyboard.type('gp');
    await page.getByRole('heading', { name: 'Pods', level: 1 }).waitFor();
    await page.keyboard.type('go');
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText('Go to Nodes').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('/');
    await page.keyboard.type('node-0003');
    await page.getByRole('option', { name: 'node-00030' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'node-00031', level: 1 }).waitFor();
    expect(watched.problems).toEqual([]);
  });

  it('walks the rows of the table by keyboard and opens one', async () => {
    await page.goto(`${server.url}/nodes`);
    await page.getByRole('row', { name: 'node-00003' }).waitFor();
    await page.getByRole('grid').focus();
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowUp']) await page.keyboard.press(key);
    await expectSoon(() => page.getByRole('row', { selected: true }).innerText(), 'node-00001');
    await page.keyboard.press('End');
    await expectSoon(() => page.getByRole('row', { selected: true }).innerText(), 'node-00039');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'node-00039', level: 1 }).waitFor();
  });

  it('keeps rows in place under the pointer and lets them move on r', async () => {
    await page.goto(`${server.url}/pods`);
    const first = () => page.getByRole('row').nth(1).innerText();
    await expectSoon(first, 'training-');
    const before = await page.getByRole('row').nth(1).getByRole('link').first().innerText();
    await page.getByRole('grid').hover();
    const arrival = await cluster.add({ namespace: 'tenant-a', name: 'arrived-just-now', phase: 'Pending' });
    await page.getByText('1 change, press r').waitFor();
    expect(await first()).toContain(before);
    await page.keyboard.press('r');
    await expectSoon(first, 'arrived-just-now');
    await arrival.remove();
  });

  it('keeps dark and light as chosen, and follows the system when asked to', async () => {
    await page.goto(`${server.url}/overview`);
    const background = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    const dark = 'rgb(20, 23, 27)';
    await page.getByLabel('Colours').selectOption('dark');
    await page.reload();
    await expectSoon(background, dark);
    expect(await page.getByLabel('Colours').inputValue()).toBe('dark');
    await page.getByLabel('Colours').selectOption('system');
    await expectSoon(background, 'rgb(255, 255, 255)');
    await page.emulateMedia({ colorScheme: 'dark' });
    await expectSoon(background, dark);
  });

  it('pages through more pods than anybody wants at once, and asks the server for what is typed', { timeout: 60_000 }, async () => {
    const more = await Promise.all(
      Array.from({ length: 180 }, (_, index) =>
        cluster.add({ namespace: 'tenant-c', name: `more-${String(index).padStart(3, '0')}`, phase: 'Pending' }),
      ),
    );
    await page.goto(`${server.url}/pods`);
    const range = () => page.getByTestId('pod-range').innerText();
    await expectSoon(range, '1–200 of 240');
    await page.getByRole('button', { name: 'next' }).click();
    await expectSoon(range, '201–240 of 240');
    await page.getByRole('button', { name: 'previous' }).click();
    await expectSoon(range, '1–200 of 240');
    await page.getByRole('button', { name: 'next' }).click();
    await expectSoon(range, '201–240 of 240');
    await page.getByLabel('Filter pods').fill('more-17 phase:run');
    await expectSoon(() => page.getByRole('main').innerText(), 'No pod is matching more-17 phase:run.');
    expect(await page.getByLabel('Filter pods').and(page.locator(':focus')).count()).toBe(1);
    await page.getByLabel('Filter pods').fill('more-17 phase:pend');
    await expectSoon(range, '1–10');
    await page.getByLabel('Filter pods').fill('more-17');
    await expectSoon(range, '1–10');
    await expectSoon(() => page.getByRole('row').nth(1).innerText(), 'more-17');
    await page.reload();
    await expectSoon(range, '1–10');
    await page.getByLabel('Filter pods').fill('no-such-pod');
    await expectSoon(() => page.getByRole('main').innerText(), 'No pod is matching no-such-pod.');
    expect(watched.problems).toEqual([]);
    await Promise.all(more.map((pod) => pod.remove()));
  });

  it('counts pods by phase, filters them by expressions, and keeps the last good result of one that makes no sense', async () => {
    await page.goto(`${server.url}/pods`);
    const phases = () => page.getByRole('navigation', { name: 'Phases' }).innerText();
    const range = () => page.getByTestId('pod-range').innerText();
    await expectSoon(phases, /All\s+60\s+Pending\s+10\s+Running\s+31\s+Succeeded\s+9\s+Failed\s+10\s+Unknown\s+0/);
    await page.getByRole('navigation', { name: 'Phases' }).getByRole('link', { name: 'Failed' }).click();
    await expectSoon(range, '1–10 of 10');
    await expectSoon(phases, /All\s+60/);
    await page.goto(`${server.url}/pods`);
    await page.getByLabel('Filter pods').fill('this.restarts > 3 && this.node.startsWith("node-")');
    await expectSoon(range, '1–1 of 1');
    expect(await page.getByRole('row').nth(1).innerText()).toMatch(/xxxx4\s+tenant-b\s+Running\s+CrashLoopBackOff\s+node-00004\s+12/);
    await page.getByLabel('Filter pods').fill('this.restart > 3');
    await expectSoon(() => page.getByRole('alert').innerText(), 'There is no this.restart.');
    await expectSoon(() => page.getByRole('main').innerText(), 'in the last good result, for this.restarts > 3');
    expect(await page.getByRole('row').count()).toBe(2);
    await page.getByLabel('Filter pods').fill('this.name.matches("(a+)+b")');
    await expectSoon(() => page.getByRole('alert').innerText(), 'matches() cannot be used on pods.');
    expect(watched.problems.filter((problem) => !/status of 400/.test(problem))).toEqual([]);
  });

  it('opens the page of a pod by Enter and by its name, with what it takes, its cards, its containers, its Events and its log', async () => {
    await page.goto(`${server.url}/pods?q=xxxx4`);
    await page.getByRole('row', { name: describedPod.name }).waitFor();
    await page.getByRole('grid').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: describedPod.name, level: 1 }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/pods/tenant-b/${describedPod.name}`);
    await expect.poll(() => page.title()).toBe(`${describedPod.name} · Pods · Quartermaster`);
    await expectSoon(() => textOf('Requests'), /CPU cores\s+8\s+Memory\s+64 GiB\s+nvidia\.com\/gpu\s+2/);
    await expectSoon(() => textOf('GPUs'), /2 GPUs[\s\S]*Healthy, allocated/);
    expect(await page.getByRole('region', { name: 'GPUs' }).getByRole('listitem').count()).toBe(2);
    const containers = await textOf('Containers');
    expect(containers).toMatch(/main\s+running\s+0\s+cpu 8, memory 64Gi, nvidia\.com\/gpu 2/);
    expect(containers).toMatch(/logs\s+waiting, CrashLoopBackOff\s+12/);
    expect(await textOf('Conditions')).toContain('ContainersNotReady: containers with unready status: [logs]');
    await expectSoon(() => textOf('Events'), /BackOff[\s\S]*Back-off restarting failed container logs/);
    // No kubelet stands behind this API server.
    await expectSoon(() => page.getByRole('region', { name: 'Log' }).getByRole('alert').innerText(), /^The log cannot be shown: /);
    await page.getByRole('combobox', { name: 'Container' }).selectOption('logs');
    await expect.poll(() => new URL(page.url()).searchParams.get('container')).toBe('logs');
    expect(await page.content()).not.toContain('canary-env');
    await page.getByRole('navigation', { name: 'Chain' }).getByRole('link', { name: 'node-00004' }).click();
    await expectSoon(() => textOf('Events'), /GpuQuarantined[\s\S]*fallen off the bus/);
    await page
      .getByRole('region', { name: 'GPUs' })
      .getByRole('link', { name: `tenant-b/${describedPod.name}` })
      .first()
      .click();
    await page.getByRole('heading', { name: describedPod.name, level: 1 }).waitFor();
    await page.goto(`${server.url}/pods/tenant-b/gone`);
    await expectSoon(() => page.getByRole('alert').innerText(), 'There is no pod tenant-b/gone any more.');
  });

  it('finds pods by the search box, which says where it looked', async () => {
    await page.goto(`${server.url}/overview`);
    await page.getByText('38 of 40 ready').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('xxxx4');
    await page.getByRole('option', { name: /^pod training-7d9c5b6f4-xxxx4/ }).waitFor();
    await expectSoon(() => page.locator('.search-where').innerText(), /^Searched: .*pods\.$/);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: describedPod.name, level: 1 }).waitFor();
  });

  it('lists the faults that are simulated, and tells of them, of components and of nodes among the events', async () => {
    await page.goto(`${server.url}/overview`);
    await expectSoon(
      () => textOf('Simulated faults'),
      /added on purpose[\s\S]*node-loss\s+node-00008[\s\S]*latency\s+API server[\s\S]*ms 3000/,
    );
    await page.getByRole('region', { name: 'Simulated faults' }).getByRole('link', { name: 'events' }).click();
    await expectSoon(() => page.getByTestId('event-count').innerText(), '3 events');
    const grid = () => page.getByRole('grid', { name: 'Events' }).innerText();
    expect(await grid()).toMatch(/latency began\s+simulated fault\s+API server\s+simulated on purpose, ms 3000/);
    await page.getByRole('navigation', { name: 'Kinds' }).getByRole('link', { name: 'nodes' }).click();
    await expectSoon(grid, /GpuQuarantined\s+node\s+node-00004/);
    await page.getByRole('navigation', { name: 'Kinds' }).getByRole('link', { name: 'components' }).click();
    await expectSoon(grid, /degraded\s+component\s+inventory/);
    await page.getByRole('navigation', { name: 'Kinds' }).getByRole('link', { name: 'pods' }).click();
    await page.getByRole('link', { name: describedPod.name }).click();
    await page.getByRole('heading', { name: describedPod.name, level: 1 }).waitFor();
    expect(watched.problems.filter((problem) => !/\/log\?/.test(problem))).toEqual([]);
  });

  it('shows the pods of a node, and only those', async () => {
    await page.goto(`${server.url}/nodes/node-00004`);
    const pods = page.getByRole('grid', { name: 'Pods' });
    await pods.getByText('training-7d9c5b6f4-xxxx4').waitFor();
    expect(await pods.getByRole('row').count()).toBe(2);
    const failed = await cluster.add({ namespace: 'tenant-b', name: 'fails-here', phase: 'Failed', node: 'node-00004' });
    await pods.getByText('fails-here').waitFor();
    await pods.getByText('Failed').waitFor();
    await failed.remove();
  });

  it('holds 5 000 nodes: draws a screenful, scrolls to the end, filters and sorts', async () => {
    stopConfirming();
    source.set(farm({ nodeCount: 5_000 }));
    stopConfirming = source.keepConfirming();
    await page.goto(`${server.url}/nodes`);
    await expectSoon(() => page.getByTestId('node-count').innerText(), '5\u202f000 nodes');
    expect(await page.getByRole('row').count()).toBeLessThan(80);

    await page.evaluate(`document.querySelector('[role=grid]').scrollTo({ top: 5_000 * 32 })`);
    await page.getByRole('link', { name: 'node-04999' }).waitFor();
    expect(await page.getByRole('row').count()).toBeLessThan(80);
    source.setNode('node-04999', { state: 'SchedulingDisabled' });
    await expectSoon(() => page.getByRole('row', { name: 'node-04999' }).innerText(), 'Held back: cordoned');

    await page.getByLabel('Filter nodes').fill('gpu:h100 ready:no');
    await expectSoon(() => page.getByTestId('node-count').innerText(), '125 of 5\u202f000');
    await page.reload();
    await expectSoon(() => page.getByTestId('node-count').innerText(), '125 of 5\u202f000');
    await page.getByRole('button', { name: 'Pods' }).click();
    await page.getByRole('button', { name: 'Pods' }).click();
    await expectSoon(() => page.getByRole('columnheader', { name: 'Pods' }).getAttribute('aria-sort'), 'descending');
    expect(new URL(page.url()).searchParams.get('sort')).toBe('-pods');
    await page.getByLabel('Filter nodes').fill('no-such-node');
    await page.getByRole('button', { name: 'Show all nodes' }).click();
    await expectSoon(() => page.getByTestId('node-count').innerText(), '5\u202f000 nodes');
    expect(watched.problems).toEqual([]);
  });
});
