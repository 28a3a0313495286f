import { type Amount, amount } from '../../model/amount.ts';

/**
 * What a node-local class has in all. Room on one node does not make up for what another has promised too much, so the sums of what is left and
 * of what is too much stand side by side. `unplacedBytes` are promised, but nobody knows yet on which node.
 */
export function sumOfNodes(perNode: Iterable<Amount>, unplacedBytes: number): Amount {
  let sum = amount(0, 0, 0);
  for (const each of perNode) {
    sum = {
      capacity: sum.capacity + each.capacity,
      allocatable: sum.allocatable + each.allocatable,
      allocated: sum.allocated + each.allocated,
      available: sum.available + each.available,
      overcommitted: sum.overcommitted + each.overcommitted,
    };
  }
  return {
    ...sum,
    allocated: sum.allocated + unplacedBytes,
    available: Math.max(sum.available - unplacedBytes, 0),
    overcommitted: sum.overcommitted + Math.max(unplacedBytes - sum.available, 0),
  };
}
