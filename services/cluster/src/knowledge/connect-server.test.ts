import { InventoryService } from '@quartermaster/api/inventory';
import { serve, startRpcServer } from '@quartermaster/rpc';
import { expect, it, onTestFinished } from 'vitest';
import { connectServer } from './connect-server.ts';

it('connects without TLS beyond loopback only where it was told to, and shows no token there', async () => {
  const tokens: (string | undefined)[] = [];
  const server = await startRpcServer({
    services: [
      serve(InventoryService, {
        getSnapshot: () => ({}),
        async *watchInventory() {},
        listAllocations: () => ({}),
        getStatus: (_request, context) => {
          tokens.push(context.header('authorization'));
          return { version: 'v1' };
        },
        explain: () => ({}),
      }),
    ],
  });
  onTestFinished(() => server.stop(0));
  // An address that leads here, and is none of loopback.
  const address = server.address.replace('127.0.0.1', '0.0.0.0');
  const ask = async (isPlainText: boolean) => {
    const channel = await connectServer({ setting: 'cluster-inventory', address: () => address, isPlainText, token: () => 'secret' });
    onTestFinished(() => channel.close());
    return await channel.client(InventoryService).getStatus({});
  };
  await expect(ask(false)).rejects.toMatchObject({ code: 'unavailable' });
  expect(await ask(true)).toMatchObject({ version: 'v1' });
  expect(tokens).toEqual([undefined]);
});
