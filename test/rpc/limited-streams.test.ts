import { InventoryService } from '@quartermaster/api/inventory';
import { openRpcChannel, StreamLimits, startRestServer, startRpcServer } from '@quartermaster/rpc';
import { afterEach, describe, expect, it } from 'vitest';
import { stubService } from './inventory-stub.ts';

describe('streams that are limited', () => {
  const ends: (() => unknown)[] = [];

  afterEach(async () => {
    for (const end of ends.splice(0).toReversed()) await end();
  });

  it('are counted over all servers until they end, whoever ends them, and other calls go on', async () => {
    let open = 0;
    const service = stubService({
      async *watchInventory(_request, { signal }) {
        open += 1;
        try {
          yield { event: { case: 'heartbeat', value: {} } };
          await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        } finally {
          open -= 1;
        }
      },
    });
    const streams = new StreamLimits({ most: 2, setting: 'sample-streams-per-caller' });
    const options = { services: [service], streams, authenticate: () => ({ kind: 'token', name: 'ann', groups: [] }) as const };
    const [grpc, rest] = [await startRpcServer(options), await startRestServer(options)];
    const channel = openRpcChannel({ address: grpc.address, tries: 1 });
    ends.push(
      () => Promise.all([grpc.stop(0), rest.stop(0)]),
      () => channel.close(),
    );
    const client = channel.client(InventoryService);
    const watch = async () => {
      const gone = new AbortController();
      ends.push(() => gone.abort());
      await client.watchInventory({}, { signal: gone.signal }).next();
      return gone;
    };
    const watchRest = async () => {
      const gone = new AbortController();
      ends.push(() => gone.abort());
      return { gone, answer: await fetch(`${rest.url}/v1/watch`, { signal: gone.signal }) };
    };
    const first = await watch();
    const second = await watchRest();
    expect(second.answer.status).toBe(200);
    await expect(watch()).rejects.toMatchObject({ code: 'resource_exhausted' });
    const refused = await watchRest();
    expect([refused.answer.status, await refused.answer.json()]).toMatchObject([
      429,
      { message: 'ann has 2 streams open, which is as many as it may: end one of them first, or have sample-streams-per-caller raised' },
    ]);
    await client.getStatus({});
    expect(open).toBe(2);
    const replaced = async (gone: AbortController): Promise<void> => {
      gone.abort();
      await expect.poll(() => open).toBe(1);
      await watch();
    };
    await replaced(first);
    await replaced(second.gone);
    expect(open).toBe(2);
  });
});
