import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { hasBrowser, launchBrowser, openPage } from './browser.ts';
import { type GatewayConsole, startGatewayConsole } from './gateway-console.ts';
import { everyScreen, screenFaults } from './screen-check.ts';
import { signIn } from './scripted-console.ts';
import { soon } from './use-console.ts';

describe.skipIf(!hasBrowser())('logs, events and terminals of a lease in a browser', { timeout: 120_000 }, () => {
  let browser: Browser;
  let console: GatewayConsole;

  beforeAll(async () => {
    browser = await launchBrowser();
  }, 60_000);
  afterAll(() => browser.close());
  beforeEach(async () => {
    console = await startGatewayConsole();
  }, 60_000);
  afterEach(() => console.stop());

  async function openAs(token: string, path = '') {
    const watched = await openPage(browser, { permissions: ['clipboard-read', 'clipboard-write'] });
    onTestFinished(() => watched.close());
    const { page } = watched;
    await signIn(page, console.url, token);
    await page.goto(`${console.url}/leases/${console.market.leaseId}${path}`);
    const region = (name: string) => page.getByRole('region', { name });
    return {
      ...watched,
      region,
      expectRegion: (name: string, text: string | RegExp) => soon(async () => expect(await region(name).innerText()).toMatch(text)),
    };
  }
  const opened = (count = 1) => soon(async () => expect(console.gateway.opened.length).toBe(count));
  const lines = (from: number, count: number) => {
    for (let index = from; index < from + count; index += 1) console.gateway.line('web-7d9c5b6f4-x2k4q', `line ${index}`);
  };

  it(`follows logs, finds lines in them and stands still for who reads, ${everyScreen}`, async () => {
    const { page, problems, region, expectRegion } = await openAs('of-alice');
    await page.getByRole('link', { name: 'Logs', exact: true }).click();
    await opened();
    expect(console.gateway.last.path).toBe('/lease/7/1/1/logs?follow=true&tail=1000');
    lines(0, 300);
    console.gateway.line('db-0', '\u001b[31mFATAL\u001b[0m out of disk');
    await expectRegion('Logs', /line 299[\s\S]*FATAL out of disk\s[\s\S]*live · /);
    const log = page.getByRole('log');
    const scrollTop = () => page.evaluate<number>(`document.querySelector('[role=log]').scrollTop`);
    expect(await screenFaults(page, 'lease-logs')).toEqual([]);
    await page.setViewportSize({ width: 700, height: 600 });
    const isAtEnd = `(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight < 2)(document.querySelector('[role=log]'))`;
    await soon(async () => expect(await page.evaluate(isAtEnd)).toBe(true));
    await page.setViewportSize({ width: 1440, height: 900 });
    const end = await scrollTop();
    await page.evaluate(`document.querySelector('[role=log]').scrollTop = 100`);
    await page.getByRole('button', { name: 'Jump to the end' }).waitFor();
    lines(300, 7);
    const jump = page.getByRole('button', { name: '7 new lines, jump to the end' });
    await jump.waitFor();
    expect([await scrollTop(), await log.innerText()]).toEqual([100, expect.not.stringContaining('line 301')]);
    await jump.click();
    await soon(async () => expect(await log.innerText()).toContain('line 306'));
    expect(await scrollTop()).toBeGreaterThan(end);

    await page.getByLabel('Filter lines').fill('fatal disk');
    await soon(async () => expect((await log.innerText()).trim()).toMatch(/^db-0 FATAL out of disk$/));
    await page.getByRole('button', { name: 'Copy', exact: true }).click();
    await soon(async () => expect(await page.evaluate('navigator.clipboard.readText()')).toBe('db-0 FATAL out of disk\n'));
    await page.getByLabel('Filter lines').fill('nowhere');
    await expectRegion('Logs', 'No line has all these words.');
    await page.getByLabel('Filter lines').fill('');

    await region('Logs').getByRole('combobox', { name: 'Service' }).selectOption('db');
    await opened(2);
    expect(console.gateway.last.path).toBe('/lease/7/1/1/logs?service=db&follow=true&tail=1000');
    console.gateway.line('db-0', 'only this');
    await soon(async () => expect((await log.innerText()).trim()).toBe('only this'));
    expect(new URL(page.url()).search).toBe('?tab=logs&service=db');
    await page.getByRole('checkbox', { name: 'Follow' }).uncheck();
    await opened(3);
    console.gateway.line('db-0', 'only this');
    console.gateway.line('db-0', 'and this');
    console.gateway.last.socket.close(1000);
    await expectRegion('Logs', /Read just now, not followed\.|Read \d s ago, not followed\./);
    expect((await log.innerText()).trim()).toBe('only this\nand this');
    expect(await region('Logs').getAttribute('data-stale')).toBeNull();
    expect(problems).toEqual([]);
  });

  it('keeps what it has while the connection is broken, says so, and goes on without a gap or a line twice', async () => {
    const { page, region, expectRegion } = await openAs('of-alice', '?tab=logs');
    await opened();
    lines(0, 20);
    await expectRegion('Logs', 'line 19');
    console.gateway.refusal = { status: 503, message: '' };
    console.gateway.last.socket.close(4002);
    await expectRegion(
      'Logs',
      /last known[\s\S]*line 19[\s\S]*The provider cannot reach its cluster at the moment; trying again (in \d+ s|now)\. Last confirmed/,
    );
    expect(await region('Logs').getAttribute('data-stale')).toBe('true');
    expect(await screenFaults(page, 'lease-logs-broken', ({ axe }) => axe === 'all')).toEqual([]);
    console.gateway.refusal = undefined;
    await opened(2);
    lines(10, 15);
    await expectRegion('Logs', /line 24\s[\s\S]*live · /);
    const shown = (await page.getByRole('log').innerText()).trim().split('\n');
    expect(shown).toEqual(Array.from({ length: 25 }, (_, index) => `line ${index}`));
    console.gateway.last.socket.close(4003, 'the key was revoked');
    await expectRegion('Logs', /line 24[\s\S]*Your access ended: the key was revoked\./);
    await page.getByRole('button', { name: 'Try now' }).click();
    await opened(3);
    await expectRegion('Logs', /line 24\s[\s\S]*live · /);
    console.market.state = 'LEASE_STATE_CLOSED';
    await page.reload();
    await expectRegion('Logs', /^Logs\s+The lease is closed\.$/);
    expect(console.gateway.opened.length).toBe(3);
  });

  it(`types into a terminal, shows what comes and how it ended, and tells its size, ${everyScreen}`, async () => {
    const { page, problems, region, expectRegion } = await openAs('of-alice', '?tab=terminal&service=web');
    expect(
      await page.evaluate<number>(`performance.getEntriesByType('resource').filter(({ name }) => name.includes('terminal')).length`),
    ).toBe(0);
    await region('Terminal').getByLabel('Replica').selectOption('2');
    await region('Terminal').getByLabel('Command').fill('sh -c "echo  hi; sh"');
    await region('Terminal').getByRole('button', { name: 'Connect' }).click();
    await opened();
    const { searchParams } = new URL(console.gateway.last.path, console.gateway.uri);
    expect(Object.fromEntries(searchParams)).toEqual({
      service: 'web',
      podIndex: '1',
      tty: '1',
      stdin: '1',
      cmd0: 'sh',
      cmd1: '-c',
      cmd2: 'echo  hi; sh',
    });
    const framesOf = (kind: number) => console.gateway.last.frames.filter((frame) => frame.kind === kind).map(({ data }) => data);
    await soon(async () => expect(framesOf(105).length).toBeGreaterThan(0));
    const widthOf = () => framesOf(105).at(-1)?.readUInt16BE(0) ?? 0;
    const wide = widthOf();
    expect(wide).toBeGreaterThan(80);
    console.gateway.frame(
      100,
      '\u001b[33mhi\u001b[0m \u001b[38;2;10;20;30mdark\u001b[0m \u001b[1;32mroot@web\u001b[0m:\u001b[34m/\u001b[0m# ',
    );
    await expectRegion('Terminal', /hi dark root@web:\/#[\s\S]*Connected to web, replica 2\./);
    await page.keyboard.type('ls -l');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
    await page.keyboard.press('g');
    await page.keyboard.press('Enter');
    await soon(async () => expect(Buffer.concat(framesOf(104)).toString()).toBe('ls -l\u001b\tg\r'));
    expect(await screenFaults(page, 'lease-terminal')).toEqual([]);
    await page.setViewportSize({ width: 800, height: 700 });
    await soon(async () => expect(widthOf()).toBeLessThan(wide));
    await page.keyboard.press('Shift+Tab');
    expect(await page.evaluate('document.activeElement.className')).not.toContain('xterm');
    // What runs goes on while something else is looked at.
    await page.getByRole('link', { name: 'Overview' }).click();
    await expectRegion('Services', 'web.acme.example');
    console.gateway.frame(101, 'still here\r\n');
    await page.getByRole('link', { name: 'Terminal' }).click();
    await expectRegion('Terminal', 'still here');
    console.gateway.frame(102, '{"exit_code":3}');
    console.gateway.last.socket.close(1000);
    await expectRegion('Terminal', /still here[\s\S]*It ended with exit code 3\. It ran in web, replica 2\./);
    await page.getByRole('button', { name: 'Reconnect' }).click();
    await opened(2);
    console.gateway.frame(103, '{"message":"replica 2 is not ready"}');
    console.gateway.last.socket.close(4002);
    await expectRegion('Terminal', 'It failed: replica 2 is not ready.');
    expect(problems).toEqual([]);
  });

  it('draws as much as a command writes, and hears a key meanwhile', async () => {
    const { page, region } = await openAs('of-alice', '?tab=terminal');
    await region('Terminal').getByRole('button', { name: 'Connect' }).click();
    await opened();
    const { socket, frames } = console.gateway.last;
    let isStopped = false;
    let sent = 0;
    const write = (): void => {
      if (isStopped) return;
      sent += 1;
      socket.send(Buffer.concat([Buffer.from([100]), Buffer.from('y\r\n'.repeat(5_000))]), () => write());
    };
    write();
    await soon(async () => expect(sent).toBeGreaterThan(500));
    await page.keyboard.press('Control+c');
    await soon(async () => expect(frames.some(({ kind, data }) => kind === 104 && data[0] === 3)).toBe(true));
    isStopped = true;
    console.gateway.frame(100, 'stopped');
    await soon(async () => expect(await region('Terminal').innerText()).toContain('stopped'));
  });

  it(`lists events, the newest first, and how often each came, ${everyScreen}`, async () => {
    const { page, problems, expectRegion } = await openAs('of-alice', '?tab=events');
    await opened();
    const event = (reason: string, type: string, note: string) =>
      console.gateway.last.socket.send(
        JSON.stringify({
          type,
          reason,
          note,
          reportingController: 'kubelet',
          reportingInstance: 'n',
          object: { kind: 'Pod', namespace: 'l', name: 'web-0' },
        }),
      );
    await expectRegion('Events', 'Nothing has been reported.');
    event('Pulled', 'Normal', 'the image is there');
    event('BackOff', 'Warning', 'the container ends again and again');
    event('BackOff', 'Warning', 'the container ends again and again');
    await expectRegion('Events', /Warning\s+BackOff\s+Pod\/web-0\s+The container ends again and again\s+2\s+Normal\s+Pulled/);
    expect(await screenFaults(page, 'lease-events')).toEqual([]);
    console.gateway.last.socket.terminate();
    await expectRegion('Events', /BackOff[\s\S]*trying again/);
    await opened(2);
    event('Started', 'Normal', 'it runs');
    await expectRegion('Events', /^Events\s+1 event\s[\s\S]*Started/);
    expect(problems).toEqual([]);
  });

  it('ends what is open with the sign-out', async () => {
    const { page } = await openAs('of-alice', '?tab=logs');
    await opened();
    await page.getByRole('button', { name: /^alice/ }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await soon(async () => expect(console.gateway.last.socket.readyState).toBe(3));
  });

  it('asks to sign in when a stream cannot be had again because the session is over', async () => {
    const { page } = await openAs('of-alice', '?tab=logs');
    await opened();
    await page.context().clearCookies();
    console.gateway.last.socket.terminate();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(console.gateway.opened.length).toBe(1);
  });

  it('offers none of it to whoever is not the tenant', async () => {
    const { page } = await openAs('of-admin', '?tab=logs');
    await page.getByText('are opened at the provider’s gateway by its tenant alone').waitFor();
    expect(await page.getByRole('navigation', { name: 'Views' }).count()).toBe(0);
    expect([console.market.asked, console.gateway.opened]).toEqual([[], []]);
  });
});
