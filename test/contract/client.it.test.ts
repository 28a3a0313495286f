import { afterAll, beforeAll, describe } from 'vitest';
import { describeApply } from './client-apply.ts';
import { describeLists } from './client-lists.ts';
import { describeObjects } from './client-objects.ts';
import { describePatches } from './client-patches.ts';
import { describeRefusals } from './client-refusals.ts';
import type { ContractServer } from './contract-server.ts';
import { startRealServer } from './real-server.ts';

describe('the client against the real API server', () => {
  let running: ContractServer;
  const server = (): ContractServer => running;

  beforeAll(async () => {
    running = await startRealServer();
  });

  afterAll(async () => {
    await running.stop();
  });

  describeObjects(server);
  describeRefusals(server);
  describeLists(server);
  describePatches(server);
  describeApply(server);
});
