import { amountText, amountWords } from '@quartermaster/api/states';
import type { PlanProblem } from './plan-problems.ts';
import type { ReservationBook } from './reservation-book.ts';

/** A named state of a reservation that a person should know of. */
export interface Condition {
  readonly type: 'OverCommitted' | PlanProblem['type'] | 'Replanning';
  /** For people. */
  readonly message: string;
  /** Wall clock, milliseconds. As far as this replica knows: one that has just started has just seen it. */
  readonly since: number;
  /** Of OverCommitted: where more is promised than there is, as `node/<name>`, `storage/<class>`, `ports` or `leased-ips`. Else nodes. */
  readonly places: readonly string[];
  /** Names of those that share these places, this one left out; of many the first few. */
  readonly reservations: readonly string[];
}

export function conditionsOf(book: ReservationBook, name: string): readonly Condition[] {
  const reservation = book.reservation(name);
  if (reservation === undefined) return [];
  const conditions = [...overCommitment(book, name), ...planConditions(book, name)];
  if (reservation.phase === 'active' || conditions.length === 0) return conditions;
  const message = 'it cannot start where it is planned: it is planned anew as soon as there is room elsewhere';
  const since = Math.min(...conditions.map((each) => each.since));
  return [...conditions, { type: 'Replanning', message, since, places: [], reservations: [] }];
}

/** Pending ones that cannot start where they are planned, by name. Active ones stay as they are: their pods may run already. */
export function needsNewPlan(book: ReservationBook): readonly string[] {
  const names = new Set([...book.places.overCommitted, ...book.misplanned.keys()]);
  return [...names].filter((name) => book.reservation(name)?.phase === 'pending').toSorted();
}

/** Whether it is one of these, without a look at the others. */
export function isInNeed(book: ReservationBook, name: string): boolean {
  return book.reservation(name)?.phase === 'pending' && (book.misplanned.has(name) || book.places.overdrawnBy(name).length > 0);
}

/** More of those that share a place are found by their conditions. */
const maxSharing = 100;

function overCommitment({ places }: ReservationBook, name: string): readonly Condition[] {
  const overdrawn = places.overdrawnBy(name);
  if (overdrawn.length === 0) return [];
  const missing = overdrawn.map(([place, { shortages }]) => {
    // Of a class or a pool, the place says already what is missing.
    const amounts = shortages.map(({ resource, missing: amount }) => (resource === place ? amountText : amountWords)(resource, amount));
    return `${placeWords(place)} is short by ${amounts.join(' and ')}`;
  });
  const sharing = new Set<string>();
  for (const [place] of overdrawn) {
    for (const other of places.concernedIn(place)) {
      if (sharing.size === maxSharing) break;
      if (other !== name) sharing.add(other);
    }
  }
  return [
    {
      type: 'OverCommitted',
      message: `more is promised than there is: ${missing.join('; ')}. Free some of it, or give back one of the reservations that share it`,
      since: Math.min(...overdrawn.map(([, { since }]) => since)),
      places: overdrawn.map(([place]) => place),
      reservations: [...sharing].toSorted(),
    },
  ];
}

const pools: Readonly<Record<string, string>> = { ports: 'the pool of external ports', 'leased-ips': 'the pool of leased addresses' };

/** `node/gpu-1` -> `node gpu-1`. */
const placeWords = (place: string): string => pools[place] ?? place.replace(/^storage\//, 'storage class ').replace('/', ' ');

function planConditions({ misplanned }: ReservationBook, name: string): readonly Condition[] {
  const found = misplanned.get(name);
  if (found === undefined) return [];
  return [...Map.groupBy(found.problems, ({ type }) => type)].map(([type, problems]) => ({
    type,
    message: [...new Set(problems.map(({ message }) => message))].join('; '),
    since: found.since,
    places: [...new Set(problems.map(({ node }) => `node/${node}`))],
    reservations: [],
  }));
}
