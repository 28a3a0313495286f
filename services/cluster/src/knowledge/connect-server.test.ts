import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InventoryService } from '@quartermaster/api/inventory';
import { FakeClock } from '@quartermaster/kernel';
import { serve, startRpcServer } from '@quartermaster/rpc';
import { expect, it, onTestFinished } from 'vitest';
import { connectServer } from './connect-server.ts';

/** A server that remembers what it was shown. */
async function startServer() {
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
  return { address: server.address, tokens };
}

it('connects without TLS beyond loopback only where it was told to, and shows no token there', async () => {
  const { address: own, tokens } = await startServer();
  // An address that leads here, and is none of loopback.
  const address = own.replace('127.0.0.1', '0.0.0.0');
  const ask = async (isPlainText: boolean) => {
    const channel = await connectServer({ setting: 'cluster-inventory', address: () => address, isPlainText, token: () => 'secret' });
    onTestFinished(() => channel.close());
    return await channel.client(InventoryService).getStatus({});
  };
  await expect(ask(false)).rejects.toMatchObject({ code: 'unavailable' });
  expect(await ask(true)).toMatchObject({ version: 'v1' });
  expect(tokens).toEqual([undefined]);
});

it('reads the file of a token anew when it is a second old or could not be read, not for each call', async () => {
  const { address, tokens } = await startServer();
  const directory = await mkdtemp(join(tmpdir(), 'connect-server-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const tokenFile = join(directory, 'token');
  const clock = new FakeClock();
  const channel = await connectServer({ setting: 'cluster-market', address: () => address, tokenFile, clock });
  onTestFinished(() => channel.close());
  const ask = () => channel.client(InventoryService).getStatus({});
  await expect(ask()).rejects.toMatchObject({ code: 'unavailable', message: expect.stringContaining('cluster-market-token-file') });
  await writeFile(tokenFile, 'first\n');
  await ask();
  await writeFile(tokenFile, 'second\n');
  await ask();
  await clock.advance(1_000);
  await ask();
  expect(tokens).toEqual(['Bearer first', 'Bearer first', 'Bearer second']);
});
