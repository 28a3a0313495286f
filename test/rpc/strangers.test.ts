import { once } from 'node:events';
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants, type OutgoingHttpHeaders } from 'node:http2';
import { InventoryService } from '@quartermaster/api/inventory';
import { FakeClock, StatusError } from '@quartermaster/kernel';
import { anonymous, CallLimits, type RpcServer, type RpcServerOptions, startRpcServer } from '@quartermaster/rpc';
import { afterEach, describe, expect, it } from 'vitest';
import { stubService } from './inventory-stub.ts';

const [ok, deadlineExceeded, notFound, resourceExhausted, unimplemented, unavailable, unauthenticated] = [0, 4, 5, 8, 12, 14, 16];
const unary = `/${InventoryService.typeName}/GetStatus`;
const stream = `/${InventoryService.typeName}/WatchInventory`;
const health = '/grpc.health.v1.Health';
const reflection = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo';

/** An empty message, and the first half of a long one. */
const empty = Buffer.alloc(5);
const half = Buffer.alloc(512 * 1024);
half.writeUInt32BE(1024 * 1024, 1);

describe('a server that strangers reach', () => {
  const clock = new FakeClock();
  const ends: (() => unknown)[] = [];
  let server: RpcServer;

  const start = async (options: Partial<RpcServerOptions> = {}): Promise<void> => {
    server = await startRpcServer({ services: [stubService({})], clock, ...options });
    ends.push(() => server.stop(0));
  };
  const open = async (): Promise<ClientHttp2Session> => {
    const session = connect(`http://${server.address}`);
    ends.push(() => session.destroy());
    session.on('error', () => {});
    await once(session, 'remoteSettings');
    return session;
  };
  const call = (session: ClientHttp2Session, path: string, headers: OutgoingHttpHeaders = {}): ClientHttp2Stream =>
    session.request({
      [constants.HTTP2_HEADER_METHOD]: 'POST',
      [constants.HTTP2_HEADER_PATH]: path,
      'content-type': 'application/grpc+proto',
      te: 'trailers',
      ...headers,
    });
  const statusOf = async (called: ClientHttp2Stream): Promise<number> => {
    called.resume();
    const told = new Promise<OutgoingHttpHeaders>((resolve) => {
      called.on('trailers', resolve).on('response', (given: OutgoingHttpHeaders) => {
        if (given['grpc-status'] !== undefined) resolve(given);
      });
    });
    return Number((await told)['grpc-status']);
  };

  afterEach(async () => {
    for (const end of ends.splice(0).toReversed()) await end();
  });

  it.each([unary, stream])('refuses them before they have sent anything by %s', async (path) => {
    await start({
      authenticate: () => {
        throw new StatusError('unauthenticated', 'show a token');
      },
    });
    expect(await statusOf(call(await open(), path))).toBe(unauthenticated);
  });

  it.each([unary, stream])('does not wait for ever for what they send by %s, and keeps nothing of it', async (path) => {
    let asked = 0;
    await start({
      authenticate: () => {
        asked += 1;
        return anonymous;
      },
    });
    const slow = call(await open(), path);
    slow.write(half);
    await expect.poll(() => asked).toBe(1);
    await clock.advance(29_999);
    expect(slow.closed).toBe(false);
    const [status] = await Promise.all([statusOf(slow), clock.advance(1)]);
    expect(status).toBe(unavailable);
    await expect.poll(() => slow.closed).toBe(true);
  });

  it.each([unary, stream])('keeps nothing either of what was not sent before their own deadline by %s', async (path) => {
    await start();
    const slow = call(await open(), path, { 'grpc-timeout': '50m' });
    slow.write(half);
    expect(await statusOf(slow)).toBe(deadlineExceeded);
    await expect.poll(() => slow.closed).toBe(true);
  });

  it('has bounds for their connections, and for the streams of each', async () => {
    await start({ bounds: { connections: 3, connectionsPerAddress: 2, streamsPerConnection: 7 } });
    const [first] = [await open(), await open()];
    expect(first?.remoteSettings.maxConcurrentStreams).toBe(7);
    const isRefused = async (): Promise<boolean> => {
      const session = connect(`http://${server.address}`);
      ends.push(() => session.destroy());
      session.on('error', () => {});
      return await Promise.race([once(session, 'remoteSettings').then(() => false), once(session, 'close').then(() => true)]);
    };
    expect(await isRefused()).toBe(true);
    const other = await startRpcServer({ services: [] });
    ends.push(() => other.stop(0));
    const elsewhere = connect(`http://${other.address}`);
    ends.push(() => elsewhere.destroy());
    await once(elsewhere, 'remoteSettings');
    first?.destroy();
    await expect.poll(isRefused).toBe(false);
  });

  it('tells them whether it serves, as often as they may ask, and nothing else', async () => {
    const limits = new CallLimits({ perSecond: 10, clock });
    const authenticate: RpcServerOptions['authenticate'] = ({ method }) => {
      if (method === `${health}/Check`) return anonymous;
      throw new StatusError('unauthenticated', 'show a token');
    };
    await start({ companions: 'health', authenticate, limits });
    const session = await open();
    const ask = async (path: string, message = empty): Promise<number> => {
      const called = call(session, path);
      called.end(message);
      return await statusOf(called);
    };
    const unknown = Buffer.from([0, 0, 0, 0, 3, 10, 1, 120]);
    expect(await ask(`${health}/Check`)).toBe(ok);
    expect(await ask(`${health}/Check`, unknown)).toBe(notFound);
    expect(await ask(`${health}/Watch`)).toBe(unimplemented);
    expect(await ask(reflection)).toBe(unimplemented);
    const more = [await ask(`${health}/Check`), await ask(`${health}/Check`), await ask(`${health}/Check`)];
    expect(more).toEqual([ok, ok, resourceExhausted]);
  });
});
