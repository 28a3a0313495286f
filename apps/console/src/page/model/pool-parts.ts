import type { ReservableAmountJson } from '@quartermaster/api/cluster';
import { numberOf } from './card-names.ts';

/** How a pool divides. Allocated, pending, active and available add up to the total; what is promised beyond that is over-committed. */
export interface PoolParts {
  readonly total: number;
  readonly allocated: number;
  readonly pending: number;
  readonly active: number;
  readonly available: number;
  readonly overcommitted: number;
}

/** What is allocated is there; of what is reserved, active leases come first. */
export function poolParts(amount: ReservableAmountJson): PoolParts {
  const [total, wantedAllocated] = [numberOf(amount.allocatable), numberOf(amount.allocated)];
  const allocated = Math.min(wantedAllocated, total);
  const active = Math.min(numberOf(amount.active), total - allocated);
  const pending = Math.min(numberOf(amount.pending), total - allocated - active);
  return {
    total,
    allocated,
    pending,
    active,
    available: total - allocated - active - pending,
    overcommitted: numberOf(amount.overcommitted),
  };
}
