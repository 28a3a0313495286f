import { FakeClock, StatusError } from '@quartermaster/kernel';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LoginFolder } from '../fulfillment/test/login-folder.ts';
import { run, written } from '../fulfillment/test/run-program.ts';
import { FakeGateway } from '../gateway/test/fake-gateway.ts';
import { leaseLogs } from './lease-logs.ts';
import { FakeMarket } from './test/fake-market.ts';

let gateway: FakeGateway;
let market: FakeMarket;
let folder: LoginFolder;

beforeEach(async () => {
  gateway = await FakeGateway.start();
  market = await FakeMarket.start(gateway);
  folder = LoginFolder.make();
  folder.use();
  vi.stubEnv('QUARTERMASTER_MARKET_SERVER', market.address);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  folder.remove();
  await market.stop();
  await gateway.stop();
});

const [line, other] = [
  { name: 'web-0', message: 'GET / 200' },
  { name: 'web-1', message: 'ready\n' },
];

describe('lease logs', () => {
  it('prints each line with its pod, asked with a token for nothing else', async () => {
    gateway.tell(line, other);
    expect(await run('lease', 'logs', '7-1-1-p1', '--service', 'web,db', '--tail', '0')).toEqual({
      exitCode: 0,
      out: '[web-0] GET / 200\n[web-1] ready\n',
      err: '',
    });
    expect(gateway.asked).toMatchObject([
      { path: '/lease/7/1/1/logs', query: { follow: 'false', service: 'web,db', tail: '0' }, token: 'token-1' },
    ]);
    expect(market.signed).toMatchObject([{ id: '7-1-1-p1', scopes: ['logs'], services: ['web', 'db'], lifetime: { seconds: 900n } }]);
  });

  it('takes a deployment with one active lease, and has an object on each line for programs', async () => {
    market.leases = [{ id: '7-1-1-p1', state: 'closed' }, { id: '7-1-2-p1' }];
    gateway.tell(line, other);
    const { out } = await run('lease', 'logs', '7', '-o', 'json');
    expect(
      out
        .trimEnd()
        .split('\n')
        .map((each) => JSON.parse(each) as unknown),
    ).toEqual([line, { name: 'web-1', message: 'ready' }]);
    expect(gateway.asked).toMatchObject([{ path: '/lease/7/1/2/logs', query: { follow: 'false' } }]);
  });

  it('tells why the right to it ended, and fails', async () => {
    gateway.play = (socket) => socket.close(4003, 'the lease is closed');
    expect(await run('lease', 'logs', '7-1-1-p1', '-f')).toEqual({
      exitCode: 1,
      out: '',
      err: 'quartermaster: your right to it ended: the lease is closed\n',
    });
  });

  it('ends well where a person ends it', async () => {
    const ended = new AbortController();
    const { texts, output } = written();
    gateway.play = (socket) => socket.send(JSON.stringify(line));
    const following = leaseLogs(['7-1-1-p1'], { follow: true, output: 'text' }, output, ended.signal);
    await expect.poll(() => texts.out).toBe('[web-0] GET / 200\n');
    ended.abort();
    await following;
    expect(texts.err).toBe('');
  });

  it('goes on with what is new where the connection broke', async () => {
    const ended = new AbortController();
    const clock = new FakeClock();
    const { texts, output } = written();
    gateway.play = (socket, { query }) => (query['tail'] === '0' ? socket.send(JSON.stringify(line)) : socket.terminate());
    const following = leaseLogs(['7-1-1-p1'], { follow: true, tail: 5, output: 'text' }, output, ended.signal, clock);
    const printed = async (): Promise<string> => {
      await clock.advance(1_000);
      return texts.out;
    };
    await expect.poll(printed).toBe('[web-0] GET / 200\n');
    ended.abort();
    await following;
    expect(texts.err).toMatch(/^quartermaster: the connection to the gateway broke; connecting again\n/);
    expect(gateway.asked.map(({ query, token }) => [query['tail'], token])).toEqual([
      ['5', 'token-1'],
      ['0', 'token-2'],
    ]);
  });

  it('ends the colours of a line with it, on a terminal', async () => {
    gateway.tell({ name: 'web-0', message: '\u001B[31mred' });
    const { texts, output } = written();
    const out = { ...output.out, isTTY: true };
    await leaseLogs(['7-1-1-p1'], { follow: false, output: 'text' }, { ...output, out }, new AbortController().signal);
    expect(texts.out.endsWith(' \u001B[31mred\u001B[0m\n')).toBe(true);
  });

  it('is for the tenant alone', async () => {
    market.refusal = new StatusError('permission_denied', 'only tenants');
    const { exitCode, err } = await run('lease', 'logs', '7-1-1-p1');
    expect(exitCode).toBe(1);
    expect(err).toMatch(
      /^quartermaster: logs, shells and events of lease 7-1-1-p1 are for its tenant alone: run this with the tenant's login/,
    );
  });

  it('says what is missing where there is no such lease, no gateway, or the market signs nothing', async () => {
    market.leases = [{ id: '7-1-1-p1', state: 'without gateway' }];
    expect((await run('lease', 'logs', '7-1-1-p1')).err).toBe(
      'quartermaster: the provider of lease 7-1-1-p1 has not reported a gateway: ask again once it has\n',
    );
    expect((await run('lease', 'logs', '8-1-1-p1')).err).toContain('lease 8-1-1-p1 does not exist');
    market.refusal = new StatusError('failed_precondition', 'lease 7-1-1-p1 is closed');
    expect(await run('lease', 'logs', '7-1-1-p1')).toMatchObject({ exitCode: 1, err: 'quartermaster: lease 7-1-1-p1 is closed\n' });
  });
});

describe('lease events', () => {
  const event = (reason: string, name: string) => ({
    ...{ type: 'Normal', reason, note: `${reason} of\n${name}` },
    object: { kind: 'Pod', namespace: 'lease', name },
  });

  it('is a table of what happened', async () => {
    gateway.tell(event('Pulled', 'web-0'), event('Started', 'web-1'));
    expect((await run('lease', 'events', '7-1-1-p1')).out).toBe(
      'TYPE    REASON   OBJECT     NOTE\nNormal  Pulled   Pod/web-0  Pulled of web-0\nNormal  Started  Pod/web-1  Started of web-1\n',
    );
    expect(market.signed).toMatchObject([{ scopes: ['events'] }]);
    gateway.tell();
    expect((await run('lease', 'events', '7-1-1-p1')).out).toContain('There are no events');
  });

  it('is a line for each as it comes where it follows, and an object for programs', async () => {
    gateway.tell(event('Pulled', 'web-0'));
    const { out } = await run('lease', 'events', '7-1-1-p1', '-f');
    expect(out).toMatch(/^TYPE +REASON +OBJECT +NOTE\nNormal +Pulled +Pod\/web-0 +Pulled of web-0\n$/);
    expect(out.split('\n')[0]?.indexOf('NOTE')).toBe(out.split('\n')[1]?.indexOf('Pulled of'));
    expect(JSON.parse((await run('lease', 'events', '7-1-1-p1', '--json')).out)).toEqual(event('Pulled', 'web-0'));
    expect(gateway.asked.map(({ query }) => query)).toEqual([{ follow: 'true' }, { follow: 'false' }]);
  });
});

describe('lease status', () => {
  const body = {
    services: {
      web: { name: 'web', available: 2, total: 2, uris: ['hello.example.org'], updated_replicas: 1 },
      cache: { name: 'cache', available: 1, total: 1, uris: [], updated_replicas: 1 },
    },
    forwarded_ports: { cache: [{ host: 'node.example.org', port: 6379, externalPort: 31000, proto: 'TCP', name: 'cache' }] },
    ips: { cache: [{ Port: 53, ExternalPort: 5353, Protocol: 'UDP', IP: '192.0.2.1' }] },
    errors: ['web-1 is slow'],
  };

  it('has the figures of the gateway', async () => {
    gateway.answer = () => ({ status: 200, body });
    const { out } = await run('lease', 'status', '7-1-1-p1');
    expect(out).toMatch(/\nservice web +2\/2 available, 1\/2 updated +hello\.example\.org +-\n/);
    expect(out).toMatch(/\nservice cache +1\/1 available +node\.example\.org:31000->6379\/TCP, 192\.0\.2\.1:5353->53\/UDP +-\n/);
    expect(out).toMatch(/\nweb-1 is slow\nReplicas and addresses are live, from the gateway of the provider\.\n$/);
    expect(JSON.parse((await run('lease', 'status', '7-1-1-p1', '-o', 'json')).out)).toMatchObject({ kind: 'Lease', live: body });
    expect(market.signed).toMatchObject([{ scopes: ['status'] }, { scopes: ['status'] }]);
  });

  it('has the report of the market where the gateway cannot be asked, and says why', async () => {
    gateway.answer = () => ({ status: 503, body: { message: 'no cluster' } });
    const { exitCode, out } = await run('lease', 'status', '7-1-1-p1');
    expect(exitCode).toBe(0);
    expect(out).toMatch(/\nservice web +1\/2 available +hello\.example\.org +-\n/);
    expect(out).toMatch(/\nNo live figures: the gateway \S+ refused: no cluster\n$/);
    const { live } = JSON.parse((await run('lease', 'status', '7-1-1-p1', '--json')).out) as { live: unknown };
    expect(live).toEqual({ errors: [expect.stringContaining('no cluster')] });
    market.refusal = new StatusError('permission_denied', 'only tenants');
    expect((await run('lease', 'status', '7-1-1-p1')).out).toContain('No live figures: logs, shells and events of lease 7-1-1-p1');
  });

  it.each([
    ['without gateway', /No live figures: the provider of lease 7-1-1-p1 has not reported a gateway\n$/],
    ['unreported', /has not reported on this lease yet\.\n$/],
    ['closed', /gone by|removed\.\n/],
  ] as const)('signs no token for a lease that is %s', async (state, ends) => {
    market.leases = [{ id: '7-1-1-p1', state }];
    expect((await run('lease', 'status', '7-1-1-p1')).out).toMatch(ends);
    expect(market.signed).toEqual([]);
    expect(gateway.asked).toEqual([]);
  });
});

describe('lease send-manifest', () => {
  beforeEach(() => {
    market.leases = [{ id: '7-1-1-p1' }, { id: '7-2-1-p2' }, { id: '7-3-1-p2' }, { id: '7-4-1-p3', state: 'closed' }];
    gateway.answer = () => ({ status: 200 });
  });
  const sdl = () => folder.file('web.yaml', 'good');

  it('sends what the market makes of the SDL for every active lease, also of one provider that has two', async () => {
    for (const name of ['7', '7-2-1-p2']) {
      expect(await run('lease', 'send-manifest', name, sdl())).toEqual({
        exitCode: 0,
        out: ['7-1-1-p1', '7-2-1-p2', '7-3-1-p2'].map((id) => `${id} took the manifest of deployment 7\n`).join(''),
        err: '',
      });
    }
    const put = { method: 'PUT', path: '/deployment/7/manifest', body: '[{"name":"anywhere"}]' };
    expect(gateway.asked).toMatchObject([put, put, put, put, put, put]);
    expect(market.signed[0]).toMatchObject({ id: '7-1-1-p1', scopes: ['send-manifest'] });
  });

  it('sends a manifest as it is', async () => {
    await run('lease', 'send-manifest', '7', folder.file('m.json', '[ 1 ]'), '--manifest');
    expect(gateway.asked).toMatchObject([{ body: '[ 1 ]' }, { body: '[ 1 ]' }, { body: '[ 1 ]' }]);
  });

  it('says what each answers, an error on a line', async () => {
    gateway.answer = ({ token }) =>
      token === 'token-1'
        ? { status: 200 }
        : { status: 422, body: { message: 'it does not fit', errors: ['web: no image', 'db: no port'] } };
    const { exitCode, out, err } = await run('lease', 'send-manifest', '7', sdl());
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: '7-1-1-p1 took the manifest of deployment 7\n' });
    expect(err).toMatch(
      /^7-2-1-p2: the gateway \S+ refused: it does not fit\nweb: no image\ndb: no port\n7-3-1-p2: [^]*quartermaster: 2 of 3 leases have not taken the manifest\n$/,
    );
    market.signed.length = 0;
    expect(JSON.parse((await run('lease', 'send-manifest', '7', sdl(), '--json')).out)).toEqual([
      { lease: '7-1-1-p1' },
      { lease: '7-2-1-p2', error: expect.stringContaining('db: no port') },
      { lease: '7-3-1-p2', error: expect.stringContaining('db: no port') },
    ]);
  });

  it('sends nothing of an SDL with faults, nor of a deployment that nobody runs', async () => {
    const bad = folder.file('bad.yaml', 'bad');
    expect(await run('lease', 'send-manifest', '7', bad)).toEqual({
      exitCode: 2,
      out: '',
      err: `${bad}:2:3: /services: no (Bad)\nquartermaster: ${bad} has a fault: nothing was sent\n`,
    });
    market.leases = [];
    expect((await run('lease', 'send-manifest', '7', sdl())).err).toContain('deployment 7 has no active lease');
    expect(gateway.asked).toEqual([]);
  });
});

it('completes the commands, their leases and files', async () => {
  vi.stubEnv('QUARTERMASTER_TEST_COMPLETION_MS', '20000');
  const completed = async (text: string) =>
    (await run('__complete', '--line', `quartermaster lease ${text}`)).out.split('\n').map((each) => each.split('\t')[0]);
  expect(await completed('')).toEqual(['status', 'logs', 'shell', 'events', 'update', 'send-manifest', 'close', ':none', '']);
  for (const command of ['logs', 'shell', 'events', 'send-manifest']) expect(await completed(`${command} 7-`)).toContain('7-1-1-p1');
  expect(await completed('send-manifest 7 ')).toEqual([':files', '']);
  expect(await completed('logs --gateway-ca-file ')).toEqual([':files', '']);
  expect(await completed('shell --no')).toEqual(['--no-tty', ':none', '']);
});
