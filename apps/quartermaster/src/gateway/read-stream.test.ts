import type { JsonObject } from '@bufbuild/protobuf';
import { FakeClock, StatusError } from '@quartermaster/kernel';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { WebSocket } from 'ws';
import { GatewayClient } from './gateway-client.ts';
import { readStream, type StreamOptions } from './read-stream.ts';
import { FakeGateway } from './test/fake-gateway.ts';

let gateway: FakeGateway;
let sockets: WebSocket[];
let taken: unknown[];
let warned: string[];
let opened: number;
let clock: FakeClock;

beforeEach(async () => {
  clock = new FakeClock();
  gateway = await FakeGateway.start();
  sockets = [];
  taken = [];
  warned = [];
  opened = 0;
  gateway.play = (socket) => sockets.push(socket);
});
afterEach(async () => await gateway.stop());

/** The gateway never falls silent, however fast the clock goes. */
const patient = new FakeClock();

const options = (more: Partial<StreamOptions> = {}): StreamOptions => ({
  open: async () => {
    opened += 1;
    const client = new GatewayClient({ uri: gateway.uri, ca: gateway.ca, token: `t${opened}`, clock: patient });
    return { path: '/lease/7/1/1', client, renewAfterMs: 60_000 };
  },
  target: (connection) => `/logs?is=${connection}`,
  repeats: false,
  follow: true,
  take: (message: JsonObject) => taken.push(message['line']),
  warn: (line) => warned.push(line),
  clock,
  random: { next: () => 1 } as never,
  ...more,
});

const start = (more?: Partial<StreamOptions>, signal = new AbortController().signal) =>
  readStream(options(more), signal).then(
    () => 'ended',
    (thrown: unknown) => thrown,
  );

const socket = async (number: number): Promise<WebSocket> => {
  await expect.poll(() => sockets.length).toBeGreaterThanOrEqual(number);
  return sockets[number - 1] as WebSocket;
};
const say = (to: WebSocket, ...lines: readonly string[]): void => {
  for (const line of lines) to.send(JSON.stringify({ line }));
};
/** The reader waits for the end of its token. */
const settled = async () => await expect.poll(() => clock.pendingTimers).toBe(1);
const later = async <T>(of: () => T): Promise<T> => {
  await clock.advance(5_000);
  return of();
};
const heard = async (...lines: readonly string[]) => await expect.poll(() => taken).toEqual(lines);

it('ends where the gateway says that there is no more', async () => {
  const reading = start();
  const first = await socket(1);
  say(first, 'a');
  first.close(1000);
  expect(await reading).toBe('ended');
  expect({ taken, warned }).toEqual({ taken: ['a'], warned: [] });
});

it('connects again with another token where the connection breaks, and says so', async () => {
  const reading = start();
  const first = await socket(1);
  say(first, 'a');
  await heard('a');
  first.terminate();
  await expect.poll(() => warned).toEqual(['the connection to the gateway broke; connecting again']);
  await clock.advance(5_000);
  const second = await socket(2);
  say(second, 'a', 'b');
  await heard('a', 'a', 'b');
  expect(warned[1]).toBe('connected again; lines of the time between may be missing');
  expect(gateway.asked.map(({ query, token }) => [query['is'], token])).toEqual([
    ['first', 't1'],
    ['another', 't2'],
  ]);
  second.close(1000);
  await reading;
});

it('tries until the gateway is back, and says each reason once', async () => {
  const reading = start();
  const first = await socket(1);
  gateway.answer = () => ({ status: 503, body: { message: 'starting' } });
  first.close(4002, 'no cluster');
  await expect.poll(() => warned).toHaveLength(1);
  await expect.poll(() => later(() => gateway.asked.length)).toBeGreaterThanOrEqual(4);
  gateway.answer = () => ({ status: 101 });
  await expect.poll(() => later(() => sockets)).toHaveLength(2);
  await expect.poll(() => warned).toHaveLength(3);
  expect(warned[0]).toContain('no cluster');
  expect(warned[1]).toMatch(/: starting; trying again$/);
  (await socket(2)).close(1000);
  await reading;
});

it.each([
  [4001, 'not_found'],
  [4003, 'permission_denied'],
])('does not go on where waiting mends nothing: close code %i', async (code, status) => {
  const reading = start();
  (await socket(1)).close(code, 'it is closed');
  expect(await reading).toMatchObject({ code: status, message: expect.stringMatching(/: it is closed$/) });
  expect(opened).toBe(1);
});

it('ends with what the first connection is refused with, and with what another one is', async () => {
  gateway.answer = () => ({ status: 429, body: { message: 'too many' } });
  expect(await start()).toMatchObject({ code: 'resource_exhausted' });
  gateway.answer = () => ({ status: 101 });
  const reading = start();
  gateway.answer = ({ query }) => (query['is'] === 'another' ? { status: 401, body: { message: 'who?' } } : { status: 101 });
  (await socket(1)).terminate();
  await expect.poll(() => warned).toHaveLength(1);
  await clock.advance(5_000);
  expect(await reading).toMatchObject({ code: 'unauthenticated' });
});

it('fails where the connection breaks and nobody follows', async () => {
  const reading = start({ follow: false });
  (await socket(1)).terminate();
  expect(await reading).toMatchObject({ code: 'unavailable', message: 'the connection to the gateway broke' });
});

it('has another connection before its token ends, and tells each line once', async () => {
  const reading = start();
  const first = await socket(1);
  await settled();
  await clock.advance(60_000);
  const second = await socket(2);
  const closed = new Promise((resolve) => first.once('close', resolve));
  say(first, 'a', 'b');
  await heard('a', 'b');
  say(second, 'a', 'b', 'c');
  await heard('a', 'b', 'c');
  say(first, 'c');
  await clock.advance(5_000);
  await closed;
  say(second, 'c');
  await heard('a', 'b', 'c', 'c');
  expect(warned).toEqual([]);
  second.close(1000);
  expect(await reading).toBe('ended');
});

it('goes on with another token where the old one ended before there was one', async () => {
  let isAway = false;
  const { open } = options();
  const reading = start({
    open: async () => {
      if (isAway) throw new StatusError('unavailable', 'the market is away');
      return await open();
    },
  });
  const first = await socket(1);
  await settled();
  isAway = true;
  await clock.advance(60_000);
  isAway = false;
  first.close(4003, 'the token ended');
  await expect.poll(() => warned).toHaveLength(1);
  await clock.advance(5_000);
  (await socket(2)).close(4003, 'the lease is closed');
  expect(await reading).toMatchObject({ code: 'permission_denied', message: expect.stringContaining('the lease is closed') });
});

it('ends quietly and closes the connection where the signal aborts, also between two', async () => {
  const ended = new AbortController();
  const reading = start({}, ended.signal);
  const first = await socket(1);
  const closed = new Promise((resolve) => first.once('close', resolve));
  ended.abort();
  expect(await reading).toBe('ended');
  await closed;
  const other = new AbortController();
  const waiting = start({}, other.signal);
  (await socket(2)).terminate();
  await expect.poll(() => warned).toHaveLength(1);
  other.abort();
  expect(await waiting).toBe('ended');
  expect(opened).toBe(2);
});
