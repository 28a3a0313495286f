import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KeyRing } from '@quartermaster/store/key-ring';
import { startTestPostgres, type TestPostgres } from '@quartermaster/store/testing';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { keyOfKubeconfig } from '../fulfillment/canary-mark.ts';
import { ProviderIssuer, personHeader, resource, secret } from '../fulfillment/provider-issuer.ts';
import { addNode, hardwareOf, type OperatorCluster, report, startSimulatedCluster } from '../inventory/operator-cluster.ts';
import { LoopbackProxy } from '../support/loopback-proxy.ts';
import { hasBrowser, launchBrowser, openPage, type WatchedPage } from './browser.ts';
import { ConsoleBrowser } from './console-browser.ts';
import { ConsoleSite } from './console-roles.ts';
import { type RoleProcess, startRoleProcess, untilReady } from './role-processes.ts';
import { isExamined, screenFaults } from './screen-check.ts';

const robot = 'robot';

/** Two replicas of the console behind one address, the inventory and the fulfillment service: four processes, with TLS, and an issuer. */
describe.skipIf(!hasBrowser())('the console as processes of its own, in a browser', () => {
  const processes: RoleProcess[] = [];
  let browser: Browser;
  let site: ConsoleSite;
  let issuer: ProviderIssuer;
  let cluster: OperatorCluster;
  let postgres: TestPostgres;
  let databaseUrl: string;
  let way: LoopbackProxy;
  let client: ConsoleBrowser;
  let ring: string;
  let fulfillment: RoleProcess;
  let inventory: RoleProcess;
  let a: RoleProcess;
  let b: RoleProcess;
  let ann: WatchedPage;
  /** Everything that must stay between those who hold it. */
  const secrets = new Map<string, string>();

  const run = async (...[options]: [Parameters<typeof startRoleProcess>[1]]): Promise<RoleProcess> => {
    const started = await startRoleProcess(site, options);
    processes.push(started);
    return started;
  };
  const startConsole = (): Promise<RoleProcess> =>
    run({
      role: ['console'],
      args: [
        '--console-sign-in=oidc',
        `--console-public-url=${way.url}`,
        `--console-oidc-issuer=${issuer.url}`,
        '--console-oidc-client-id=console',
        `--console-oidc-client-secret-file=${join(site.folder, 'client-secret')}`,
        '--console-oidc-scopes=openid,offline_access',
        `--console-oidc-parameters=resource=${resource},prompt=consent`,
        `--console-key-ring-file=${ring}`,
        ...Object.entries({ fulfillment, inventory }).flatMap(([name, { url }]) => [
          `--console-${name}-url=${url}`,
          `--console-${name}-ca-file=${join(site.folder, 'ca.crt')}`,
        ]),
      ],
    });
  const leadTo = (replica: RoleProcess): void => {
    way.target = replica.url;
    way.cut();
  };

  beforeAll(async () => {
    [browser, site, cluster, postgres] = await Promise.all([
      launchBrowser({ keepsPages: true }),
      ConsoleSite.make(),
      startSimulatedCluster(),
      startTestPostgres(),
    ]);
    client = new ConsoleBrowser(site.authority.certificate);
    // Nobody is behind it yet.
    way = await LoopbackProxy.start('https://127.0.0.1:1');
    issuer = await ProviderIssuer.start(
      { [robot]: { claims: { username: robot, groups: ['admins'] } } },
      {
        sites: { console: { url: way.url, callback: '/api/session/oidc/callback', lifetime: 600 } },
        people: { ann: { username: 'ann', groups: ['blue'] }, tim: { username: 'tim', groups: ['acme'] } },
      },
    );
    await addNode(cluster.client, 'gpu-1');
    await report(cluster.client, 'gpu-1', hardwareOf('gpu-1'));
    ring = await site.file('ring', KeyRing.generate());
    await site.file('client-secret', `${secret}\n`);
    databaseUrl = await postgres.createDatabase();
    const own = await site.file('fulfillment-ring', KeyRing.generate());
    fulfillment = await run({
      role: ['service', 'fulfillment'],
      args: [`--fulfillment-issuers=${issuer.url}`, '--fulfillment-providers=user:ann', `--fulfillment-key-ring-file=${own}`],
      env: { QUARTERMASTER_FULFILLMENT_DATABASE_URL: databaseUrl },
    });
    inventory = await run({
      role: ['operator', 'inventory'],
      args: [`--kubeconfig=${cluster.kubeconfig}`, `--inventory-issuers=${issuer.url}`, '--inventory-readers=user:ann'],
    });
    a = await startConsole();
    b = await startConsole();
    await Promise.all([fulfillment, inventory, a, b].map((each) => untilReady(site, each)));
    leadTo(a);
  });
  afterAll(async () => {
    await browser?.close();
    await Promise.all(processes.map((each) => each.stop()));
    await Promise.all([way?.stop(), client?.close()]);
    await Promise.all([issuer?.stop(), postgres?.stop(), cluster?.stop(), site?.stop()]);
  });

  const visitor = (person: string): Promise<WatchedPage> =>
    openPage(browser, { ignoreHTTPSErrors: true, extraHTTPHeaders: { [personHeader]: person } });
  const signIn = async (page: Page, name: string): Promise<void> => {
    await page.getByRole('button', { name: 'Sign in with your identity provider' }).click();
    await page.getByRole('button', { name }).waitFor();
    for (const cookie of await page.context().cookies()) secrets.set(`cookie ${cookie.name} of ${name}`, cookie.value);
  };
  const signInPage = (page: Page) => page.getByRole('heading', { name: 'Sign in to Quartermaster' });
  const go = (page: Page, name: string) => page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name }).click();
  const live = (page: Page) => page.getByText(/^live ·/).waitFor();
  /** Somebody else, who does not use the console. */
  const addClass = async (name: string): Promise<void> => {
    const token = await issuer.token(robot);
    secrets.set('token of the robot', token);
    const answer = await client.send('POST', `${fulfillment.url}/api/private/v1/host_classes`, {
      headers: { authorization: `Bearer ${token}` },
      body: { metadata: { name } },
    });
    expect(answer.status).toBe(200);
  };

  it('shows nothing before the sign-in, and then live pages of both services at the address that was asked for', async () => {
    ann = await visitor('ann');
    const { page } = ann;
    await page.goto(`${way.url}/nodes`);
    await signInPage(page).waitFor();
    expect(await page.content()).not.toContain('gpu-1');
    expect(await screenFaults(page, 'sign-in-issuer', isExamined)).toEqual([]);
    await signIn(page, 'ann · provider');
    expect(page.url()).toBe(`${way.url}/nodes`);
    await page.getByRole('link', { name: 'gpu-1', exact: true }).waitFor();
    await live(page);
    await page.evaluate('window.wasNotReloaded = true');
    await addNode(cluster.client, 'gpu-2');
    await page.getByRole('link', { name: 'gpu-2', exact: true }).waitFor();
    await go(page, 'Host classes');
    await page.getByText('There are no host classes').waitFor();
    await addClass('of-the-robot');
    await page.getByRole('link', { name: 'of-the-robot' }).waitFor();
  });

  it('writes as who signed in', async () => {
    const { page } = ann;
    await page.getByRole('button', { name: 'New host class' }).click();
    await page.getByLabel('Name', { exact: true }).fill('of-ann');
    await page.getByRole('button', { name: 'Create host class' }).click();
    await page.getByRole('heading', { name: 'of-ann', level: 1 }).waitFor();
    await page.getByRole('region', { name: 'History' }).getByText('created by ann').waitFor();
    const headers = { authorization: `Bearer ${await issuer.token(robot)}` };
    const stored = await client.send('GET', `${fulfillment.url}/api/private/v1/host_classes`, { headers });
    expect(await stored.json()).toMatchObject({
      items: expect.arrayContaining([
        expect.objectContaining({ metadata: expect.objectContaining({ name: 'of-ann', creators: ['ann'] }) }),
      ]),
    });
  });

  it('goes on at the other replica when the first one stops: same page, same session, reads, streams and writes', async () => {
    const { page } = ann;
    expect(await a.stop()).toBe(0);
    leadTo(b);
    await go(page, 'Host classes');
    await addClass('after-the-switch');
    await page.getByRole('link', { name: 'after-the-switch' }).waitFor();
    await page.getByRole('link', { name: 'of-ann' }).click();
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Title').fill('By the second replica');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved the host class of-ann.').waitFor();
    await go(page, 'Nodes');
    await addNode(cluster.client, 'gpu-3');
    await page.getByRole('link', { name: 'gpu-3', exact: true }).waitFor();
    await live(page);
    expect(await page.evaluate('window.wasNotReloaded')).toBe(true);
  });

  it('keeps a session while its key is in the ring, on either replica, and asks for a new sign-in when it is not', async () => {
    const { page } = ann;
    const old = await readFile(ring, 'utf8');
    const newer = KeyRing.generate();
    const readAgain = async (times: number): Promise<void> => {
      const read = () => b.said().split('the key ring of the console was read again').length - 1;
      await expect.poll(read, { timeout: 20_000 }).toBe(times);
    };
    await writeFile(ring, newer + old);
    await readAgain(1);
    await page.reload();
    await page.getByRole('link', { name: 'gpu-3', exact: true }).waitFor();
    await writeFile(ring, newer);
    await readAgain(2);
    await page.reload();
    await signInPage(page).waitFor();
    expect(await page.content()).not.toMatch(/gpu-\d|of-ann/);
    await signIn(page, 'ann · provider');
    a = await startConsole();
    await untilReady(site, a);
    leadTo(a);
    await page.reload();
    await page.getByRole('link', { name: 'gpu-3', exact: true }).waitFor();
    secrets.set('key of sessions, before', old.split(':')[1]?.trim() ?? '');
    secrets.set('key of sessions', newer.split(':')[1]?.trim() ?? '');
  });

  it('shows a tenant the pages of tenants, and nothing of what the provider has', async () => {
    const { page, close } = await visitor('tim');
    const asked: string[] = [];
    await page.goto(`${way.url}/nodes`);
    page.on('request', (request) => asked.push(request.url()));
    await signIn(page, 'tim · tenant');
    await page.getByText('There is no such page').waitFor();
    const links = await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').allInnerTexts();
    expect(links.map((link) => link.trim())).toEqual([
      'Quartermaster',
      'Hosts',
      'Host classes',
      'Clusters',
      'Templates',
      'Host pools',
      'Events',
    ]);
    await page.goto(`${way.url}/`);
    await page.getByTestId('object-count').waitFor();
    expect(await page.content()).not.toMatch(/gpu-\d/);
    expect(asked.filter((url) => /\/api\/(private|inventory|console)\//.test(url))).toEqual([]);
    await close();
  });

  it('shows nothing after the sign-out, also to who goes back, page by page', async () => {
    const { page } = ann;
    await go(page, 'Host classes');
    await page.getByRole('link', { name: 'of-ann' }).click();
    await page.getByRole('heading', { name: 'of-ann', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'ann · provider' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Yes, sign me out' }).click();
    await signInPage(page).waitFor();
    expect(page.url()).toBe(`${way.url}/`);
    expect((await page.context().cookies(way.url)).filter(({ name }) => name.includes('quartermaster'))).toEqual([]);
    const seen: string[] = [];
    for (let back = 0; back < 6; back += 1) {
      await page.goBack();
      const isOurs = page.url().startsWith(way.url);
      if (isOurs) await signInPage(page).waitFor();
      // The issuer may lead on from its own page by itself.
      const content = await vi.waitFor(() => page.content(), { timeout: 10_000, interval: 50 });
      expect(content).not.toMatch(/gpu-\d|of-ann|of-the-robot|after-the-switch/);
      seen.push(isOurs ? new URL(page.url()).pathname.replace(/(?<=classes\/).*/, 'ID') : 'issuer');
    }
    expect(seen).toEqual(['/', '/host-classes/ID', '/host-classes', '/nodes', '/nodes', '/host-classes/ID']);
    // The issuer has no icon, and a replica that is stopping answers with 503.
    const ours = ann.problems.filter((problem) => !problem.includes(new URL(issuer.url).host));
    expect(ours.filter((problem) => !/ERR_|status of (401|503)/.test(problem))).toEqual([]);
    await ann.close();
  });

  it('has none of its secrets in any log, at any level, in a metric, a probe or what it says of itself', async () => {
    const partOf = async (file: string, part: number): Promise<string> =>
      (await readFile(join(site.folder, file), 'utf8')).split(/[:\n]/)[part] ?? '';
    secrets.set('secret of the client', secret);
    secrets.set('password of the database', new URL(databaseUrl).password);
    secrets.set('key of secrets', await partOf('fulfillment-ring', 1));
    secrets.set('key of the certificate', await partOf('tls.key', 2));
    secrets.set('key of the kubeconfig', keyOfKubeconfig(await readFile(cluster.kubeconfig, 'utf8')));
    const running = [fulfillment, inventory, a, b];
    const served = ['/metrics', '/readyz?verbose', '/livez?verbose'];
    const said = processes.map((each) => each.said());
    for (const { admin, url } of running) {
      for (const path of served) said.push(await (await client.send('GET', admin + path)).text());
      said.push(await (await client.send('GET', `${url}/readyz`)).text(), await (await client.send('GET', `${url}/metrics`)).text());
    }
    const text = said.join('\n');
    expect(text).toContain('somebody signed in');
    expect(text).toContain('"level":"debug"');
    expect(text).toContain('quartermaster_fulfillment_calls_total');
    expect([...secrets].filter(([, value]) => value.length < 16)).toEqual([]);
    expect([...secrets].filter(([, value]) => text.includes(value)).map(([name]) => name)).toEqual([]);
    // No token of anybody, the cookies and the issuer's included, and no code of a sign-in.
    expect(text).not.toMatch(/eyJ[\w-]{10,}\.|[?&]code=/);
    expect(secrets.size).toBeGreaterThan(9);
  });
});
