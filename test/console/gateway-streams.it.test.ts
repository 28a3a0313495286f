import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AheadClock } from './console-roles.ts';
import { type GatewayConsole, signedIn, startGatewayConsole } from './gateway-console.ts';
import { ScriptedGateway } from './scripted-gateway.ts';

const lease = '7-1-1-p1';
const soon = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 10_000, interval: 20 });

describe('streams of a lease through the console', () => {
  let console: GatewayConsole;
  let alice: Awaited<ReturnType<typeof signedIn>>;

  beforeEach(async () => {
    console = await startGatewayConsole({ args: ['--console-streams-per-session=2'] });
    alice = await signedIn(console, 'of-alice');
  });
  afterEach(async () => {
    await alice.browser.close();
    await console.stop();
  });
  const opened = (count = 1) => soon(() => expect(console.gateway.opened.length).toBe(count));

  it('asks the market for no more than the stream needs, and passes on both ways what is said', async () => {
    const { gateway, market } = console;
    const page = alice.open(`${lease}/shell?cmd0=ls&cmd1=-l&service=web&podIndex=1&tty=1&stdin=1`);
    await opened();
    expect(gateway.last.path).toBe('/lease/7/1/1/shell?service=web&podIndex=1&tty=1&stdin=1&cmd0=ls&cmd1=-l');
    expect(gateway.last.authorization).toBe('Bearer signed-by-the-market');
    expect(market.asked).toEqual([
      { authorization: 'Bearer of-alice', body: { scopes: ['shell'], services: ['web'], lifetime: '43200s' } },
    ]);
    page.socket.send(Buffer.from([104, 104, 105]));
    await soon(() => expect(gateway.last.frames).toEqual([{ kind: 104, data: Buffer.from('hi') }]));
    gateway.frame(100, 'there');
    await soon(() => expect(page.heard).toEqual([Buffer.from('dthere')]));
    gateway.last.socket.close(4003, 'the lease is closed');
    expect(await page.ended).toEqual({ code: 4003, reason: 'the lease is closed' });
    expect(JSON.stringify(page.heard)).not.toContain('signed-by-the-market');

    const logs = alice.open(`${lease}/logs?follow=true&tail=10&service=web,db`);
    await opened(2);
    expect([gateway.last.path, market.asked[1]?.body]).toEqual([
      '/lease/7/1/1/logs?service=web%2Cdb&follow=true&tail=10',
      { scopes: ['logs'], services: ['web', 'db'], lifetime: '900s' },
    ]);
    logs.socket.close();
    await soon(() => expect(gateway.last.socket.readyState).toBe(3));
    alice.open(`${lease}/kubeevents`);
    await opened(3);
    expect(market.asked[2]?.body).toEqual({ scopes: ['events'], services: [], lifetime: '900s' });
  });

  it('refuses foreign pages, pages of another session, nobody, and questions that are none, before anything is asked of the market', async () => {
    const { browser, open } = alice;
    const logs = `${lease}/logs`;
    expect(await open(logs, { origin: 'https://evil.example' }).ended).toMatchObject({ status: 403 });
    expect(await open(logs, { headers: { origin: [] } }).ended).toMatchObject({ status: 403, body: expect.stringContaining('Origin') });
    expect(await open(logs, { key: 'x'.repeat(43) }).ended).toMatchObject({ status: 401 });
    expect(await open(logs, { headers: { cookie: '' } }).ended).toMatchObject({ status: 401 });
    expect(await open(logs, { headers: { host: 'rebound.example' } }).ended).toMatchObject({ status: 403 });
    for (const wrong of [
      'nonsense/logs',
      `${lease}/attach`,
      `${logs}?follow=yes`,
      `${logs}?tail=-1`,
      `${logs}?service=UP`,
      `${lease}/shell?service=web`,
    ]) {
      expect([wrong, await open(wrong).ended]).toEqual([
        wrong,
        { status: wrong === 'nonsense/logs' ? 404 : 400, body: expect.any(String) },
      ]);
    }
    expect((await browser.send('GET', `${console.url}/api/gateway/leases/${logs}`, { headers: { origin: console.url } })).status).toBe(400);
    expect(console.market.asked).toEqual([]);
  });

  it('tells by closing why there is no stream: of another tenant’s lease, of a closed one, of a gateway that cannot be trusted', async () => {
    const { gateway, market } = console;
    const otto = await signedIn(console, 'of-otto');
    expect(await otto.open(`${lease}/logs`).ended).toEqual({ code: 4001, reason: 'there is no such lease' });
    await otto.browser.close();
    gateway.refusal = { status: 503, message: 'the cluster does not answer' };
    expect(await alice.open(`${lease}/logs`).ended).toEqual({ code: 4002, reason: 'the cluster does not answer' });
    gateway.refusal = { status: 401, message: `${'long '.repeat(40)}words` };
    const { code, reason } = (await alice.open(`${lease}/logs`).ended) as { code: number; reason: string };
    expect([code, Buffer.byteLength(reason) <= 123, reason.endsWith('…')]).toEqual([4003, true, true]);
    const other = await ScriptedGateway.start();
    const known = { uri: gateway.uri, grpc_address: '' };
    for (const untrusted of [
      { ...known, certificate_authority: other.certificate },
      { ...known, certificate_authority: '' },
      { ...known, certificate_authority: gateway.certificate, uri: gateway.uri.replace('127.0.0.1', 'localhost') },
      { ...known, certificate_authority: gateway.certificate, uri: gateway.uri.replace('https', 'http') },
      undefined,
    ]) {
      market.gateway = untrusted;
      expect(await alice.open(`${lease}/logs`).ended).toMatchObject({ code: 4002 });
    }
    await other.stop();
    market.state = 'LEASE_STATE_CLOSED';
    expect(await alice.open(`${lease}/logs`).ended).toEqual({ code: 4003, reason: 'the lease is closed' });
    expect(gateway.opened).toEqual([]);
  });

  it('has as many streams of one session open as the setting says, and messages of 64 KiB', async () => {
    const first = alice.open(`${lease}/logs`);
    await opened(1);
    alice.open(`${lease}/logs`);
    await opened(2);
    expect(await alice.open(`${lease}/logs`).ended).toEqual({ code: 4008, reason: '2 streams of your session are open: close one' });
    first.socket.send(Buffer.alloc(64 * 1024, 104));
    await soon(() => expect(console.gateway.opened[0]?.frames.length).toBe(1));
    first.socket.send(Buffer.alloc(64 * 1024 + 1, 104));
    expect(await first.ended).toMatchObject({ code: 1009 });
    await soon(() => expect(console.gateway.opened[0]?.socket.readyState).toBe(3));
    alice.open(`${lease}/logs`);
    await opened(3);
  });

  it('reads no further ahead than a page takes, and goes on as it takes', async () => {
    const page = alice.open(`${lease}/logs`);
    await opened();
    const { socket } = console.gateway.last;
    const line = JSON.stringify({ name: 'web-0', message: 'x'.repeat(10_000) });
    const all = 10_000;
    let sent = 0;
    const write = (): void => {
      if (sent < all) socket.send(line, write);
      sent += 1;
    };
    write();
    // What is on its way fills the connections between them, and then nobody writes any more.
    let before = -1;
    await vi.waitFor(
      () => {
        const isStill = sent === before;
        before = sent;
        expect(isStill).toBe(true);
      },
      { timeout: 10_000, interval: 300 },
    );
    expect(page.heard.length).toBeLessThan(1_000);
    expect(sent).toBeLessThan(all / 2);
    let taken = 0;
    const take = (): void => {
      for (; taken < page.heard.length; taken += 1) page.socket.send(String(line.length));
      if (taken < all) setImmediate(take);
    };
    take();
    await vi.waitFor(() => expect(page.heard.length).toBe(all), { timeout: 30_000, interval: 50 });
  }, 60_000);

  it('ends with the sign-out and with the console, and says so', async () => {
    const page = alice.open(`${lease}/logs`);
    await opened();
    await alice.browser.send('DELETE', `${console.url}/api/session`);
    expect(await page.ended).toEqual({ code: 4003, reason: 'you have signed out' });
    await soon(() => expect(console.gateway.last.socket.readyState).toBe(3));
    const again = await signedIn(console, 'of-alice');
    const other = again.open(`${lease}/logs`);
    await opened(2);
    void console.role.stop();
    expect(await other.ended).toEqual({ code: 4002, reason: 'the console is being stopped' });
    await again.browser.close();
  });
});

it('ends with the session', async () => {
  const ends: (() => void)[] = [];
  const clock = new AheadClock();
  clock.schedule = (afterMs, callback) => {
    if (afterMs > 11 * 3_600_000) ends.push(callback);
    return new AheadClock().schedule(afterMs, callback);
  };
  const console = await startGatewayConsole({ clock });
  const alice = await signedIn(console, 'of-alice');
  const page = alice.open(`${lease}/logs`);
  await soon(() => expect(console.gateway.opened.length).toBe(1));
  for (const end of ends) end();
  expect(await page.ended).toEqual({ code: 4003, reason: 'your session has ended: sign in again' });
  await alice.browser.close();
  await console.stop();
});
