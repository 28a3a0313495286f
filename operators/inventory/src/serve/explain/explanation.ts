import type { Amount } from '../../model/amount.ts';
import type { Reason } from '../../model/node-inventory.ts';

/** Why something can or cannot be sold, in full. */
export interface Explanation {
  readonly subject: string;
  readonly state: 'sellable' | 'held-back' | 'unknown';
  /** One sentence. */
  readonly summary: string;
  readonly reasons: readonly ExplainedReason[];
  readonly figures: readonly Figure[];
  /** Where it is and how it is there, by node. */
  readonly places: readonly Place[];
}

export interface ExplainedReason {
  /** A node, a device, a class. */
  readonly about: string;
  readonly reason: Reason;
  /** What would change it. */
  readonly wayOut: string;
}

export interface Figure {
  readonly name: string;
  readonly unit: 'millicores' | 'bytes' | 'devices';
  readonly amount: Amount;
}

export interface Place {
  readonly node: string;
  readonly state: Explanation['state'];
  readonly amount: Amount;
  readonly reasons: readonly Reason[];
}

/** Sums amounts of the same unit. */
export function sumOf(amounts: Iterable<Amount>): Amount {
  const total = { capacity: 0, allocatable: 0, allocated: 0, available: 0, overcommitted: 0 };
  for (const each of amounts) {
    total.capacity += each.capacity;
    total.allocatable += each.allocatable;
    total.allocated += each.allocated;
    total.available += each.available;
    total.overcommitted += each.overcommitted;
  }
  return total;
}
