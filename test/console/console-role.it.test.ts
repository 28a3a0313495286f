import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startTestFulfillment, type TestFulfillment } from '@quartermaster/fulfillment/testing';
import { systemRandom } from '@quartermaster/kernel';
import { createLogger } from '@quartermaster/service';
import { KeyRing } from '@quartermaster/store/key-ring';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ProviderIssuer, personHeader, refuser, resource, secret } from '../fulfillment/provider-issuer.ts';
import { freePorts } from '../kube/free-ports.ts';
import { ConsoleBrowser } from './console-browser.ts';
import { AheadClock, ConsoleSite } from './console-roles.ts';

const callback = '/api/session/oidc/callback';
const lifetimeSeconds = 600;

/** Somebody at a browser that knows the console and the issuer. */
class Person {
  readonly console: ConsoleBrowser;
  /** Of the flow that was begun last. */
  flowKey = '';
  readonly #issuer = new ConsoleBrowser(undefined);
  readonly #name: string;

  constructor(name: string, authority: string) {
    this.#name = name;
    this.console = new ConsoleBrowser(authority);
  }

  /** Begins at one replica. Resolves with where the issuer sends the browser. */
  async visitIssuer(replica: string, returnTo?: string): Promise<URL> {
    const begun = await this.console.send('POST', `${replica}/api/session/oidc`, { body: { returnTo } });
    if (begun.status !== 200) throw new Error(`signing in does not begin: ${begun.status} ${await begun.text()}`);
    const begin = (await begun.json()) as { readonly location: string; readonly key: string };
    this.flowKey = begin.key;
    let { location } = begin;
    const { origin } = new URL(location);
    while (new URL(location).origin === origin) {
      const page = await this.#issuer.send('GET', location, { headers: { [personHeader]: this.#name } });
      location = new URL(page.headers.get('location') ?? `nowhere:${page.status}`, location).href;
    }
    return new URL(location);
  }

  /** Comes back to any replica, whose page ends the flow. Resolves with where it goes on, or with why it came to nothing. */
  async comeBack(replica: string, { search }: URL): Promise<string | undefined> {
    const landed = await this.console.send('GET', `${replica}${callback}${search}`);
    if (landed.status !== 303) throw new Error(`coming back ends with ${landed.status}`);
    const query = new URLSearchParams(new URL(landed.headers.get('location') ?? '', replica).hash.slice(1)).get('returned');
    const headers = { 'x-quartermaster-console': this.flowKey };
    const ended = await this.console.send('POST', `${replica}${callback}`, { headers, body: { query } });
    const { returnTo, details } = (await ended.json()) as { readonly returnTo?: string; readonly details?: { readonly reason: string } };
    return returnTo ?? details?.reason;
  }

  async close(): Promise<void> {
    await Promise.all([this.console.close(), this.#issuer.close()]);
  }
}

describe('two replicas of the console with TLS, behind a real issuer', () => {
  const clock = new AheadClock();
  const lines: string[] = [];
  const people: Person[] = [];
  let site: ConsoleSite;
  let issuer: ProviderIssuer;
  let service: TestFulfillment;
  let ring: string;
  /** `a` has the public address. */
  let a: string;
  let b: string;

  const person = (name: string): Person => {
    const made = new Person(name, site.authority.certificate);
    people.push(made);
    return made;
  };
  const signedIn = async (name: string, returnTo?: string): Promise<Person> => {
    const made = person(name);
    expect(await made.comeBack(b, await made.visitIssuer(a, returnTo))).toBe(returnTo ?? '/');
    return made;
  };
  const session = async ({ console }: Person, replica = a): Promise<unknown> =>
    await (await console.send('GET', `${replica}/api/session`)).json();

  beforeAll(async () => {
    site = await ConsoleSite.make();
    const [port = 0] = await freePorts(1, systemRandom);
    const publicUrl = `https://127.0.0.1:${port}`;
    issuer = await ProviderIssuer.start(
      {},
      {
        sites: { console: { url: publicUrl, callback, lifetime: lifetimeSeconds } },
        people: { ann: { username: 'ann', groups: ['blue'] }, tim: { username: 'tim', groups: ['acme'] }, eve: { username: 'eve' } },
      },
    );
    const pair = { certFile: join(site.folder, 'tls.crt'), keyFile: join(site.folder, 'tls.key') };
    service = await startTestFulfillment({
      access: { 'fulfillment-issuers': [issuer.url], 'fulfillment-providers': ['user:ann'] },
      tls: { ...pair, authority: site.authority.certificate },
    });
    ring = await site.file('ring', KeyRing.generate());
    const log = createLogger({ level: 'debug', destination: { write: (line: string) => lines.push(line) > 0 } });
    const args = [
      '--console-sign-in=oidc',
      `--console-public-url=${publicUrl}`,
      `--console-oidc-issuer=${issuer.url}`,
      '--console-oidc-client-id=console',
      `--console-oidc-client-secret-file=${await site.file('client-secret', `${secret}\n`)}`,
      '--console-oidc-scopes=openid,offline_access',
      `--console-oidc-parameters=resource=${resource},prompt=consent`,
      `--console-key-ring-file=${ring}`,
      `--console-fulfillment-url=${service.restUrl}`,
      `--console-fulfillment-ca-file=${join(site.folder, 'ca.crt')}`,
    ];
    ({ url: a } = await site.start([...args, `--console-port=${port}`], { clock, log }));
    ({ url: b } = await site.start(args, { clock, log }));
  });

  afterAll(async () => {
    await Promise.all(people.map((each) => each.close()));
    await site?.stop();
    await service?.stop();
    await issuer?.stop();
  });

  it('signs in at one and comes back to the other, and either knows the session', async () => {
    const ann = await signedIn('ann', '/hosts?filter=x');
    for (const replica of [a, b]) {
      expect(await session(ann, replica)).toMatchObject({ kind: 'signed-in', way: 'oidc', caller: { name: 'ann', role: 'provider' } });
      expect((await ann.console.send('GET', `${replica}/api/private/v1/hosts`)).status).toBe(200);
    }
    expect([...ann.console.cookies.keys()].every((name) => name.startsWith('__Host-quartermaster-session'))).toBe(true);
    const attributes = ann.console.cookieLines.map((line) => line.replace(/^[^;]*; /, '').replace(/Max-Age=\d+/, 'Max-Age=n'));
    expect(new Set(attributes)).toEqual(new Set(['Path=/; HttpOnly; SameSite=Strict; Max-Age=n; Secure']));
    const tim = await signedIn('tim');
    expect(await session(tim)).toMatchObject({ caller: { role: 'tenant', tenants: expect.arrayContaining(['acme']) } });
    expect((await tim.console.send('GET', `${a}/api/private/v1/hosts`)).status).toBe(403);
  });

  it('lets in nobody with an answer that is not to their own question, that is used, or that is late', async () => {
    const [ann, other] = [person('ann'), person('tim')];
    const answer = await ann.visitIssuer(a);
    await other.visitIssuer(a);
    const stranger = person('eve');
    expect(await stranger.comeBack(a, answer)).toBe('expired');
    expect(await other.comeBack(a, answer)).toBe('refused');
    expect(await other.comeBack(a, answer)).toBe('expired');
    expect([other, stranger].map(({ console }) => console.cookies.size)).toEqual([0, 0]);
    expect(await ann.comeBack(b, answer)).toBe('/');
    const again = person('ann');
    await again.visitIssuer(a);
    expect(await again.comeBack(a, answer)).toBe('refused');
    // Another port of the machine put its own flow into the browser: its page does not have the key of it.
    const planted = person('ann');
    const plantedAnswer = await planted.visitIssuer(a);
    planted.flowKey = ann.flowKey;
    expect(await planted.comeBack(a, plantedAnswer)).toBe('expired');
    expect(planted.console.cookies.size).toBe(0);
    const late = person('ann');
    const lateAnswer = await late.visitIssuer(a);
    clock.aheadMs += 11 * 60_000;
    expect(await late.comeBack(a, lateAnswer)).toBe('expired');
  });

  it('says what was wrong: the issuer refused, no service knows the caller, the issuer is away', async () => {
    const no = person(refuser);
    expect(await no.comeBack(a, await no.visitIssuer(a))).toBe('refused');
    const eve = person('eve');
    expect(await eve.comeBack(a, await eve.visitIssuer(a))).toBe('unknown');
    const ann = person('ann');
    const answer = await ann.visitIssuer(a);
    const back = issuer.away();
    expect(await ann.comeBack(a, answer)).toBe('unavailable');
    back();
    expect((await ann.console.send('GET', `${a}/api/private/v1/hosts`)).status).toBe(401);
    expect(await session(ann)).toEqual({ kind: 'none', signIn: ['oidc'] });
    for (const body of [{ token: 'a' }, { code: 'b' }]) {
      expect((await ann.console.send('POST', `${a}/api/session`, { body })).status).toBe(412);
    }
  });

  it('goes on when the token has ended: the page asks who it is, and either replica renews it', async () => {
    const ann = await signedIn('ann');
    const before = ann.console.cookieHeader;
    clock.aheadMs += lifetimeSeconds * 1000;
    expect((await ann.console.send('GET', `${a}/api/private/v1/hosts`)).status).toBe(401);
    expect(await session(ann, b)).toMatchObject({ kind: 'signed-in', caller: { name: 'ann' } });
    expect(ann.console.cookieHeader).not.toBe(before);
    expect((await ann.console.send('GET', `${a}/api/private/v1/hosts`)).status).toBe(200);
    clock.aheadMs += 12 * 3_600_000;
    expect(await session(ann)).toMatchObject({ kind: 'ended' });
  });

  it('signs out at the issuer, too, and what the browser had is not renewed any more', async () => {
    const ann = await signedIn('ann');
    const kept = new Map(ann.console.cookies);
    const left = await ann.console.send('DELETE', `${b}/api/session`);
    const { location } = (await left.json()) as { location: string };
    expect(location.startsWith(`${issuer.url}/session/end?`)).toBe(true);
    expect(new URL(location).searchParams.get('post_logout_redirect_uri')).toBe(`${a}/`);
    expect(ann.console.cookies.size).toBe(0);
    expect((await ann.console.send('GET', `${a}/api/private/v1/hosts`)).status).toBe(401);
    for (const [name, value] of kept) ann.console.cookies.set(name, value);
    clock.aheadMs += lifetimeSeconds * 1000;
    expect(await session(ann)).toMatchObject({ kind: 'ended', problem: expect.stringContaining('does not renew the session') });
  });

  it('follows the key ring: a new key seals, an old one opens until it is taken out', async () => {
    const ann = await signedIn('ann');
    const old = await readFile(ring, 'utf8');
    const newer = KeyRing.generate();
    await writeFile(ring, newer + old);
    const idOf = (line = ''): unknown => JSON.parse(Buffer.from(/=([^.;]+)/.exec(line)?.[1] ?? '', 'base64url').toString() || '{}');
    await expect
      .poll(async () => idOf((await signedIn('tim')).console.cookieLines.findLast((line) => line.includes('-session='))))
      .toMatchObject({ kid: newer.split(':')[0] });
    expect((await ann.console.send('GET', `${a}/api/private/v1/hosts`)).status).toBe(200);
    await writeFile(ring, newer);
    for (const replica of [a, b]) {
      await expect.poll(async () => (await ann.console.send('GET', `${replica}/api/private/v1/hosts`)).status).toBe(401);
    }
  });

  it('logs who signed in, and no token and no secret', () => {
    const text = lines.join('\n');
    expect(text).toContain('somebody signed in');
    expect(text).toContain('"ann"');
    expect(text).not.toContain(secret);
    expect(text).not.toMatch(/eyJ[\w-]{10,}\./);
    expect(text).not.toMatch(/[?&]code=/);
  });
});
