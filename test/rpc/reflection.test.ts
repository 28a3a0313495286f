import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type RpcServer, startRpcServer } from '@quartermaster/rpc';
import { afterEach, describe, expect, it } from 'vitest';
import { root } from '../../scripts/setup/find-node24.mjs';
import { stubService } from './inventory-stub.ts';

const run = promisify(execFile);

describe('reflection and health', () => {
  let server: RpcServer | undefined;

  const curl = async (...args: readonly string[]): Promise<string> =>
    (await run(join(root, 'node_modules/.bin/buf'), ['curl', '--protocol', 'grpc', '--http2-prior-knowledge', ...args], { cwd: root }))
      .stdout;

  afterEach(async () => {
    await server?.stop(0);
    server = undefined;
  });

  it.each(['grpc-v1', 'grpc-v1alpha'])(
    'lists services and lets a tool without contracts call them (%s)',
    async (version) => {
      server = await startRpcServer({ services: [stubService({ explain: ({ subject }) => ({ summary: `about ${subject.value}` }) })] });
      const url = `http://${server.address}`;
      const methods = await curl('--reflect-protocol', version, '--list-methods', url);
      expect(methods.trim().split('\n')).toEqual(
        ['Explain', 'GetSnapshot', 'GetStatus', 'ListAllocations', 'WatchInventory'].map(
          (name) => `quartermaster.inventory.v1.InventoryService/${name}`,
        ),
      );
      const answer = await curl(
        '--reflect-protocol',
        version,
        '--data',
        '{"node":"n1"}',
        `${url}/quartermaster.inventory.v1.InventoryService/Explain`,
      );
      expect(JSON.parse(answer)).toEqual({ summary: 'about n1' });
    },
    30_000,
  );
});
