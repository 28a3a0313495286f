import { FakeClock, httpStatus, StatusError, statusCodes } from '@quartermaster/kernel';
import { type RestServer, type RestServerOptions, startRestServer } from '@quartermaster/rpc';
import { afterEach, describe, expect, it } from 'vitest';
import { signalled, stubService } from './inventory-stub.ts';

describe('REST over a socket', () => {
  let server: RestServer | undefined;

  const start = async (handlers: Parameters<typeof stubService>[0], options: Partial<RestServerOptions> = {}): Promise<string> => {
    server = await startRestServer({ services: [stubService(handlers)], ...options });
    return server.url;
  };

  afterEach(async () => {
    await server?.stop(0);
    server = undefined;
  });

  it.each(statusCodes)('answers %s with its status, text and details', async (code) => {
    const url = await start({
      getStatus: () => {
        throw new StatusError(code, 'refused', { details: { field: 'x' } });
      },
    });
    const answer = await fetch(`${url}/v1/status`);
    expect(answer.status).toBe(httpStatus[code]);
    expect(await answer.json()).toEqual({ code, message: 'refused', details: { field: 'x' } });
  });

  it('keeps the text of a bug to itself', async () => {
    const url = await start({
      getStatus: () => {
        throw new TypeError('hunter2');
      },
    });
    const answer = await fetch(`${url}/v1/status`);
    expect([answer.status, await answer.text()]).toEqual([500, expect.not.stringContaining('hunter2')]);
  });

  it('ends a stream that fails with what failed, and answers with a status when it fails at once', async () => {
    let yields = 1;
    const url = await start({
      async *watchInventory() {
        for (let sent = 0; sent < yields; sent += 1) yield { event: { case: 'heartbeat', value: {} } };
        throw new StatusError('failed_precondition', 'too old');
      },
    });
    const lines = (await (await fetch(`${url}/v1/watch`)).text()).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      { heartbeat: {} },
      { error: { code: 'failed_precondition', message: 'too old' } },
    ]);
    const events = await (await fetch(`${url}/v1/watch`, { headers: { accept: 'text/event-stream' } })).text();
    expect(events).toBe('data: {"heartbeat":{}}\n\nevent: error\ndata: {"code":"failed_precondition","message":"too old"}\n\n');
    yields = 0;
    expect((await fetch(`${url}/v1/watch`)).status).toBe(412);
  });

  it('begins a stream that has nothing to tell yet', async () => {
    const clock = new FakeClock();
    const url = await start(
      {
        async *watchInventory(_request, { signal }) {
          const gone = signalled();
          signal.addEventListener('abort', () => gone.resolve(), { once: true });
          await gone.promise;
          yield { event: { case: 'heartbeat', value: {} } };
        },
      },
      { clock },
    );
    const stop = new AbortController();
    let type: string | null = null;
    const begun = fetch(`${url}/v1/watch`, { signal: stop.signal }).then(({ headers }) => {
      type = headers.get('content-type');
    });
    const typeSeen = async (): Promise<string | null> => {
      await clock.advance(1_000);
      return type;
    };
    await expect.poll(typeSeen).toBe('application/x-ndjson');
    await begun;
    stop.abort();
  });

  it('holds a stream back while its reader is slow, and tells the handler when it leaves', async () => {
    let made = 0;
    const gone = signalled();
    const filler = 'x'.repeat(64 * 1024);
    const url = await start({
      async *watchInventory(_request, { signal }) {
        signal.addEventListener('abort', () => gone.resolve(), { once: true });
        for (; made < 2000 && !signal.aborted; made += 1) yield { event: { case: 'snapshot', value: { clusterId: filler } } };
      },
    });
    const stop = new AbortController();
    const answer = await fetch(`${url}/v1/watch`, { signal: stop.signal });
    const reader = answer.body?.getReader();
    await reader?.read();
    for (let before = -1; before !== made; ) {
      before = made;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    // 2000 messages are 128 MB; the buffers in between hold some of them.
    expect(made).toBeLessThan(500);
    stop.abort();
    await gone.promise;
  });

  it('ends streams when it stops', async () => {
    const url = await start({
      async *watchInventory(_request, { signal }) {
        yield { event: { case: 'heartbeat', value: {} } };
        await new Promise<void>((resolve) => {
          signal.addEventListener('abort', () => resolve(), { once: true });
        });
      },
    });
    const answer = await fetch(`${url}/v1/watch`);
    const [text] = await Promise.all([answer.text(), server?.stop(60_000)]);
    expect(text).toContain('"code":"unavailable"');
  });

  it('refuses to serve other machines in plain text', async () => {
    await expect(startRestServer({ host: '0.0.0.0' })).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  it('names the address that it cannot listen on', async () => {
    await start({});
    await expect(startRestServer({ port: server?.port ?? 0 })).rejects.toThrow(`127.0.0.1:${server?.port}`);
  });
});
