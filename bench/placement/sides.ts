import { type NodeFacts, type OrderId, orderName, type Request } from '@quartermaster/cluster';
import { bookOf, decideBy } from '@quartermaster/cluster/testing';
import { FirstFit } from './first-fit.ts';

/** Takes a request, enters it in its books, and answers how to give it back; undefined where it does not fit. */
export type Reserve = (request: Request) => (() => void) | undefined;

const owner = 'akash1bench';
const orderOf = (number: number): OrderId => ({ owner, dseq: BigInt(number), gseq: 1, oseq: 1 });

/** As the leader of the service does before it writes: decides by its book, bounds on what may be pending included, and enters the attempt. */
export function ours(nodes: readonly NodeFacts[]): Reserve {
  const book = bookOf(nodes);
  const decide = decideBy(book, {
    limits: { most: Number.POSITIVE_INFINITY, perOwner: Number.POSITIVE_INFINITY, ownerShare: 1, share: 1 },
  });
  let next = 0;
  return (request) => {
    const decision = decide(request, owner);
    if (decision.kind !== 'plan') return undefined;
    const order = orderOf((next += 1));
    const name = orderName(order);
    const now = Date.now();
    const { plan } = decision;
    const state = { phase: 'pending', isConfirmed: false, createdAt: now, expiresAt: now + 300_000, term: 1 } as const;
    book.setReservation({ name, uid: '', resourceVersion: '', order, owner, request, plan, ...state });
    return () => book.removeReservation(name);
  };
}

/** As the existing provider does: what is promised is in its inventory, and in its list of reservations. */
export function firstFit(nodes: readonly NodeFacts[]): Reserve {
  const inventory = new FirstFit(nodes);
  let next = 0;
  return (request) => {
    const order = orderOf((next += 1));
    return inventory.reserve(order, request) ? () => inventory.giveBack(order) : undefined;
  };
}
