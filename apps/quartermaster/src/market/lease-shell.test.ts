import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { WebSocket } from 'ws';
import { LoginFolder } from '../fulfillment/test/login-folder.ts';
import { run, written } from '../fulfillment/test/run-program.ts';
import { FakeGateway } from '../gateway/test/fake-gateway.ts';
import { fakeShell } from '../gateway/test/fake-shell.ts';
import { type LeaseShellFlags, leaseShell } from './lease-shell.ts';
import { FakeMarket } from './test/fake-market.ts';

let gateway: FakeGateway;
let market: FakeMarket;
let folder: LoginFolder;
let frames: Buffer[];
let opened: PromiseWithResolvers<WebSocket>;

beforeEach(async () => {
  gateway = await FakeGateway.start();
  market = await FakeMarket.start(gateway);
  folder = LoginFolder.make();
  folder.use();
  vi.stubEnv('QUARTERMASTER_MARKET_SERVER', market.address);
  frames = [];
  opened = Promise.withResolvers();
  gateway.play = (socket) => {
    socket.on('message', (data) => frames.push(data as Buffer));
    opened.resolve(socket);
  };
});
afterEach(async () => {
  vi.unstubAllEnvs();
  folder.remove();
  await market.stop();
  await gateway.stop();
});

const frame = (code: number, body: string) => Buffer.concat([Buffer.of(code), Buffer.from(body)]);
const texts = (code: number): string =>
  Buffer.concat(frames.filter(([first]) => first === code).map((each) => each.subarray(1))).toString();

function start(
  shell = fakeShell(),
  command: readonly string[] = [],
  flags: Partial<LeaseShellFlags> = {},
  signal = new AbortController().signal,
) {
  const { texts: said, output } = written();
  const running = leaseShell(['7-1-1-p1', ...command], { service: 'web', podIndex: 0, ...flags }, output, signal, shell.streams).catch(
    (thrown: unknown) => thrown,
  );
  return { running, said };
}

it('runs a command and ends with its exit code, both outputs apart', async () => {
  const shell = fakeShell();
  const { running } = start(shell, ['ls', '-l', 'a b'], { podIndex: 2 });
  const socket = await opened.promise;
  socket.send(frame(100, 'out'));
  socket.send(frame(101, 'err'));
  socket.send(frame(99, 'whatever this is'));
  socket.send(frame(102, '{"exit_code":3}'));
  expect(await running).toBe(3);
  expect(shell.written).toEqual({ out: 'out', err: 'err' });
  expect(gateway.asked).toMatchObject([
    { path: '/lease/7/1/1/shell', query: { cmd0: 'ls', cmd1: '-l', cmd2: 'a b', service: 'web', podIndex: '2', tty: '0', stdin: '1' } },
  ]);
  expect(market.signed).toMatchObject([{ scopes: ['shell'], services: ['web'] }]);
  expect({ modes: shell.modes, listeners: shell.listeners, isPaused: shell.stdin.isPaused() }).toEqual({
    modes: [],
    listeners: 0,
    isPaused: true,
  });
});

it('passes on what is piped into it, in messages of a bounded size, and its end', async () => {
  const shell = fakeShell();
  const { running } = start(shell);
  const socket = await opened.promise;
  const input = 'x'.repeat(100_000);
  shell.stdin.end(input);
  await expect.poll(() => frames.map(({ length }) => length).at(-1)).toBe(1);
  expect(texts(104)).toBe(input);
  expect(Math.max(...frames.map(({ length }) => length))).toBeLessThanOrEqual(32 * 1024 + 1);
  socket.send(frame(102, '{"exit_code":0}'));
  expect(await running).toBe(0);
  expect(gateway.asked[0]?.query['cmd0']).toBe('sh');
});

it('is a terminal at a terminal: its size goes first and with every change, and it is given back', async () => {
  const shell = fakeShell({ isTTY: true });
  const { running } = start(shell);
  const socket = await opened.promise;
  await expect.poll(() => frames).toHaveLength(1);
  shell.stdin.write('\u0003');
  shell.resize(300, 50);
  await expect.poll(() => frames).toHaveLength(3);
  expect([...(frames[0] ?? [])]).toEqual([105, 0, 100, 0, 30]);
  expect(frames).toContainEqual(Buffer.of(105, 1, 44, 0, 50));
  expect(texts(104)).toBe('\u0003');
  expect(shell.modes).toEqual([true]);
  socket.send(frame(102, '{"exit_code":0}'));
  expect(await running).toBe(0);
  expect({ modes: shell.modes, listeners: shell.listeners }).toEqual({ modes: [true, false], listeners: 0 });
  expect(gateway.asked[0]?.query['tty']).toBe('1');
});

it('is none where it is not to be one', async () => {
  const shell = fakeShell({ isTTY: true });
  const { running } = start(shell, ['ls'], { tty: false });
  (await opened.promise).send(frame(102, '{"exit_code":0}'));
  await running;
  expect(gateway.asked[0]?.query['tty']).toBe('0');
  expect(shell.modes).toEqual([]);
});

it.each([
  [
    'the gateway cannot run it',
    (socket: WebSocket) => socket.send(frame(103, '{"message":"no pod is ready"}'), () => socket.close(1000)),
    'no pod is ready',
  ],
  ['the connection breaks', (socket: WebSocket) => socket.terminate(), 'the connection to the gateway broke'],
  ['nobody says how it ended', (socket: WebSocket) => socket.close(1000), 'without the exit code'],
  ['the right to it ended', (socket: WebSocket) => socket.close(4003, 'the key is revoked'), 'your right to it ended: the key is revoked'],
])('gives the terminal back and fails where %s', async (_what, end, message) => {
  const shell = fakeShell({ isTTY: true });
  const { running } = start(shell);
  end(await opened.promise);
  expect(await running).toMatchObject({ message: expect.stringContaining(message) });
  expect({ modes: shell.modes, listeners: shell.listeners }).toEqual({ modes: [true, false], listeners: 0 });
});

it('ends as a shell does where a person interrupts it', async () => {
  const shell = fakeShell();
  const ended = new AbortController();
  const { running } = start(shell, [], {}, ended.signal);
  const socket = await opened.promise;
  const closed = new Promise((resolve) => socket.once('close', resolve));
  ended.abort();
  expect(await running).toBe(130);
  await closed;
});

it('says what the gateway says of the end of the command', async () => {
  const { running, said } = start();
  (await opened.promise).send(frame(102, '{"exit_code":127,"message":"there is no program zsh"}'));
  expect(await running).toBe(127);
  expect(said.err).toBe('quartermaster: there is no program zsh\n');
});

describe('the service', () => {
  it('is the only one unless it is named', async () => {
    gateway.answer = ({ path }) => (path.endsWith('/status') ? { status: 200, body: { services: { web: {} } } } : { status: 101 });
    const { running } = start(fakeShell(), [], { service: undefined });
    (await opened.promise).send(frame(102, '{"exit_code":0}'));
    expect(await running).toBe(0);
    expect(gateway.asked[1]?.query['service']).toBe('web');
    expect(market.signed).toMatchObject([{ scopes: ['shell', 'status'], services: [] }]);
  });

  it.each([
    [{ web: {}, db: {} }, 'lease 7-1-1-p1 has several services: name one with --service: web, db'],
    [{}, 'lease 7-1-1-p1 has no services yet'],
  ])('is named where that is not clear: %j', async (services, message) => {
    gateway.answer = () => ({ status: 200, body: { services } });
    expect(await start(fakeShell(), [], { service: undefined }).running).toMatchObject({ message });
  });
});

describe('with credentials of its own', () => {
  it('asks the gateway that is named, and no market', async () => {
    gateway.play = (socket) => socket.send(frame(102, '{"exit_code":4}'), () => socket.close(1000));
    const [token, ca] = [folder.file('token', 'own\n'), folder.file('ca.pem', gateway.ca)];
    const own = ['--gateway', gateway.uri, '--gateway-ca-file', ca];
    expect(await run('lease', 'shell', '7/1/1', '--service', 'web', ...own, '--token-file', token, '--', 'ls', '-l')).toMatchObject({
      exitCode: 4,
      err: '',
    });
    expect(gateway.asked).toMatchObject([{ path: '/lease/7/1/1/shell', token: 'own', query: { cmd1: '-l' } }]);
    gateway.answer = () => ({ status: 200 });
    const manifest = folder.file('m.json', '[]');
    const send = ['lease', 'send-manifest', '7', manifest, ...own, '--token-file', token];
    expect((await run(...send)).err).toContain('give the manifest itself, with --manifest');
    expect((await run(...send, '--manifest')).out).toBe(`${gateway.uri} took the manifest of deployment 7\n`);
    expect(market.signed).toEqual([]);
  });

  const uri = ['--gateway', 'https://localhost:1'];
  it.each([
    [['7/1/1', ...uri], 'needs either --certificate-file with --key-file, or --token-file'],
    [['7/1/1', ...uri, '--certificate-file', 'c'], 'needs either'],
    [['7/1/1', ...uri, '--certificate-file', 'c', '--key-file', 'k', '--token-file', 't'], 'needs either'],
    [['7/1/1', ...uri, '--token-file', 't', '--insecure-skip-tls-verify'], '--insecure-skip-tls-verify is about the market'],
    [['7/1/1', ...uri, '--token-file', 't', '--ca-file', 'c'], '--ca-file is about the market'],
    [['7-1-1-p1', ...uri], 'a lease is DSEQ/GSEQ/OSEQ'],
    [['7-1-1-p1', '--gateway-ca-file', 'c'], 'name it with --gateway'],
  ])('says what does not go together: %j', async (args, message) => {
    expect(await run('lease', 'shell', ...args)).toMatchObject({ exitCode: 2, err: expect.stringContaining(message) });
  });

  it('points to -- where a command has flags', async () => {
    expect((await run('lease', 'shell', '7/1/1', 'ls', '-l')).err).toContain('-- goes before a command that has flags');
  });
});
