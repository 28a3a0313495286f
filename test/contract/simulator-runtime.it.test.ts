import { afterAll, beforeAll } from 'vitest';
import { describeCache } from './cache.ts';
import { describeCacheKinds } from './cache-kinds.ts';
import { describeCacheResilience } from './cache-resilience.ts';
import type { ContractServer } from './contract-server.ts';
import { describeControllerParts } from './controller-parts.ts';
import { describeElection } from './election.ts';
import { describeFencedWriter } from './fenced-writer.ts';
import { describeOperator } from './operator.ts';
import { startSimulatedServer } from './simulated-server.ts';

let running: ContractServer | undefined;

beforeAll(async () => {
  running = await startSimulatedServer();
});

afterAll(async () => {
  await running?.stop();
});

function server(): ContractServer {
  if (running === undefined) throw new Error('the server is not running');
  return running;
}

describeCache(server);
describeCacheResilience(server);
describeCacheKinds(server);
describeElection(server);
describeFencedWriter(server);
describeControllerParts(server);
describeOperator(server);
