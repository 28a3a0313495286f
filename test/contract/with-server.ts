import { afterAll, beforeAll } from 'vitest';
import type { ContractServer } from './contract-server.ts';

/** A server that runs for as long as the describe, or the file, that this is called in. */
export function withServer(start: () => Promise<ContractServer>): () => ContractServer {
  let running: ContractServer | undefined;
  beforeAll(async () => {
    running = await start();
  });
  afterAll(async () => {
    await running?.stop();
  });
  return () => {
    if (running === undefined) throw new Error('the server is not running');
    return running;
  };
}
