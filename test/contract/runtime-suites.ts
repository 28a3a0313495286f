import { describeCache } from './cache.ts';
import { describeCacheKinds } from './cache-kinds.ts';
import { describeCacheResilience } from './cache-resilience.ts';
import type { ContractServer } from './contract-server.ts';
import { describeControllerParts } from './controller-parts.ts';
import { describeElection } from './election.ts';
import { describeFencedWriter } from './fenced-writer.ts';
import { describeOperator } from './operator.ts';

/** What caches, elections and operators may expect of an API server. */
export function describeRuntime(server: () => ContractServer): void {
  describeCache(server);
  describeCacheResilience(server);
  describeCacheKinds(server);
  describeElection(server);
  describeFencedWriter(server);
  describeControllerParts(server);
  describeOperator(server);
}
