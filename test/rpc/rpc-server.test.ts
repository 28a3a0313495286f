import { InventoryService } from '@quartermaster/api/inventory';
import { StatusError, statusCodes } from '@quartermaster/kernel';
import {
  type CallContext,
  type FinishedCall,
  openRpcChannel,
  type RpcChannel,
  type RpcServer,
  type RpcServerOptions,
  startRpcServer,
} from '@quartermaster/rpc';
import { afterEach, describe, expect, it } from 'vitest';
import { signalled, stubService } from './inventory-stub.ts';

describe('gRPC over a socket', () => {
  let server: RpcServer | undefined;
  let channel: RpcChannel | undefined;

  const start = async (handlers: Parameters<typeof stubService>[0], options: Partial<RpcServerOptions> = {}) => {
    server = await startRpcServer({ services: [stubService(handlers)], ...options });
    channel = openRpcChannel({ address: server.address, tries: 1 });
    return channel.client(InventoryService);
  };

  afterEach(async () => {
    channel?.close();
    await server?.stop(0);
    [server, channel] = [undefined, undefined];
  });

  it('answers a call with what the handler returns and sees what the caller sends', async () => {
    const client = await start({
      explain: (request, context) => ({ subject: `${request.subject.value} ${context.header('x-test')} ${context.method}` }),
    });
    const answer = await client.explain({ subject: { case: 'node', value: 'n1' } }, { headers: { 'x-test': 'yes' } });
    expect(answer.subject).toBe('n1 yes /quartermaster.inventory.v1.InventoryService/Explain');
  });

  it.each(statusCodes)('carries %s with its text and details to the caller', async (code) => {
    const details = { field: 'node', limits: [1, 2], nested: { ok: true } };
    const client = await start({
      getStatus: () => {
        throw new StatusError(code, `refused: ${code} …`, { details });
      },
    });
    const failure = await client.getStatus({}).catch((thrown: unknown) => thrown);
    expect(failure).toBeInstanceOf(StatusError);
    expect(failure).toMatchObject({ code, message: `refused: ${code} …`, details });
  });

  it('keeps the text of a bug to itself', async () => {
    const calls: FinishedCall[] = [];
    const client = await start(
      {
        getStatus: () => {
          throw new TypeError('password is hunter2');
        },
      },
      { onCall: (call) => calls.push(call) },
    );
    const failure = await client.getStatus({}).catch((thrown: unknown) => thrown);
    expect(failure).toMatchObject({ code: 'internal' });
    expect(String(failure)).not.toContain('hunter2');
    expect(calls).toMatchObject([{ outcome: 'internal', transport: 'grpc' }]);
  });

  it('does not take the end of a call for its caller going away', async () => {
    const signals: AbortSignal[] = [];
    const keep = (_request: unknown, { signal }: CallContext) => {
      signals.push(signal);
      return {};
    };
    const client = await start({ getStatus: keep, explain: keep });
    await client.getStatus({});
    await client.explain({});
    channel?.close();
    await server?.stop(1000);
    expect(signals.map((signal) => signal.aborted)).toEqual([false, false]);
  });

  it('tells the handler of a call that answers once when the caller cancels', async () => {
    const cancelled = signalled();
    const asked = signalled();
    const client = await start({
      getStatus: async (_request, { signal }) => {
        signal.addEventListener('abort', () => cancelled.resolve(), { once: true });
        asked.resolve();
        await cancelled.promise;
        return {};
      },
    });
    const stop = new AbortController();
    const reason = new Error('enough');
    const call = client.getStatus({}, { signal: stop.signal });
    await asked.promise;
    stop.abort(reason);
    await expect(call).rejects.toBe(reason);
    await cancelled.promise;
  });

  it('sends texts that are too long or no Unicode as far as it can, with their code', async () => {
    const client = await start({
      getStatus: () => {
        throw new StatusError('invalid_argument', 'ä'.repeat(100_000), { details: { echo: 'x'.repeat(100_000) } });
      },
      explain: () => {
        throw new StatusError('not_found', 'half \ud800 of a character', { details: { half: '\ud800' } });
      },
    });
    const long = await client.getStatus({}).catch((thrown: unknown) => thrown);
    expect(long).toMatchObject({ code: 'invalid_argument', message: `${'ä'.repeat(2000)} …` });
    await expect(client.explain({})).rejects.toMatchObject({ code: 'not_found', message: 'half \ufffd of a character' });
  });

  it('tells the handler when the caller cancels, and tells of the call', async () => {
    const cancelled = signalled();
    const calls: FinishedCall[] = [];
    const client = await start(
      {
        async *watchInventory(_request, { signal }) {
          yield { event: { case: 'heartbeat', value: {} } };
          await new Promise<void>((resolve) => {
            signal.addEventListener('abort', () => resolve(), { once: true });
          });
          cancelled.resolve();
        },
      },
      { onCall: (call) => calls.push(call) },
    );
    const stop = new AbortController();
    const reason = new Error('enough');
    const read = async () => {
      for await (const { event } of client.watchInventory({}, { signal: stop.signal })) {
        expect(event.case).toBe('heartbeat');
        stop.abort(reason);
      }
    };
    await expect(read()).rejects.toBe(reason);
    await cancelled.promise;
    await expect.poll(() => calls).toMatchObject([{ outcome: 'cancelled', messages: 1 }]);
  });

  it('cancels a call that passes its deadline', async () => {
    const cancelled = signalled();
    const client = await start({
      getStatus: (_request, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener(
            'abort',
            () => {
              cancelled.resolve();
              reject(new Error('aborted'));
            },
            { once: true },
          );
        }),
    });
    // With a connection that is there, the call reaches the server before its time is over.
    await client.explain({});
    await expect(client.getStatus({}, { deadlineMs: 1_000 })).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/longer than 1000 ms/) as string,
    });
    await cancelled.promise;
  });

  it('holds a stream back while its reader is slow', async () => {
    let made = 0;
    const filler = 'x'.repeat(64 * 1024);
    const client = await start({
      async *watchInventory(_request, { signal }) {
        for (; made < 2000 && !signal.aborted; made += 1) yield { event: { case: 'snapshot', value: { clusterId: filler } } };
      },
    });
    const reader = client.watchInventory({});
    await reader.next();
    const settled = async (): Promise<number> => {
      for (let before = -1; before !== made; ) {
        before = made;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      return made;
    };
    // 2000 messages are 128 MB; buffers of both sides hold a few of them.
    expect(await settled()).toBeLessThan(200);
    await reader.return();
  });

  it('sends an answer of many megabytes and refuses a request that is too large', async () => {
    const big = 'y'.repeat(24 * 1024 * 1024);
    const client = await start({ getStatus: () => ({ clusterId: big }), explain: () => ({}) }, { maxRequestBytes: 1024 });
    expect((await client.getStatus({})).clusterId.length).toBe(big.length);
    await expect(client.explain({ subject: { case: 'node', value: 'z'.repeat(5000) } })).rejects.toMatchObject({
      code: 'invalid_argument',
    });
  });

  it('ends streams when it stops, so that callers connect elsewhere', async () => {
    const client = await start({
      async *watchInventory(_request, { signal }) {
        yield { event: { case: 'heartbeat', value: {} } };
        await new Promise<void>((resolve) => {
          signal.addEventListener('abort', () => resolve(), { once: true });
        });
      },
    });
    const reader = client.watchInventory({});
    await reader.next();
    const [ended] = await Promise.all([reader.next().catch((thrown: unknown) => thrown), server?.stop(60_000)]);
    expect(ended).toMatchObject({ code: 'unavailable', message: 'the server is stopping: connect again' });
  });

  it('cuts off what does not end in time', async () => {
    const started = signalled();
    const client = await start({
      getStatus: () => {
        started.resolve();
        return new Promise(() => {});
      },
    });
    const call = client.getStatus({}).catch((thrown: unknown) => thrown);
    await started.promise;
    await server?.stop(10);
    expect(await call).toMatchObject({ code: 'unavailable' });
  });

  it('repeats a read while the server is unavailable, and nothing else', async () => {
    let tries = 0;
    await start({
      getStatus: () => {
        tries += 1;
        if (tries < 3) throw new StatusError('unavailable', 'not yet');
        return { version: 'v1' };
      },
      explain: () => {
        tries += 1;
        throw new StatusError('not_found', 'no');
      },
    });
    channel?.close();
    channel = openRpcChannel({ address: server?.address ?? '', tries: 4 });
    const client = channel.client(InventoryService);
    expect((await client.getStatus({})).version).toBe('v1');
    expect(tries).toBe(3);
    await expect(client.explain({})).rejects.toMatchObject({ code: 'not_found' });
    expect(tries).toBe(4);
  });

  it('names the address that it cannot listen on', async () => {
    await start({});
    const port = server?.port ?? 0;
    await expect(startRpcServer({ services: [], port })).rejects.toThrow(`127.0.0.1:${port}`);
  });

  it('refuses to serve other machines in plain text', async () => {
    await expect(startRpcServer({ services: [], host: '0.0.0.0' })).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('TLS and authentication'),
    });
    expect(() => openRpcChannel({ address: '192.0.2.1:443', token: () => 't' })).toThrow(/plain text/);
  });
});
