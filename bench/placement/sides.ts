import { type NodeFacts, orderName, type Request } from '@quartermaster/cluster';
import { bookOf, decideBy } from '@quartermaster/cluster/testing';
import { FirstFit } from './first-fit.ts';

/** Takes a request, and answers how to give it back; undefined where it does not fit. */
export type Reserve = (request: Request) => (() => void) | undefined;

/** As the leader of the service does before it writes: decides by its book, bounds on what may be pending included, and enters the attempt. */
export function ours(nodes: readonly NodeFacts[]): Reserve {
  const book = bookOf(nodes);
  const decide = decideBy(book, {
    limits: { most: Number.POSITIVE_INFINITY, perOwner: Number.POSITIVE_INFINITY, ownerShare: 1, share: 1 },
  });
  const owner = 'akash1bench';
  let next = 0;
  return (request) => {
    const decision = decide(request, owner);
    if (decision.kind !== 'plan') return undefined;
    const order = { owner, dseq: BigInt((next += 1)), gseq: 1, oseq: 1 };
    const name = orderName(order);
    const now = Date.now();
    book.setReservation({
      ...{ name, uid: '', resourceVersion: '', order, owner, request, plan: decision.plan },
      ...{ phase: 'pending', isConfirmed: false, createdAt: now, expiresAt: now + 300_000, term: 1 },
    });
    return () => book.removeReservation(name);
  };
}

export function firstFit(nodes: readonly NodeFacts[]): Reserve {
  const inventory = new FirstFit(nodes);
  return (request) => {
    const took = inventory.reserve(request);
    return took === undefined ? undefined : () => inventory.giveBack(took);
  };
}
