import { type Amount, sumOf } from '../../model/amount.ts';

/** What a node-local class has in all. `unplacedBytes` are promised, but nobody knows yet on which node. */
export function sumOfNodes(perNode: Iterable<Amount>, unplacedBytes: number): Amount {
  const sum = sumOf(perNode);
  return {
    ...sum,
    allocated: sum.allocated + unplacedBytes,
    available: Math.max(sum.available - unplacedBytes, 0),
    overcommitted: sum.overcommitted + Math.max(unplacedBytes - sum.available, 0),
  };
}
