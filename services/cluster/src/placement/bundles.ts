import { servingOffers } from './candidates.ts';
import { type Draft, noOffer } from './draft.ts';
import type { Need } from './needs.ts';
import type { NodeState } from './node-state.ts';

/** How many replicas on one node get cards of which of its offers; of all that serve the need, in their order. */
export type Bundle = readonly { readonly offer: number; readonly count: number }[];

export const sizeOf = (bundle: Bundle): number => bundle.reduce((sum, { count }) => sum + count, 0);

/** Every bundle of 1 to `most` replicas that fits, the greatest first. */
export function bundlesOn(need: Need, node: NodeState, draft: Draft, most: number): readonly Bundle[] {
  const limit = Math.min(most, draft.capacity(need, node));
  if (need.gpus === undefined) return Array.from({ length: limit }, (_, at) => [{ offer: noOffer, count: limit - at }]);
  const { cards } = draft.roomOf(node);
  const perReplica = need.gpus.count;
  let bundles: { bundle: Bundle; left: number }[] = [{ bundle: [], left: limit }];
  for (const offer of servingOffers(need, node)) {
    const fits = Math.max(Math.floor((cards[offer] ?? 0) / perReplica), 0);
    bundles = bundles.flatMap(({ bundle, left }) => {
      const top = Math.min(fits, left);
      return Array.from({ length: top + 1 }, (_, at) => ({ bundle: [...bundle, { offer, count: top - at }], left: left - top + at }));
    });
  }
  return bundles.map(({ bundle }) => bundle).filter((bundle) => sizeOf(bundle) > 0);
}

/** Of bundles on nodes that are alike. */
export function compareBundles(a: Bundle, b: Bundle): number {
  for (const [at, { count }] of a.entries()) {
    const difference = count - (b[at]?.count ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
