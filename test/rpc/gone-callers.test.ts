import { connect } from 'node:net';
import { InventoryService } from '@quartermaster/api/inventory';
import { type Log, StatusError } from '@quartermaster/kernel';
import {
  type CallContext,
  type FinishedCall,
  openRpcChannel,
  type RestServer,
  type RpcServer,
  startRestServer,
  startRpcServer,
} from '@quartermaster/rpc';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { signalled, stubService } from './inventory-stub.ts';

/** What a handler makes of a caller that went away. */
const failures: readonly (readonly [string, () => unknown])[] = [
  ['the reason of the signal', () => undefined],
  ['an error of its own', () => new Error('the query was interrupted')],
  ['an expected failure', () => new StatusError('unavailable', 'the database did not answer')],
  ['an internal failure', () => new StatusError('internal', 'a bug that is none')],
];

describe.each(failures)('a caller that goes away, while the handler throws %s', (_what, failure) => {
  const calls: FinishedCall[] = [];
  const complaints: string[] = [];
  const complain = (message: string): void => void complaints.push(message);
  const log: Log = { debug: () => {}, info: () => {}, warn: complain, error: complain };
  let begun = signalled();
  let grpc: RpcServer;
  let rest: RestServer;

  const waitForEnd = async ({ signal }: CallContext): Promise<never> => {
    begun.resolve();
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    throw failure() ?? signal.reason;
  };

  beforeEach(async () => {
    begun = signalled();
    const services = [
      stubService({
        getStatus: (_request, context) => waitForEnd(context),
        async *watchInventory(_request, context) {
          yield { event: { case: 'heartbeat', value: {} } };
          await waitForEnd(context);
        },
      }),
    ];
    const options = { services, log, onCall: (call: FinishedCall) => void calls.push(call) };
    [grpc, rest] = [await startRpcServer(options), await startRestServer(options)];
  });

  afterEach(async () => {
    await Promise.all([grpc.stop(0), rest.stop(0)]);
    calls.length = 0;
    complaints.length = 0;
  });

  const expectCancelled = async (): Promise<void> => {
    await expect.poll(() => calls.map(({ outcome }) => outcome)).toEqual(['cancelled']);
    expect(complaints).toEqual([]);
  };

  it('by gRPC is no failure of the server', async () => {
    const channel = openRpcChannel({ address: grpc.address, tries: 1 });
    const leaving = new AbortController();
    const answer = channel.client(InventoryService).getStatus({}, { signal: leaving.signal });
    await begun.promise;
    leaving.abort();
    await expect(answer).rejects.toMatchObject({ name: 'AbortError' });
    await expectCancelled();
    channel.close();
  });

  it('of a stream by gRPC is none either', async () => {
    const channel = openRpcChannel({ address: grpc.address, tries: 1 });
    const leaving = new AbortController();
    const watch = channel.client(InventoryService).watchInventory({}, { signal: leaving.signal });
    await watch.next();
    const next = watch.next();
    await begun.promise;
    leaving.abort();
    await expect(next).rejects.toMatchObject({ name: 'AbortError' });
    await expectCancelled();
    channel.close();
  });

  it.each(['/v1/status', '/v1/watch'])('of %s by REST is none either', async (path) => {
    const leaving = new AbortController();
    const answer = fetch(`${rest.url}${path}`, { signal: leaving.signal }).then((response) => response.text());
    await begun.promise;
    leaving.abort();
    await expect(answer).rejects.toMatchObject({ name: 'AbortError' });
    await expectCancelled();
  });
});

describe('a caller that goes away while it sends', () => {
  it('is no failure of the server', async () => {
    const complaints: unknown[] = [];
    const complain = (message: string, fields?: object): void => void complaints.push([message, fields]);
    const log: Log = { debug: () => {}, info: () => {}, warn: complain, error: complain };
    const server = await startRestServer({ services: [stubService({})], log });
    const socket = connect(server.port, '127.0.0.1');
    const head = ['POST /v1/status HTTP/1.1', 'host: x', 'content-type: application/json', 'content-length: 1000', '', ''];
    socket.write(`${head.join('\r\n')}{"a":`, () => socket.resetAndDestroy());
    await new Promise((resolve) => socket.once('close', resolve));
    // Stopping waits for what is under way.
    await server.stop(5_000);
    expect(complaints).toEqual([]);
  });
});
