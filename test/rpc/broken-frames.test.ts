import { once } from 'node:events';
import { type ClientHttp2Session, connect, constants, type OutgoingHttpHeaders } from 'node:http2';
import { gzipSync } from 'node:zlib';
import { InventoryService } from '@quartermaster/api/inventory';
import { type RpcServer, startRpcServer } from '@quartermaster/rpc';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stubService } from './inventory-stub.ts';

const ok = 0;
const invalidArgument = 3;
const unimplemented = 12;

interface Answer {
  readonly code: number;
  readonly message: string;
}

describe('callers that break the rules of gRPC itself', () => {
  let server: RpcServer;
  let session: ClientHttp2Session;
  let calls = 0;

  beforeEach(async () => {
    calls = 0;
    const count = (): Record<string, never> => {
      calls += 1;
      return {};
    };
    const service = stubService({
      getStatus: count,
      async *watchInventory() {
        yield count();
      },
    });
    server = await startRpcServer({ services: [service] });
    session = connect(`http://${server.address}`);
    await once(session, 'connect');
  });

  afterEach(async () => {
    session.destroy();
    await server.stop(0);
  });

  /** Sends a frame as it is, on the one connection. */
  async function send(method: string, frame: Uint8Array, headers: OutgoingHttpHeaders = {}): Promise<Answer> {
    const stream = session.request({
      [constants.HTTP2_HEADER_METHOD]: 'POST',
      [constants.HTTP2_HEADER_PATH]: method,
      'content-type': 'application/grpc+proto',
      te: 'trailers',
      ...headers,
    });
    const told: OutgoingHttpHeaders = {};
    const keep = (given: OutgoingHttpHeaders): void => void Object.assign(told, given);
    stream.on('response', keep).on('trailers', keep);
    stream.resume();
    stream.end(frame);
    await once(stream, 'close');
    return { code: Number(told['grpc-status']), message: decodeURI(String(told['grpc-message'])) };
  }

  const unary = `/${InventoryService.typeName}/GetStatus`;
  const stream = `/${InventoryService.typeName}/WatchInventory`;
  const methods = [unary, stream, '/grpc.health.v1.Health/Check'];
  const frame = (body: Uint8Array, isCompressed: boolean): Buffer => {
    const head = Buffer.alloc(5);
    head.writeUInt8(isCompressed ? 1 : 0, 0);
    head.writeUInt32BE(body.length, 1);
    return Buffer.concat([head, body]);
  };
  const empty = frame(new Uint8Array(), false);
  const cut = frame(gzipSync(Buffer.alloc(1_000, 'x')).subarray(0, 12), true);

  it.each(methods)('are told so of a frame that cannot be decompressed, by %s', async (method) => {
    const noise = frame(Buffer.from('this is not what gzip makes'), true);
    for (const encoding of ['gzip', 'deflate']) {
      expect(await send(method, noise, { 'grpc-encoding': encoding })).toEqual({
        code: invalidArgument,
        message: 'request cannot be decompressed: compress it as its grpc-encoding says, or not at all',
      });
    }
    expect(await send(method, cut, { 'grpc-encoding': 'gzip' })).toMatchObject({ code: invalidArgument });
    expect(await send(method, noise, { 'grpc-encoding': 'snappy' })).toMatchObject({ code: unimplemented });
    expect(calls).toBe(0);
  });

  it.each(methods)('are told so of a deadline that is none, by %s', async (method) => {
    for (const timeout of ['soon', '-', '10', 'S']) {
      expect(await send(method, empty, { 'grpc-timeout': timeout })).toEqual({
        code: invalidArgument,
        message: 'header "grpc-timeout": must be up to 8 digits and one of H, M, S, m, u, n, such as 10S',
      });
    }
    expect(calls).toBe(0);
  });

  it('harm neither the connection nor the server, however often they do it', async () => {
    const bad = Array.from({ length: 200 }, (_, i) =>
      i % 2 === 0 ? send(unary, cut, { 'grpc-encoding': 'gzip' }) : send(stream, empty, { 'grpc-timeout': 'soon' }),
    );
    const good = Array.from({ length: 50 }, (_, i) => send(i % 2 === 0 ? unary : stream, empty, { 'grpc-timeout': '60S' }));
    expect(new Set((await Promise.all(bad)).map(({ code }) => code))).toEqual(new Set([invalidArgument]));
    expect(new Set((await Promise.all(good)).map(({ code }) => code))).toEqual(new Set([ok]));
    expect(await send(unary, frame(gzipSync(new Uint8Array()), true), { 'grpc-encoding': 'gzip' })).toMatchObject({ code: ok });
    expect(calls).toBe(51);
    expect(session.destroyed).toBe(false);
    session.close();
    // Would wait for a call that had been forgotten half-way.
    await server.stop(3_600_000);
  });
});
