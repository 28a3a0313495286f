import { type PlacingOptions, place } from '../placement/place.ts';
import type { Placing } from '../placement/plan.ts';
import type { Request } from '../placement/request.ts';
import { checkRequest } from '../placement/request-limits.ts';
import type { Stock } from '../placement/stock.ts';
import type { Reason } from '../placement/stock-facts.ts';
import type { Decide, Decision, Refused } from './decision.ts';
import { countReason, defaultPendingLimits, type PendingLimits, shareReasons } from './pending-limits.ts';
import type { ReservationBook } from './reservation-book.ts';
import { unknownRoom } from './unknown-room.ts';

export interface DecideOptions extends PlacingOptions {
  readonly limits?: PendingLimits | undefined;
}

/**
 * Decides by what the book says at that moment, and changes nothing. Throws `invalid_argument` for a request that breaks a rule. A reservation that is planned anew
 * is not bounded again: it was promised.
 */
export function decideBy(book: ReservationBook, options: DecideOptions = {}): Decide {
  const { limits = defaultPendingLimits } = options;
  return (request, owner, except, within) => {
    checkRequest(request);
    const unknown = unknownReasons(book, request);
    if (unknown.length > 0) return refused('not-known', unknown);
    if (except !== undefined && book.reservation(except) !== undefined) {
      return decisionOf(
        book,
        request,
        without(book.stock, except, () => place(book.stock, request, options)),
        options,
      );
    }
    const tooMany = countReason(book.pending, limits, owner);
    if (tooMany !== undefined) return refused('limit', [tooMany]);
    const decision = decisionOf(book, request, place(book.stock, request, options, within), options);
    if (decision.kind !== 'plan') return decision;
    const tooMuch = shareReasons(book.pending, limits, book.capacityOf, decision.plan, owner);
    return tooMuch.length > 0 ? refused('limit', tooMuch) : decision;
  };
}

const refused = (why: Refused['why'], reasons: readonly Reason[]): Refused => ({ kind: 'refused', why, reasons });

function decisionOf({ stock }: ReservationBook, request: Request, placing: Placing, { levels }: PlacingOptions): Decision {
  if (placing.kind === 'plan') return placing;
  if (placing.kind === 'undecided') {
    const message = `the search ended after ${placing.steps} steps; cluster-placement-steps allows no more`;
    return refused('not-found', [{ code: 'SearchBudgetSpent', message }]);
  }
  const unknown = unknownRoom(stock, request, placing.reasons, levels);
  return unknown.length > 0 ? refused('not-known', [...placing.reasons, ...unknown]) : refused('does-not-fit', placing.reasons);
}

/** What must be known for this very request; what others need holds nobody up. */
function unknownReasons({ knowledge, nodePorts, stock }: ReservationBook, { units }: Request): readonly Reason[] {
  const reasons = knowledge.problem === undefined ? [] : [knowledge.problem];
  if (units.some(({ randomPorts = 0 }) => randomPorts > 0)) {
    const unread = { code: 'PortCapacityUnknown', message: 'external ports are asked for, and it is not known yet which are in use' };
    const problem = nodePorts === undefined ? unread : nodePorts.problem;
    if (problem !== undefined) reasons.push(problem);
  }
  const { claimsProblem } = knowledge;
  if (claimsProblem !== undefined && units.some(({ gpus }) => (gpus?.count ?? 0) > 0) && hasClaimedCards(stock))
    reasons.push(claimsProblem);
  if (stock.freeIps === 'unknown' && units.some(({ leasedIps = [] }) => leasedIps.length > 0))
    reasons.push({ code: 'IpCapacityUnknown', message: 'leased addresses are asked for, and it is not known how many are free' });
  return reasons;
}

const hasClaimedCards = ({ nodes }: Stock): boolean =>
  [...nodes].some(({ facts }) => facts?.cards.some(({ assignedBy }) => assignedBy === 'claim') === true);

/** As if the reservation were not there. */
function without<T>(stock: Stock, name: string, ask: () => T): T {
  const holds = stock.holdsOf(name);
  if (holds === undefined) return ask();
  stock.release(name);
  try {
    return ask();
  } finally {
    stock.hold(name, holds);
  }
}
