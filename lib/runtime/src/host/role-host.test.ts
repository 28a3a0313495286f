import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClusterRPC, NodeRPC } from '@quartermaster/api/akash-inventory';
import { codeOf, FakeClock, StatusError, seededRandom } from '@quartermaster/kernel';
import { type Cache, KubeClient, KubeTransport, kinds, staticCredentials } from '@quartermaster/kube';
import { type Authenticate, type Identity, openRpcChannel, serve } from '@quartermaster/rpc';
import { createLogger, failed, Health, Metrics, type RoleContext, SharedParts, watchConfig } from '@quartermaster/service';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { declareRole, type RoleDeclaration, ServedRoles, sharedKubernetes, sharedServed } from '../index.ts';
import type { RoleHost } from './role-host.ts';

const settings = { 'sample-word': z.string().default('hello').describe('A word.') };

type Sample = RoleDeclaration<typeof settings>;

function sample(start: (host: RoleHost<{ 'sample-word': string }>) => object | Promise<object>, parts: Partial<Sample> = {}) {
  return declareRole({ name: 'sample', prefix: 'sample', summary: 'For tests.', settings, load: () => Promise.resolve(start), ...parts });
}

function contextOf(role: ReturnType<typeof sample>, values: Readonly<Record<string, unknown>> = {}) {
  const failures: unknown[] = [];
  const health = new Health();
  const metrics = new Metrics({ process: false });
  const shared = new SharedParts();
  const served = new ServedRoles();
  shared.provide(sharedServed, served);
  const context: RoleContext = {
    config: role.config.schema.parse(values),
    onConfig: () => {},
    version: '1.2.3',
    log: createLogger({ destination: { write: () => true } }),
    metrics,
    health,
    clock: new FakeClock(),
    random: seededRandom(1),
    signal: new AbortController().signal,
    shared,
    fail: (thrown) => void failures.push(thrown),
  };
  return { context, failures, health, metrics, served };
}

const deadline = { withinMs: 1000, signal: new AbortController().signal };
/** A client whose API server does not answer. */
function lonelyClient(): KubeClient {
  const client = new KubeClient(new KubeTransport({ credentials: staticCredentials({ server: 'http://127.0.0.1:1' }) }));
  onTestFinished(() => client.close());
  return client;
}
const podCache = { type: kinds.pods, project: () => 1 };
const anybody: Identity = { kind: 'token', name: 'anybody', groups: [] };
const anyPorts = { 'sample-grpc-port': 0, 'sample-rest-port': 0 };

const never = async function* (): AsyncGenerator<never, void, undefined> {};
const Sample = {
  open: serve(ClusterRPC, { queryCluster: () => ({}), streamCluster: never }),
  closed: serve(NodeRPC, { queryNode: () => ({}), streamNode: never }),
};

describe('a role on its host', () => {
  it('gets its own settings, and stops what it keeps in the reverse order', async () => {
    const stopped: string[] = [];
    const role = sample((host) => {
      for (const name of ['first', 'second']) host.keep(name, () => stopped.push(`${name} ${host.config['sample-word']}`));
      return {};
    });
    const handle = await role.start(contextOf(role, { 'sample-word': 'bye' }).context);
    await handle.stop(deadline);
    expect(stopped).toEqual(['second bye', 'first bye']);
  });

  it('starts all or nothing: what was kept before a failure is stopped, also where one of them fails to', async () => {
    const stopped: string[] = [];
    const role = sample((host) => {
      host.keep('first', () => stopped.push('first'));
      host.keep('second', () => {
        throw new Error('does not stop');
      });
      throw new Error('no third');
    });
    await expect(role.start(contextOf(role).context)).rejects.toThrow('no third');
    expect(stopped).toEqual(['first']);
  });

  it('stops what faces others before everything else, whatever was started after it', async () => {
    const stopped: string[] = [];
    const role = sample((host) => {
      host.keep('servers', () => stopped.push('servers'), 'first');
      host.keep('election', () => stopped.push('election'));
      return {};
    });
    const handle = await role.start(contextOf(role).context);
    await handle.stop(deadline);
    expect(stopped).toEqual(['servers', 'election']);
  });

  it('stops its servers before what they use, also when that was started later', async () => {
    const answers: unknown[] = [];
    const role = sample(
      async (host) => {
        const { rest } = await host.serve({ services: [], callers: () => anybody, isServing: () => true });
        const get = async () => (await fetch(`${rest}/livez`, { headers: { connection: 'close' } })).status;
        answers.push(await get());
        host.keep('used', async () => answers.push(await get().catch((error: unknown) => error)));
        return {};
      },
      { servers: { grpc: 1, rest: 2 } },
    );
    const handle = await role.start(contextOf(role, anyPorts).context);
    await handle.stop(deadline);
    expect(answers).toEqual([200, expect.objectContaining({ message: 'fetch failed' })]);
  });

  it('stops at once what comes after it has stopped, and waits for what comes while it stops', async () => {
    const stopped: string[] = [];
    let keep: RoleHost['keep'] | undefined;
    const role = sample((host) => {
      ({ keep } = host);
      keep('first', () => {
        keep?.('meanwhile', async () => {
          await Promise.resolve();
          stopped.push('meanwhile');
        });
        stopped.push('first');
      });
      return {};
    });
    const handle = await role.start(contextOf(role).context);
    await handle.stop(deadline);
    expect(stopped.toSorted()).toEqual(['first', 'meanwhile']);
    keep?.('late', () => stopped.push('late'));
    keep?.('failing', () => {
      throw new Error('does not stop');
    });
    expect(stopped).toContain('late');
  });

  it('leaves no cache behind that was still being opened when the start failed', async () => {
    let opening: Promise<Cache<number>> | undefined;
    const role = sample(
      (host) => {
        opening = host.caches.open(podCache);
        throw new Error('no start');
      },
      { kubernetes: true },
    );
    const { context } = contextOf(role);
    context.shared.provide(sharedKubernetes, lonelyClient());
    await expect(role.start(context)).rejects.toThrow('no start');
    const cache = await opening;
    await expect.poll(() => cache?.status().state).toBe('stopped');
  });

  it.each([
    [[], 'one'],
    [['--context', 'two'], 'two'],
  ])('connects to the context of the kubeconfig that %j names', async (args, expected) => {
    const directory = await mkdtemp(join(tmpdir(), 'contexts-'));
    onTestFinished(async () => await rm(directory, { recursive: true }));
    const asked: string[] = [];
    const clusters = await Promise.all(
      ['one', 'two'].map(async (name) => {
        const server = createServer((_request, response) => {
          asked.push(name);
          response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
        });
        await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
        onTestFinished(() => void server.close());
        const { port } = server.address() as AddressInfo;
        return { name, cluster: { server: `http://127.0.0.1:${port}`, 'insecure-skip-tls-verify': true } };
      }),
    );
    const kubeconfig = join(directory, 'config');
    const contexts = clusters.map(({ name }) => ({ name, context: { cluster: name, user: 'me' } }));
    const users = [{ name: 'me', user: { token: 't' } }];
    await writeFile(kubeconfig, JSON.stringify({ clusters, users, contexts, 'current-context': 'one' }));
    const role = sample(
      async (host) => {
        await (await host.kubernetes()).find(kinds.pods, { namespace: 'a', name: 'b' });
        return {};
      },
      { kubernetes: true },
    );
    const config = await watchConfig(role.config, { args: ['--kubeconfig', kubeconfig, ...args] });
    onTestFinished(() => config.close());
    const handle = await role.start(contextOf(role, config.current).context);
    await handle.stop(deadline);
    expect(asked).toEqual([expected]);
  });

  it('opens one cache for all who ask for the same, also when they ask at the same time', async () => {
    const opened: Cache<number>[] = [];
    const role = sample(
      async (host) => {
        opened.push(...(await Promise.all([host.caches.open(podCache), host.caches.open(podCache)])), await host.caches.open(podCache));
        opened.push(await host.caches.open({ ...podCache }));
        return {};
      },
      { kubernetes: true },
    );
    const { context } = contextOf(role);
    context.shared.provide(sharedKubernetes, lonelyClient());
    const handle = await role.start(context);
    expect(new Set(opened).size).toBe(2);
    expect(opened[3]).not.toBe(opened[0]);
    await handle.stop(deadline);
    expect(opened.map((cache) => cache.status().state)).toEqual(Array(4).fill('stopped'));
  });

  it('says the same of every cache that is out of reach, in its health and in its metrics, whoever opened it', async () => {
    const role = sample(
      async (host) => {
        await host.caches.open(podCache);
        (await host.caches.opener()).open({ ...podCache, name: 'toolbox' });
        return {};
      },
      { kubernetes: true },
    );
    const { context, health, metrics } = contextOf(role);
    context.shared.provide(sharedKubernetes, lonelyClient());
    const handle = await role.start(context);
    const [check] = (await health.report('ready')).checks;
    expect(check).toMatchObject({
      name: 'caches',
      state: 'degraded',
      reason: expect.stringMatching(/^out of reach: pods \(.+\), toolbox \(/),
    });
    const { text } = await metrics.scrape();
    expect(text).toContain('quartermaster_stale_caches{role="sample",cache="pods"} 1');
    expect(text).toContain('quartermaster_stale_caches{role="sample",cache="toolbox"} 1');
    await handle.stop(deadline);
  });

  it('fails with work that it runs, but not with work that ends because it stops', async () => {
    const role = sample((host) => {
      host.run('doomed', () => Promise.reject(new Error('lost')));
      host.run('patient', (signal) => new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('told')))));
      return {};
    });
    const { context, failures } = contextOf(role);
    const handle = await role.start(context);
    await handle.stop(deadline);
    expect(failures).toEqual([new Error('lost')]);
  });

  it('refuses a part that its declaration does not name', async () => {
    const role = sample((host) => {
      void host.kubernetes();
      return {};
    });
    await expect(role.start(contextOf(role).context)).rejects.toThrow('uses kubernetes without declaring it');
  });

  it('says what a fuse needs', async () => {
    const fuse = { name: 'f', what: 'pods', windowMs: 1000 };
    const role = sample(async (host) => await host.fuse(fuse), { kubernetes: true });
    await expect(role.start(contextOf(role).context)).rejects.toThrow('needs kubernetes and lease');
  });

  it.each([
    ['on-cluster', true],
    ['alone', false],
  ] as const)('asks the shared cluster when up runs it %s: %s', async (up, isShared) => {
    const folder = await mkdtemp(join(tmpdir(), 'role-host-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const kubeconfig = join(folder, 'kubeconfig');
    const clusters = [{ name: 'own', cluster: { server: 'https://own.example' } }];
    const contexts = [{ name: 'own', context: { cluster: 'own', user: 'own' } }];
    const users = [{ name: 'own', user: { token: 't' } }];
    await writeFile(kubeconfig, JSON.stringify({ apiVersion: 'v1', kind: 'Config', clusters, contexts, users, 'current-context': 'own' }));
    const client = await KubeClient.connect({ kubeconfig });
    let found: KubeClient | undefined;
    const role = sample(
      async (host) => {
        found = await host.kubernetes();
        return {};
      },
      { kubernetes: true, up },
    );
    const { context } = contextOf(role, { kubeconfig });
    context.shared.provide(sharedKubernetes, client);
    const handle = await role.start(context);
    expect(found === client).toBe(isShared);
    await handle.stop(deadline);
    await client.close();
  });

  it('serves probes, metrics and its addresses under its name, and counts calls', async () => {
    const servers = { grpc: 1, rest: 2 };
    const start = async (host: RoleHost<{ 'sample-word': string }>) => {
      await host.serve({
        services: [],
        callers: () => anybody,
        isServing: () => true,
        routes: [{ path: '/word', answer: () => ({ json: 'x' }) }],
      });
      host.health.register('word', 'ready', () => ({ state: 'degraded', reason: 'mumbles' }));
      return { status: () => ({ word: 1 }) };
    };
    const role = sample(start, { servers });
    const { context, served, health, metrics } = contextOf(role, anyPorts);
    const handle = await role.start(context);
    const rest = served.of('sample')?.rest ?? '';
    const told: unknown[] = [];
    served.subscribe(() => told.push(served.of('sample')));
    const get = async (path: string) => (await fetch(`${rest}${path}`, { headers: { connection: 'close' } })).text();
    expect(await get('/readyz')).toBe('degraded\n');
    expect((await health.report('ready')).checks).toMatchObject([{ name: 'word', state: 'degraded' }]);
    await get('/word');
    expect((await metrics.scrape()).text).toContain('quartermaster_sample_calls_total{method="/word",transport="rest",outcome="ok"} 1');
    expect(handle.status?.()).toMatchObject({ rest, word: 1 });
    await handle.stop(deadline);
    await expect(get('/livez')).rejects.toThrow('fetch failed');
    // Nobody is told of an address whose port may be somebody else's by now.
    expect(told).toEqual([undefined]);
  });

  it('has nothing for callers that nobody knows, also on loopback, and limits those that are known', async () => {
    const servers = { grpc: 1, rest: 2 };
    const role = sample(
      async (host) => {
        const callers: Authenticate = ({ token }) => {
          if (token === 'good') return anybody;
          throw new StatusError('unauthenticated', 'show a token');
        };
        const routes = [{ path: '/word', answer: () => ({ json: host.config['sample-word'] }) }];
        await host.serve({ services: [], callers, isServing: () => true, routes });
        return {};
      },
      { servers },
    );
    const { context, served } = contextOf(role, { ...anyPorts, 'sample-requests-per-second': 1 });
    const handle = await role.start(context);
    const get = async (token: string): Promise<readonly [number, string | null, string]> => {
      const headers = { connection: 'close', authorization: `Bearer ${token}` };
      const answer = await fetch(`${served.of('sample')?.rest}/word`, { headers });
      return [answer.status, answer.headers.get('retry-after'), await answer.text()];
    };
    for (let calls = 0; calls < 4; calls += 1) expect((await get('good'))[0]).toBe(200);
    expect(await get('good')).toEqual([429, '1', expect.stringContaining('have sample-requests-per-second raised')]);
    expect(await get('made-up')).toMatchObject([401, null, expect.not.stringContaining('hello')]);
    await handle.stop(deadline);
  });

  it('serves what has no identity on a port of its own, and nothing else there', async () => {
    const servers = { grpc: 1, rest: 2 };
    const role = sample(
      async (host) => {
        const callers: Authenticate = () => Promise.reject(new StatusError('unauthenticated', 'show a token'));
        const [open, closed] = [Sample.open, Sample.closed];
        await host.serve({
          services: [open, closed],
          callers,
          isServing: () => true,
          withoutIdentity: { host: '127.0.0.1', port: 0, services: [open] },
        });
        return {};
      },
      { servers },
    );
    const { context, served } = contextOf(role, anyPorts);
    const handle = await role.start(context);
    const ask = async (address: string | undefined, service: typeof ClusterRPC | typeof NodeRPC): Promise<unknown> => {
      const channel = openRpcChannel({ address: address ?? '', tries: 1 });
      const answer = service === ClusterRPC ? channel.client(ClusterRPC).queryCluster({}) : channel.client(NodeRPC).queryNode({});
      return await answer.then(() => 'answered', codeOf).finally(() => channel.close());
    };
    const { grpc, withoutIdentity } = served.of('sample') ?? {};
    expect([await ask(grpc, ClusterRPC), await ask(grpc, NodeRPC)]).toEqual(['unauthenticated', 'unauthenticated']);
    expect([await ask(withoutIdentity, ClusterRPC), await ask(withoutIdentity, NodeRPC)]).toEqual(['answered', 'not_found']);
    await handle.stop(deadline);
  });

  it('keeps the addresses of its later start when the earlier one ends late', () => {
    const served = new ServedRoles();
    const earlier = { grpc: '127.0.0.1:1', rest: 'http://127.0.0.1:2' };
    const later = { grpc: '127.0.0.1:3', rest: 'http://127.0.0.1:4' };
    served.put('sample', earlier);
    served.put('sample', later);
    served.remove('sample', earlier);
    expect(served.of('sample')).toBe(later);
  });

  it('knows how up runs it with free ports', () => {
    const role = sample(() => ({}), { servers: { grpc: 1, rest: 2, certificates: 3 }, up: 'alone' });
    expect(role.portFlags).toEqual(['--sample-grpc-port', '--sample-rest-port', '--sample-certificate-port']);
    expect(role.declaration.up).toBe('alone');
  });
});

describe('a role that serves plain HTTP', () => {
  const servers = { http: 8443 };

  it('is handed a listener with probes that say one word, and says where it serves', async () => {
    const role = sample(
      async (host) => {
        host.health.register('coffee', 'ready', () => failed('the pot of secret-name is empty'));
        const listener = await host.http();
        await listener.listen((_request, response) => void response.end(`${listener.scheme} hello`));
        return {};
      },
      { servers },
    );
    expect(role.portFlags).toEqual(['--sample-port']);
    const handle = await role.start(contextOf(role, { 'sample-port': 0 }).context);
    const served = handle.status?.() as { readonly http: string } | undefined;
    const http = served?.http ?? '';
    const get = async (path: string): Promise<readonly [number, string]> => {
      const answer = await fetch(http + path, { headers: { connection: 'close' } });
      return [answer.status, await answer.text()];
    };
    expect(await get('/any')).toEqual([200, 'http hello']);
    expect(await get('/livez?verbose')).toEqual([200, 'ok\n']);
    expect(await get('/readyz')).toEqual([503, 'failed\n']);
    await handle.stop(deadline);
    await expect(fetch(http)).rejects.toThrow('fetch failed');
  });

  it('needs TLS beyond loopback, and a key to its certificate', () => {
    const { config } = sample(() => ({}), { servers });
    const problems = (values: object) => config.check(config.schema.parse(values)).map(({ key }) => key);
    expect(problems({})).toEqual([]);
    expect(problems({ 'sample-host': '0.0.0.0' })).toEqual(['sample-host']);
    expect(problems({ 'sample-host': '0.0.0.0', 'sample-tls-cert-file': 'a', 'sample-tls-key-file': 'b' })).toEqual([]);
    expect(problems({ 'sample-tls-cert-file': 'a' })).toEqual(['sample-tls-cert-file']);
  });

  it('cannot serve contracts that it does not declare', async () => {
    const role = sample((host) => host.serve({ services: [], callers: () => anybody, isServing: () => true }), { servers });
    await expect(role.start(contextOf(role).context)).rejects.toMatchObject({ code: 'internal' });
  });
});
