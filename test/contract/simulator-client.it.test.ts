import { afterAll, beforeAll, describe } from 'vitest';
import { describeApply } from './client-apply.ts';
import { describeCredentials } from './client-credentials.ts';
import { describeCustomResources } from './client-custom-resources.ts';
import { describeDeletion } from './client-deletion.ts';
import { describeDiscovery } from './client-discovery.ts';
import { describeLists } from './client-lists.ts';
import { describeObjects } from './client-objects.ts';
import { describePatches } from './client-patches.ts';
import { describeRefusals } from './client-refusals.ts';
import { describeSubresources } from './client-subresources.ts';
import { describeTransport } from './client-transport.ts';
import type { ContractServer } from './contract-server.ts';
import { startSimulatedServer } from './simulated-server.ts';

describe('the client against the simulated API server', () => {
  let running: ContractServer;
  const server = (): ContractServer => running;

  beforeAll(async () => {
    running = await startSimulatedServer();
  });

  afterAll(async () => {
    await running.stop();
  });

  describeObjects(server);
  describeRefusals(server);
  describeLists(server);
  describePatches(server);
  describeApply(server);
  describeDeletion(server);
  describeCustomResources(server);
  describeSubresources(server);
  describeDiscovery(server);
  describeTransport(server);
  describeCredentials(server);
});
