/**
 * One resource in one place. Whole numbers in the resource's unit (millicores, bytes, devices), none of them negative and none a sentinel;
 * what is promised beyond what there is shows in `overcommitted`.
 */
export interface Amount {
  readonly capacity: number;
  readonly allocatable: number;
  readonly allocated: number;
  /** What can still be promised. */
  readonly available: number;
  readonly overcommitted: number;
}

/** Sums over many nodes: bytes of a large cluster are beyond what a number holds exactly. */
export interface TotalAmount {
  readonly capacity: bigint;
  readonly allocatable: bigint;
  readonly allocated: bigint;
  readonly available: bigint;
  readonly overcommitted: bigint;
}

export function amount(capacity: number, allocatable: number, allocated: number): Amount {
  const left = allocatable - allocated;
  return { capacity, allocatable, allocated, available: Math.max(left, 0), overcommitted: Math.max(-left, 0) };
}

/** All of them together. Room in one place does not make up for what another has promised too much: both sums stand side by side. */
export function sumOf(amounts: Iterable<Amount>): Amount {
  const sum = { capacity: 0, allocatable: 0, allocated: 0, available: 0, overcommitted: 0 };
  for (const each of amounts) {
    sum.capacity += each.capacity;
    sum.allocatable += each.allocatable;
    sum.allocated += each.allocated;
    sum.available += each.available;
    sum.overcommitted += each.overcommitted;
  }
  return sum;
}
