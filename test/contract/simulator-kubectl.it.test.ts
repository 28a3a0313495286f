import { afterAll, beforeAll } from 'vitest';
import type { ContractServer } from './contract-server.ts';
import { describeKubectl } from './kubectl.ts';
import { startSimulatedServer } from './simulated-server.ts';

let running: ContractServer | undefined;

beforeAll(async () => {
  running = await startSimulatedServer({ controllers: true });
});

afterAll(async () => {
  await running?.stop();
});

describeKubectl(() => {
  if (running === undefined) throw new Error('the server is not running');
  return running;
});
