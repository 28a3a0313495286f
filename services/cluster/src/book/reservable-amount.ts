/** One resource as it is sold. Never negative: what is promised beyond what there is shows in overcommitted. */
export interface ReservableAmount {
  /** On nodes that take new work, or in the pool; headroom taken off. */
  allocatable: number;
  /** By pods, volumes or others, whoever they belong to. */
  allocated: number;
  /** By pending reservations, beyond what their pods have, wherever they are planned. */
  pending: number;
  /** By active ones, likewise. */
  active: number;
  available: number;
  overcommitted: number;
  /** What is never sold, and not in allocatable. */
  headroom: number;
}

export const noAmount = (): ReservableAmount => ({
  allocatable: 0,
  allocated: 0,
  pending: 0,
  active: 0,
  available: 0,
  overcommitted: 0,
  headroom: 0,
});

/** Puts in what there is in one place. Of less than the headroom nothing is sold. */
export function addAllocatable(amount: ReservableAmount, there: number, headroom = 0): void {
  const kept = Math.min(headroom, there);
  amount.allocatable += there - kept;
  amount.headroom += kept;
}

/** Puts in what is left of one place, or what is missing there. */
export function addRoom(amount: ReservableAmount, room: number): void {
  amount.available += Math.max(room, 0);
  amount.overcommitted += Math.max(-room, 0);
}
