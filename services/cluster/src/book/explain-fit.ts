import { type Decider, type ExplainOptions, type Explanation, explain } from '../placement/explain.ts';
import type { Request } from '../placement/request.ts';
import type { Decide, Decision } from './decision.ts';
import type { ReservationBook } from './reservation-book.ts';

export interface ExplainFitOptions extends Omit<ExplainOptions, 'releasing' | 'decider' | 'withChanges'> {
  /** What Reserve asks, too. */
  readonly decide: Decide;
  readonly owner?: string | undefined;
}

export interface FitExplanation extends Explanation {
  /** What CheckFit answers. */
  readonly decision: Decision;
}

/** Beyond that, waiting is no advice. */
const maxReleasing = 100;

/** What nodes have to say, and what Reserve would take instead. What is about to be released are pending reservations, those that expire first first. */
export function explainFit(book: ReservationBook, request: Request, { decide, owner, ...options }: ExplainFitOptions): FitExplanation {
  const decision = decide(request, owner);
  // Another request is no better known.
  const withChanges = decision.kind === 'refused' && decision.why !== 'not-known';
  const decider: Decider = { ...holdingOf(book), fits: (changed, trial) => decide(changed, owner, undefined, trial).kind === 'plan' };
  return { decision, ...explain(book.stock, request, { ...options, withChanges, releasing: withChanges ? releasing(book) : [], decider }) };
}

function releasing(book: ReservationBook): readonly string[] {
  return book
    .reservations()
    .filter(({ phase, expiresAt }) => phase === 'pending' && expiresAt !== undefined)
    .toSorted((a, b) => (a.expiresAt ?? 0) - (b.expiresAt ?? 0))
    .slice(0, maxReleasing)
    .map(({ name }) => name);
}

/** What is given back for a trial is not pending meanwhile. */
function holdingOf(book: ReservationBook): Omit<Decider, 'fits'> {
  const { stock, pending } = book;
  return {
    holdsOf: (name) => stock.holdsOf(name),
    atOnce: (change) => stock.atOnce(change),
    release: (name) => {
      const reservation = book.reservation(name);
      if (reservation?.phase === 'pending') pending.remove(reservation.owner, reservation.plan);
      return stock.release(name);
    },
    hold: (name, holds) => {
      const reservation = book.reservation(name);
      stock.hold(name, holds);
      if (reservation?.phase === 'pending') pending.add(reservation.owner, reservation.plan);
    },
  };
}
