import { place } from '../src/placement/place.ts';
import { holdsOf, type Placing } from '../src/placement/plan.ts';
import type { Request } from '../src/placement/request.ts';
import type { Stock } from '../src/placement/stock.ts';

export const nodesOf = (placing: Placing): string[] =>
  placing.kind === 'plan' ? placing.plan.units.flatMap(({ replicas }) => replicas.map((each) => each.node)) : [placing.kind];
export const codesOf = (placing: Placing): string[] =>
  placing.kind === 'refusal' ? placing.reasons.map(({ code }) => code) : [placing.kind];

/** Places and holds one after another. */
export function reserve(from: Stock, ...requests: readonly Request[]): string[] {
  return requests.flatMap((request, at) => {
    const placing = place(from, request);
    if (placing.kind === 'plan') from.hold(`order-${at}`, holdsOf(placing.plan));
    return nodesOf(placing);
  });
}
