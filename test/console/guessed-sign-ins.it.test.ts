import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Clock, systemClock, systemRandom } from '@quartermaster/kernel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePorts } from '../kube/free-ports.ts';
import { ConsoleBrowser } from './console-browser.ts';
import { ConsoleSite } from './console-roles.ts';

/** What an address may do again by and by, it may not while a test runs. */
const clock: Clock = { now: systemClock.now, monotonic: () => 0, schedule: systemClock.schedule };
const mostAtOnce = 20;

describe('a console at which somebody guesses', () => {
  let site: ConsoleSite;
  let browser: ConsoleBrowser;
  let service: Server;
  let serviceArg: string;

  beforeAll(async () => {
    site = await ConsoleSite.make();
    browser = new ConsoleBrowser(site.authority.certificate);
    service = createServer(({ headers }, response) => {
      const isKnown = headers.authorization === 'Bearer good';
      response.writeHead(isKnown ? 200 : 401).end(JSON.stringify(isKnown ? { name: 'ann', role: 'provider' } : { message: 'unknown' }));
    });
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
    serviceArg = `--console-fulfillment-url=http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  });

  afterAll(async () => {
    await browser?.close();
    await site?.stop();
    service?.closeAllConnections();
    await new Promise((resolve) => service?.close(resolve));
  });

  const signIn = async (url: string, token: string, from: string): Promise<number> =>
    (await browser.send('POST', `${url}/api/session`, { body: { token }, headers: { 'x-forwarded-for': from } })).status;
  const guess = async (url: string, from: string): Promise<Set<number>> =>
    new Set(await Promise.all(Array.from({ length: mostAtOnce }, async (_, number) => await signIn(url, `guess-${number}`, from))));

  it('turns away the browser that a trusted proxy names, and no other that comes by it', async () => {
    const { url } = await site.start([serviceArg, '--console-trusted-proxies=192.0.2.1,127.0.0.0/8'], { clock });
    expect(await guess(url, '198.51.100.7')).toEqual(new Set([401]));
    expect(await signIn(url, 'good', '198.51.100.7')).toBe(429);
    // What a browser writes there itself stands before what the proxy adds.
    expect(await signIn(url, 'good', '198.51.100.8, 198.51.100.7')).toBe(429);
    expect(await signIn(url, 'good', '198.51.100.8')).toBe(200);
  });

  it('believes nobody else where they come from', async () => {
    const { url } = await site.start([serviceArg, '--console-trusted-proxies=192.0.2.0/24'], { clock });
    expect(await guess(url, '198.51.100.7')).toEqual(new Set([401]));
    expect(await signIn(url, 'good', '198.51.100.8')).toBe(429);
  });

  it('counts guesses that one service refuses while another is away', async () => {
    const [port = 0] = await freePorts(1, systemRandom);
    const { url } = await site.start([serviceArg, `--console-inventory-url=http://127.0.0.1:${port}`], { clock });
    expect(await guess(url, '')).toEqual(new Set([503]));
    expect(await signIn(url, 'guess', '')).toBe(429);
  });

  it('takes only addresses for proxies', async () => {
    await expect(site.start([serviceArg, '--console-trusted-proxies=ingress'])).rejects.toThrow(/console-trusted-proxies.*IP address/);
  });
});
