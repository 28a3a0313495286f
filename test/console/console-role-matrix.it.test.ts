import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import { startTestFulfillment, type TestFulfillment } from '@quartermaster/fulfillment/testing';
import { KubeClient, kinds } from '@quartermaster/kube';
import { type SimulatedServer, startSimulatedServer } from '@quartermaster/simulator';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { expectNone, mark } from '../fulfillment/canary-mark.ts';
import { plantSecrets } from '../fulfillment/planted-secrets.ts';
import { ConsoleBrowser } from './console-browser.ts';
import { AheadClock, ConsoleSite, ScriptedInventory } from './console-roles.ts';

const canary = `${mark}-of-a-pod`;

const people = ['tenant', 'provider', 'admin'] as const;
const nobodies = [
  'none',
  'expired',
  'tampered cookie',
  'cookie of another key',
  'signed out as tenant',
  'signed out as provider',
  'signed out as admin',
  'used link code',
  'expired link code',
  'token that nobody takes',
] as const;
type Kind = (typeof people)[number] | (typeof nobodies)[number];

interface Route {
  readonly method: string;
  readonly path: string;
  /** The status for everybody who has not signed in. */
  readonly nobody: number;
  readonly tenant: number;
  readonly provider: number;
  readonly admin: number;
  readonly body?: unknown;
  /** Whether a success gives out a secret. */
  readonly isRevealing?: boolean;
  /** Whether a success does not end: its status is read, and the rest is left. */
  readonly isStream?: boolean;
}

const open = (method: string, path: string, status = 200): Route => ({
  method,
  path,
  nobody: status,
  tenant: status,
  provider: status,
  admin: status,
});
const route = (method: string, path: string, [tenant, provider, admin]: readonly [number, number, number], body?: unknown): Route => ({
  method,
  path,
  nobody: 401,
  tenant,
  provider,
  admin,
  body,
});

const revealing = (path: string, statuses: readonly [number, number, number]): Route => ({
  ...route('GET', path, statuses),
  isRevealing: true,
});

const stream = (path: string, statuses: readonly [number, number, number]): Route => ({ ...route('GET', path, statuses), isStream: true });

const routes: readonly Route[] = [
  open('GET', '/'),
  open('GET', '/nodes?name=a'),
  open('GET', '/livez'),
  open('GET', '/readyz'),
  open('GET', '/assets/nothing.js', 404),
  open('GET', '/api/session'),
  open('POST', '/api/session', 400),
  // Whoever signs out is out, whether there was a session or not.
  open('DELETE', '/api/session'),
  // Nobody signs in by an issuer here.
  open('POST', '/api/session/oidc', 412),
  open('GET', '/api/session/oidc/callback?code=a', 412),
  open('POST', '/api/session/oidc/callback', 412),
  // A session is no token: a link is made for who shows one.
  route('POST', '/api/session/links', [401, 401, 401]),
  route('GET', '/api/console/v1/installation', [200, 200, 200]),
  route('GET', '/api/fulfillment/v1/clusters', [200, 200, 200]),
  stream('/api/events/v1/events', [200, 200, 200]),
  route('GET', '/api/private/v1/hosts', [403, 200, 200]),
  stream('/api/private/v1/events/watch', [403, 200, 200]),
  route('GET', '/api/private/v1/hosts/planted-host', [403, 200, 200]),
  revealing('/api/private/v1/hosts/planted-host?reveal=true', [403, 403, 200]),
  route('GET', '/api/private/v1/hubs', [403, 200, 200]),
  route('GET', '/api/private/v1/hubs/planted-hub', [403, 200, 200]),
  revealing('/api/private/v1/hubs/planted-hub?reveal=true', [403, 403, 200]),
  route('GET', '/api/private/v1/clusters', [403, 200, 200]),
  route('GET', '/api/private/v1/clusters/planted-cluster', [403, 200, 200]),
  revealing('/api/private/v1/clusters/planted-cluster?reveal=true', [403, 403, 200]),
  route('GET', '/api/fulfillment/v1/clusters/planted-cluster', [200, 200, 200]),
  route('GET', '/api/fulfillment/v1/clusters/planted-cluster?reveal=true', [400, 400, 400]),
  revealing('/api/fulfillment/v1/clusters/planted-cluster/kubeconfig', [200, 403, 200]),
  revealing('/api/fulfillment/v1/clusters/planted-cluster/password', [200, 403, 200]),
  route('GET', '/api/quartermaster/v1/audit', [403, 200, 200]),
  route('POST', '/api/private/v1/host_classes', [403, 200, 200], { metadata: { name: 'a' } }),
  route('GET', '/api/quartermaster/v1/session', [200, 200, 200]),
  route('GET', '/openapi.json', [200, 200, 200]),
  route('GET', '/api/inventory/v1/view?view=nodes', [403, 200, 200]),
  stream('/api/inventory/v1/views:watch?views=nodes', [403, 200, 200]),
  route('GET', '/api/cluster/v1/status', [403, 200, 200]),
  route('POST', '/api/cluster/v1/fit:explain', [403, 200, 200], {}),
  route('GET', '/api/console/v1/pods', [403, 200, 200]),
  route('GET', '/api/console/v1/pods?filter=web', [403, 200, 200]),
  route('GET', '/api/console/v1/pods?filter=this.nod', [403, 400, 400]),
  route('GET', '/api/console/v1/pod-names?query=web', [403, 200, 200]),
  route('GET', '/api/console/v1/pods?node=a,status.phase=b', [403, 400, 400]),
  route('GET', '/api/console/v1/pods/default/web', [403, 200, 200]),
  route('GET', '/api/console/v1/pods/default/gone', [403, 404, 404]),
  route('GET', '/api/console/v1/pods/default/gone/log', [403, 404, 404]),
  // Of a container that never ran.
  stream('/api/console/v1/pods/default/web/log?follow=true', [403, 400, 400]),
  route('GET', '/api/console/v1/events?kind=Pod&name=web', [403, 200, 200]),
  route('GET', '/api/console/v1/topics/overview', [404, 404, 404]),
  route('GET', '/api/nothing', [404, 404, 404]),
  route('POST', '/api/nothing', [404, 404, 404]),
  route('DELETE', '/api/console/v1/pods/default/web', [404, 404, 404]),
];

/** What Fastify tells of a route when it is registered. */
interface RegisteredRoute {
  readonly method: string | readonly string[];
  readonly url: string;
}

/** The routes of every server that Fastify makes until the returned function is called. */
function watchRoutes(): () => readonly RegisteredRoute[] {
  const registered: RegisteredRoute[] = [];
  const onServer = (message: unknown): void => {
    const { fastify } = message as { fastify: { addHook(name: 'onRoute', hook: (added: RegisteredRoute) => void): void } };
    fastify.addHook('onRoute', ({ method, url }) => void registered.push({ method, url }));
  };
  subscribe('fastify.initialization', onServer);
  return () => {
    unsubscribe('fastify.initialization', onServer);
    // Fastify itself adds a HEAD to every GET.
    return registered.filter(({ method }) => method !== 'HEAD');
  };
}

/** Whose rows these are: a path is answered by the longest pattern that it fits, one without a wildcard before others. */
function answering({ method, path }: Route, registered: readonly RegisteredRoute[]): RegisteredRoute | undefined {
  const [asked = ''] = path.split('?');
  const fits = ({ method: methods, url }: RegisteredRoute): boolean =>
    [methods].flat().includes(method) && new RegExp(`^${url.replaceAll(/:\w+/g, '[^/]+').replaceAll('*', '.*')}$`).test(asked);
  const rank = ({ url }: RegisteredRoute): number => (url.includes('*') ? 0 : 1_000) + url.length;
  return registered.filter(fits).toSorted((a, b) => rank(b) - rank(a))[0];
}

describe('routes of the console × kinds of sessions', () => {
  const clock = new AheadClock();
  const inventory = new ScriptedInventory();
  const reserving = new ScriptedInventory();
  const browsers = new Map<Kind, ConsoleBrowser>();
  let site: ConsoleSite;
  let service: TestFulfillment;
  let cluster: SimulatedServer;
  let url: string;
  let registered: readonly RegisteredRoute[];
  /** What came of the sign-ins before. */
  const began: Record<string, number> = {};

  const tokenOf = (role: (typeof people)[number]): Promise<string> =>
    service.token({ name: role, role, groups: role === 'tenant' ? ['acme'] : [] });

  beforeAll(async () => {
    [site, service, cluster] = await Promise.all([ConsoleSite.make(), startTestFulfillment(), startSimulatedServer()]);
    await plantSecrets(service.admin, () => `${mark}-of-an-object`);
    const kubeconfig = join(site.folder, 'kubeconfig');
    await writeFile(kubeconfig, cluster.kubeconfig, { mode: 0o600 });
    const client = await KubeClient.connect({ kubeconfig });
    await client.create(kinds.pods, {
      metadata: { namespace: 'default', name: 'web' },
      spec: { containers: [{ name: 'web', image: 'web', env: [{ name: 'PASSWORD', value: canary }] }] },
    });
    await client.close();
    const upstreams = [
      `--console-fulfillment-url=${service.restUrl}`,
      `--console-inventory-url=${await inventory.start()}`,
      `--console-cluster-url=${await reserving.start()}`,
    ];
    const start = (ring: string, ...args: readonly string[]) =>
      site.start([...upstreams, '--console-sign-in=token,link', `--console-key-ring-file=${join(site.folder, ring)}`, ...args], {
        clock,
        kubeconfig,
      });
    const registeredNow = watchRoutes();
    const ours = await start('ring', '--console-kubernetes=true');
    registered = registeredNow();
    ({ url } = ours);
    const hasty = await start('ring', '--console-session-lifetime=1m');
    const foreign = await start('other-ring');

    const browserOf = (kind: Kind): ConsoleBrowser => {
      const browser = new ConsoleBrowser(site.authority.certificate);
      browsers.set(kind, browser);
      return browser;
    };
    const signIn = async (kind: Kind, role: (typeof people)[number], where = url): Promise<ConsoleBrowser> => {
      const browser = browserOf(kind);
      const answer = await browser.send('POST', `${where}/api/session`, { body: { token: await tokenOf(role) } });
      began[kind] = answer.status;
      return browser;
    };
    const linkOf = async (): Promise<string> => {
      const headers = { authorization: `Bearer ${await tokenOf('admin')}` };
      const answer = await new ConsoleBrowser(site.authority.certificate).send('POST', `${url}/api/session/links`, { headers });
      const { url: link } = (await answer.json()) as { readonly url: string };
      return new URL(link).hash.slice('#code='.length);
    };
    const redeem = async (kind: Kind, code: string): Promise<number> =>
      (await (browsers.get(kind) ?? browserOf(kind)).send('POST', `${url}/api/session`, { body: { code } })).status;

    const late = await linkOf();
    await signIn('expired', 'admin', hasty.url);
    clock.aheadMs += 11 * 60_000;
    began['expired link code'] = await redeem('expired link code', late);

    browserOf('none');
    for (const role of people) await signIn(role, role);
    const tampered = await signIn('tampered cookie', 'admin');
    const [[name, value] = ['', '']] = tampered.cookies;
    const middle = Math.floor(value.length / 2);
    tampered.cookies.set(name, `${value.slice(0, middle)}${value[middle] === 'A' ? 'B' : 'A'}${value.slice(middle + 1)}`);
    await signIn('cookie of another key', 'admin', foreign.url);
    for (const role of people) {
      const leaving = await signIn(`signed out as ${role}`, role);
      began[`sign-out of ${role}`] = (await leaving.send('DELETE', `${url}/api/session`)).status;
    }
    const used = await linkOf();
    const linked = new ConsoleBrowser(site.authority.certificate);
    began['link code'] = (await linked.send('POST', `${url}/api/session`, { body: { code: used } })).status;
    await linked.close();
    began['used link code'] = await redeem('used link code', used);
    const wrong = await browserOf('token that nobody takes').send('POST', `${url}/api/session`, { body: { token: 'made-up' } });
    began['wrong token'] = wrong.status;
    inventory.asked.length = 0;
  });

  afterAll(async () => {
    await Promise.all([...browsers.values()].map((browser) => browser.close()));
    await site?.stop();
    await Promise.all([service?.stop(), cluster?.stop(), inventory.stop(), reserving.stop()]);
  });

  beforeEach(() => {
    // Sign-ins that come to nothing are limited, and here are more of them than people make.
    clock.aheadMs += 10_000;
  });

  it('has a row for every route that there is, those of each upstream included', () => {
    expect(registered.map(({ url: path }) => path)).toEqual(
      expect.arrayContaining(['/api/private/*', '/api/inventory/v1/*', '/api/cluster/v1/*', '/openapi.json', '/api/session', '/*']),
    );
    const rows = new Set(routes.map((each) => answering(each, registered)));
    expect(registered.filter((each) => !rows.has(each))).toEqual([]);
  });

  it('begins with sign-ins that came to what they should', () => {
    expect(began).toEqual({
      tenant: 200,
      provider: 200,
      admin: 200,
      expired: 200,
      'tampered cookie': 200,
      'cookie of another key': 200,
      'signed out as tenant': 200,
      'signed out as provider': 200,
      'signed out as admin': 200,
      'sign-out of tenant': 200,
      'sign-out of provider': 200,
      'sign-out of admin': 200,
      'link code': 200,
      'used link code': 401,
      'expired link code': 401,
      'wrong token': 401,
    });
  });

  it.each(nobodies)('answers as said to %s, and asks nobody else', async (kind) => {
    const browser = browsers.get(kind);
    const cookie = browser?.cookieHeader ?? '';
    const statuses: (readonly [string, number | undefined])[] = [];
    for (const { method, path, body } of routes) {
      // The page and its like ask with the cookie even after the console took it away.
      const headers = cookie === '' ? {} : { cookie };
      const answer = await browser?.send(method, url + path, { body, headers });
      expectNone(path, (await answer?.text()) ?? '');
      statuses.push([`${method} ${path}`, answer?.status]);
    }
    expect(statuses).toEqual(routes.map(({ method, path, nobody }) => [`${method} ${path}`, nobody]));
    expect(inventory.asked).toEqual([]);
  });

  it.each(people)(
    'gives somebody who signed out as %s what it gives to who never signed in, and never more than to who is',
    async (role) => {
      const answersTo = async (kind: Kind): Promise<readonly string[]> => {
        const answers: string[] = [];
        for (const { method, path, body } of routes) {
          const answer = await browsers.get(kind)?.send(method, url + path, { body });
          // The page has a nonce of its own each time.
          const said = (await answer?.text())?.replaceAll(/nonce="[^"]*"/g, '');
          answers.push(`${method} ${path}: ${answer?.status} ${said}`);
        }
        return answers;
      };
      expect(await answersTo(`signed out as ${role}`)).toEqual(await answersTo('none'));
      expect(routes.filter((each) => each.nobody < 400 && each[role] >= 400)).toEqual([]);
      expect(inventory.asked).toEqual([]);
    },
  );

  it.each(people)('answers as said to a session of the role %s, with its own token and without its cookie', async (kind) => {
    inventory.asked.length = 0;
    const browser = browsers.get(kind);
    const statuses: (readonly [string, number | undefined])[] = [];
    const cookies = [...(browser?.cookies ?? [])];
    for (const { method, path, body, isRevealing = false, isStream = false } of routes) {
      const named = body === undefined ? undefined : { metadata: { name: `class-of-${kind}` } };
      const leaving = new AbortController();
      // Only a stream of events begins before there is one.
      const headers: Record<string, string> = isStream ? { accept: 'text/event-stream' } : {};
      const answer = await browser?.send(method, url + path, { body: named, headers, signal: leaving.signal });
      const isLeft = isStream && answer?.status === 200;
      const text = isLeft ? '' : ((await answer?.text()) ?? '');
      if (isLeft) leaving.abort();
      // Whoever was signed out has the session again for the next route.
      for (const [name, value] of cookies) browser?.cookies.set(name, value);
      if (isRevealing && answer?.status === 200) expect(() => expectNone(path, text)).toThrow('has a secret');
      else expectNone(path, text);
      statuses.push([`${method} ${path}`, answer?.status]);
    }
    expect(statuses).toEqual(routes.map((each) => [`${each.method} ${each.path}`, each[kind]]));
    expect(inventory.asked.map((asked) => asked.url)).toEqual(
      kind === 'tenant' ? [] : ['/v1/view?view=nodes', '/v1/views:watch?views=nodes'],
    );
    for (const asked of inventory.asked)
      expect(asked).toMatchObject({ authorization: expect.stringMatching(/^Bearer ey/), cookie: undefined });
    inventory.asked.length = 0;
  });

  it.each([
    ['provider', 403],
    ['reader', 403],
    ['admin', 200],
  ])('shows a service account that the inventory alone knows, as %s, pods and Events with %i, and no logs', async (role, status) => {
    inventory.callers.set(`of-the-${role}`, { name: 'system:serviceaccount:default:robot', role });
    const robot = new ConsoleBrowser(site.authority.certificate);
    expect((await robot.send('POST', `${url}/api/session`, { body: { token: `of-the-${role}` } })).status).toBe(200);
    const paths = ['pods', 'pods?filter=web', 'pods/default/web', 'pods/default/web/log', 'events'];
    const answers = await Promise.all(paths.map((path) => robot.send('GET', `${url}/api/console/v1/${path}`)));
    expect((await Promise.all(answers.map((answer) => answer.text()))).join()).not.toContain(canary);
    const expected = paths.map((path) => (path.endsWith('/log') ? 403 : status));
    expect(answers.map((answer) => answer.status)).toEqual(expected);
    expect(await (await robot.send('GET', `${url}/api/console/v1/installation`)).json()).toMatchObject({ kubernetes: status === 200 });
    await robot.close();
    inventory.asked.length = 0;
  });

  it('takes nothing that changes something from a page of another site, or from none, also with a good session', async () => {
    const browser = browsers.get('admin');
    for (const headers of [{ origin: 'https://evil.example' }, { origin: 'null' }, { 'sec-fetch-site': 'same-site' }]) {
      for (const [method, path] of [
        ['POST', '/api/private/v1/host_classes'],
        ['POST', '/api/session'],
        ['DELETE', '/api/session'],
      ] as const) {
        expect((await browser?.send(method, url + path, { headers, body: {} }))?.status).toBe(403);
      }
    }
  });

  it('takes a cookie for nothing without the key of its sign-in, and leaves it where it is', async () => {
    const { cookieHeader: cookie = '' } = browsers.get('admin') ?? {};
    const thief = new ConsoleBrowser(site.authority.certificate);
    await thief.send('POST', `${url}/api/session`, { body: { token: await tokenOf('tenant') } });
    const lines = thief.cookieLines.length;
    // By another port of the machine, which browsers send cookies to as well: with no key, with one made up, with one of its own.
    const asked = async (key: string, method: string, path: string) => {
      const answer = await thief.send(method, url + path, { headers: { cookie, 'x-quartermaster-console': key } });
      return [answer.status, await answer.json()];
    };
    const refused = [401, expect.objectContaining({ code: 'unauthenticated', details: { reason: 'SESSION_REPLACED' } })];
    for (const key of ['', '1', thief.key ?? '']) {
      expect(await asked(key, 'GET', '/api/private/v1/hosts')).toEqual(refused);
      expect(await asked(key, 'POST', '/api/private/v1/host_classes')).toEqual(refused);
      expect(await asked(key, 'DELETE', '/api/session')).toEqual(refused);
      expect(await asked(key, 'GET', '/api/session')).toEqual([200, { kind: 'other', signIn: ['token', 'link'] }]);
    }
    expect(thief.cookieLines).toHaveLength(lines);
    await thief.close();
  });

  it('is not found under another name, and passes on no path that climbs out of what an upstream may be asked', async () => {
    const { cookieHeader: cookie = '', key = '' } = browsers.get('admin') ?? {};
    const { certificate: ca } = site.authority;
    const { port } = new URL(url);
    // As no client would send it that takes addresses for what they are.
    const statusOf = (path: string, host = `127.0.0.1:${port}`): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const call = request(
          {
            host: '127.0.0.1',
            port,
            path,
            ca,
            agent: false,
            servername: 'localhost',
            headers: { host, cookie, 'x-quartermaster-console': key },
          },
          (answer) => {
            answer.resume();
            resolve(answer.statusCode);
          },
        );
        call.once('error', reject).end();
      });
    expect(await statusOf('/api/private/v1/hosts')).toBe(200);
    for (const host of ['evil.example', `127.0.0.1.evil.example:${port}`]) expect(await statusOf('/api/private/v1/hosts', host)).toBe(403);
    for (const path of ['../../metrics', '%2e%2e/metrics', '..%2f..%2fmetrics/../../../../readyz']) {
      expect(await statusOf(`/api/inventory/v1/${path}`)).toBe(400);
    }
    expect(inventory.asked).toEqual([]);
  });

  it('tells those who look what the upstreams are, and tenants nothing of where they are', async () => {
    const answerTo = async (kind: Kind) =>
      (await (await browsers.get(kind)?.send('GET', `${url}/api/console/v1/installation`))?.json()) as object;
    const ready = [
      { name: 'fulfillment', state: 'ready' },
      { name: 'inventory', state: 'ready' },
      { name: 'cluster', state: 'ready' },
    ];
    expect(await answerTo('admin')).toEqual({ version: '0.1.0-test', signIn: ['token', 'link'], upstreams: ready, kubernetes: true });
    expect(await answerTo('tenant')).toMatchObject({ upstreams: ready, kubernetes: false });
  });

  it('passes a stream as it comes, and ends it with the browser', async () => {
    const leaving = new AbortController();
    const answer = await browsers.get('admin')?.send('GET', `${url}/api/inventory/v1/views:watch?views=nodes`, { signal: leaving.signal });
    const reader = answer?.body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader?.read())?.value).toContain('"view":"nodes"');
    inventory.streams.at(-1)?.write('data: {"view":"capacity"}\n\n');
    expect((await reader?.read())?.value).toContain('"view":"capacity"');
    const isClosed = new Promise((resolve) => inventory.streams.at(-1)?.once('close', resolve));
    leaving.abort();
    await isClosed;
  });
});
