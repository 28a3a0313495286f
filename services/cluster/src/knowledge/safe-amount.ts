import type { Amount } from '@quartermaster/api/inventory';
import { StatusError } from '@quartermaster/kernel';

/** Amounts are 64 bits on the wire and exact numbers here: beyond 2^53 one cannot be counted. */
export function safe(value: bigint, field: string): number {
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  throw new StatusError('invalid_argument', `${field} is ${value}, which is more than can be counted exactly`);
}

export interface ReadAmount {
  readonly allocatable: number;
  readonly allocated: number;
  /** What can still be promised; negative where more is promised than there is. */
  readonly free: number;
}

/** `heldBack` is what `available` lacks beside what is allocated, as far as it is told. */
export function readAmount(amount: Amount | undefined, field: string, heldBack = 0): ReadAmount {
  if (amount === undefined) throw new StatusError('invalid_argument', `${field} is missing`);
  const allocatable = safe(amount.allocatable, `${field}.allocatable`);
  const allocated = safe(amount.allocated, `${field}.allocated`);
  const available = safe(amount.available, `${field}.available`);
  return { allocatable, allocated, free: available > 0 ? available : Math.min(allocatable - allocated - heldBack, 0) };
}
