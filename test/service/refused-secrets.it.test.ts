import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KeyRing } from '@quartermaster/store/key-ring';
import { startTestPostgres } from '@quartermaster/store/testing';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { hasNatsServer, NatsServer } from '../bus/nats-server.ts';
import { ConsoleBrowser } from '../console/console-browser.ts';
import { ConsoleSite } from '../console/console-roles.ts';
import { type RoleProcess, startRoleProcess } from '../console/role-processes.ts';
import { expectNone, mark } from '../fulfillment/canary-mark.ts';
import { ProviderIssuer } from '../fulfillment/provider-issuer.ts';
import { startSimulatedCluster } from '../inventory/operator-cluster.ts';
import { quartermaster } from '../up/running-up.ts';

const canary = `${mark}-of-a-setting`;
const fulfillment = ['service', 'fulfillment'] as const;
const inventory = ['operator', 'inventory'] as const;

let site: ConsoleSite;
beforeAll(async () => {
  site = await ConsoleSite.make();
});
afterAll(() => site.stop());

interface Refusal {
  readonly setting: string;
  /** The words of the refusal. */
  readonly says: string;
  readonly role: readonly string[];
  readonly args?: readonly string[];
  /** Content of the file that the setting names. */
  readonly file?: string;
}

/** Those of which no unit test says it. */
const refusals: readonly Refusal[] = [
  {
    setting: 'fulfillment-database-urls',
    says: '--fulfillment-database-urls: is not a known flag',
    role: fulfillment,
    args: [`--fulfillment-database-urls=postgresql://u:${canary}@h/d`],
  },
  {
    setting: 'nats-servers',
    says: 'must not hold credentials',
    role: inventory,
    args: [`--nats-servers=nats://u:${canary}@127.0.0.1:4222`],
  },
  {
    setting: 'console-key-ring-file',
    says: 'the key ring cannot be read: line 1',
    role: ['console'],
    args: ['--console-fulfillment-url=http://127.0.0.1:1'],
    file: `${canary}\n`,
  },
];

describe('a setting that is refused', () => {
  it.each(refusals)('ends the process with a reason that does not repeat what it holds: $setting', async (refusal) => {
    const { setting, says, role, args = [], file } = refusal;
    const named = file === undefined ? [] : [`--${setting}=${await site.file(`refused-${setting}`, file)}`];
    const { stdout, stderr, exitCode } = await quartermaster([...role, '--log-level=debug', ...named, ...args]);
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain(says);
    expectNone('what it says', stdout + stderr);
  });
});

describe('a secret in a file that others may read', () => {
  it('is not used: that of the client of an issuer', async () => {
    const file = await site.file('open-client-secret', canary);
    await chmod(file, 0o644);
    const issuer = ['--console-oidc-issuer=https://127.0.0.1:1', '--console-oidc-client-id=console', '--console-sign-in=oidc'];
    const urls = ['--console-public-url=https://127.0.0.1', '--console-fulfillment-url=http://127.0.0.1:1'];
    const started = site.start([...issuer, ...urls, `--console-oidc-client-secret-file=${file}`]);
    await expect(started).rejects.toThrow(/console-oidc-client-secret-file .* must not be accessible by other users: chmod o= it/);
  });
});

describe('a secret that a server refuses', () => {
  const browser = () => {
    const made = new ConsoleBrowser(site.authority.certificate);
    onTestFinished(() => made.close());
    return made;
  };
  const run = async (...args: Parameters<typeof startRoleProcess>): Promise<RoleProcess> => {
    const started = await startRoleProcess(...args);
    onTestFinished(async () => void (await started.stop()));
    return started;
  };
  /** Waits until it has told of the refusal, and looks at all that it says. */
  const expectToldWithout = async (process: RoleProcess, told: RegExp): Promise<void> => {
    await expect.poll(process.said, { timeout: 40_000, interval: 100 }).toMatch(told);
    const asked = ['/metrics', '/readyz?verbose', '/livez?verbose'].map(async (path) =>
      (await browser().send('GET', process.admin + path)).text(),
    );
    const [metrics = '', ...probes] = await Promise.all(asked);
    expect(metrics).toContain('quartermaster_');
    expectNone('a log, a metric or a probe', [process.said(), metrics, ...probes].join('\n'));
  };

  it('is in nothing that the role says while it tries again: the password of the database', async () => {
    const postgres = await startTestPostgres();
    onTestFinished(() => postgres.stop());
    const url = new URL(await postgres.createDatabase());
    url.password = canary;
    const process = await run(site, {
      role: fulfillment,
      args: [`--fulfillment-key-ring-file=${await site.file('ring', KeyRing.generate())}`],
      env: { QUARTERMASTER_FULFILLMENT_DATABASE_URL: url.href },
    });
    await expectToldWithout(process, /password authentication failed|28P01/);
  });

  it.skipIf(!hasNatsServer())(
    'is in nothing that the role says while it tries again: the password of the bus, the token of a kubeconfig',
    async () => {
      const [nats, cluster] = await Promise.all([NatsServer.start({ user: 'u', password: 'another' }), startSimulatedCluster()]);
      onTestFinished(async () => void (await Promise.all([nats.stop(), cluster.stop()])));
      const args = [`--nats-servers=${nats.url}`, '--nats-user=u', `--nats-password-file=${await site.file('nats-password', canary)}`];
      const onBus = await run(site, { role: inventory, args: [`--kubeconfig=${cluster.kubeconfig}`, ...args] });
      const known = parse(await readFile(cluster.kubeconfig, 'utf8')) as { readonly users: readonly [{ readonly name: string }] };
      const stranger = await site.file('kubeconfig', JSON.stringify({ ...known, users: [{ ...known.users[0], user: { token: canary } }] }));
      const onCluster = await run(site, { role: inventory, args: [`--kubeconfig=${stranger}`] });
      await expectToldWithout(onBus, /authorization violation/i);
      await expectToldWithout(onCluster, /unauthorized/i);
    },
  );

  it('is in no answer and no log: the secret of the console at its issuer, cookies, tokens and codes of browsers', async () => {
    const consoleUrl = 'https://127.0.0.1:1';
    // It knows the console by another secret.
    const sites = { console: { url: consoleUrl, callback: '/api/session/oidc/callback', lifetime: 600 } };
    const [issuer, asker] = [await ProviderIssuer.start({}, { sites }), browser()];
    onTestFinished(() => issuer.stop());
    await writeFile(join(site.folder, 'client-secret'), canary, { mode: 0o600 });
    const console = await run(site, {
      role: ['console'],
      args: [
        '--console-sign-in=oidc,token,link',
        `--console-public-url=${consoleUrl}`,
        `--console-oidc-issuer=${issuer.url}`,
        '--console-oidc-client-id=console',
        `--console-oidc-client-secret-file=${join(site.folder, 'client-secret')}`,
        `--console-fulfillment-url=${issuer.url}`,
      ],
    });
    await expect.poll(console.said, { timeout: 40_000, interval: 100 }).toContain('is ready');
    const said: string[] = [];
    const send = async (...[method, path, options]: Parameters<ConsoleBrowser['send']>): Promise<string> => {
      const answer = await asker.send(method, console.url + path, options);
      const text = await answer.text();
      said.push(`${answer.status} ${JSON.stringify([...answer.headers])} ${text}`);
      return text;
    };
    await send('POST', '/api/session', { body: { token: canary } });
    await send('POST', '/api/session', { body: { code: canary } });
    await send('POST', '/api/session', { body: { [canary]: canary } });
    await send('POST', '/api/session/links', { headers: { authorization: `Bearer ${canary}` } });
    const begun = JSON.parse(await send('POST', '/api/session/oidc', { body: {} })) as { readonly location: string; readonly key: string };
    const state = new URL(begun.location).searchParams.get('state') ?? '';
    const answered = `?${new URLSearchParams({ code: canary, state, iss: issuer.url }).toString()}`;
    // The browser gets back what it came with, for the page.
    const back = await asker.send('GET', `${console.url}/api/session/oidc/callback${answered}`);
    expect([back.status, new URL(back.headers.get('location') ?? '', consoleUrl).hash]).toEqual([
      303,
      expect.stringMatching(/^#returned=/),
    ]);
    await send('POST', '/api/session/oidc/callback', { headers: { 'x-quartermaster-console': begun.key }, body: { query: answered } });
    const cookie = `__Host-quartermaster-session=${canary}`;
    for (const path of ['/api/session', '/api/private/v1/hosts', '/api/inventory/v1/view'])
      await send('GET', path, { headers: { cookie } });
    expect(said.map((each) => each.slice(0, 3))).toEqual(['412', '401', '400', '412', '200', '401', '200', '401', '401']);
    expectNone('an answer', said.join('\n'));
    await expectToldWithout(console, /gave no token.*invalid_client/);
    expect(console.said()).not.toContain('[object Object]');
  });
});
