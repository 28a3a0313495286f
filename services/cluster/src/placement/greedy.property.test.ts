import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { optionsOf, requests, stockOf, tightWorlds, worlds } from '../../test/arbitraries.ts';
import type { World } from '../../test/reference-model.ts';
import { type Option, servingOffers } from './candidates.ts';
import { chosenUnits, classChoices } from './chosen-classes.ts';
import { soldOnce } from './commit-level.ts';
import { Draft } from './draft.ts';
import { placeGreedily } from './greedy.ts';
import { type Need, needsOf } from './needs.ts';
import { blankRank, compareRanks, compareUids, type Rank, rankInto } from './rank.ts';
import type { Request } from './request.ts';
import { StepBudget } from './step-budget.ts';
import type { Stock } from './stock.ts';

const cases: fc.Arbitrary<readonly [World, Request]> = requests(12).chain((request) =>
  fc.tuple(fc.oneof(worlds(6), worlds(6), tightWorlds(request, 6)), fc.constant(request)),
);

interface Found extends Option {
  readonly rank: Rank;
}

/** The best of all nodes and offers, each looked at. */
function bestOfAll(stock: Stock, draft: Draft, need: Need, near: ReadonlyMap<string, number>): Option | undefined {
  const found = [...stock.nodes].flatMap((node): Found[] => {
    const room = draft.roomOf(node);
    if (!node.takesWork || !draft.fits(need, node, room)) return [];
    return servingOffers(need, node).flatMap((offer): Found[] => {
      if (need.gpus !== undefined && need.gpus.count > (room.cards[offer] ?? 0)) return [];
      const rank = blankRank();
      rankInto(rank, need, node, room, offer, near.get(node.facts?.spreadKey ?? node.uid) ?? 0);
      return [{ node, offer, rank }];
    });
  });
  return found.toSorted(
    (a, b) => compareRanks(a.rank, b.rank) || draft.compare(a.node, b.node) || compareUids(a.node, b.node) || a.offer - b.offer,
  )[0];
}

function placeByLookingAtAll(stock: Stock, draft: Draft, needs: readonly Need[], isApart: boolean): string[] | undefined {
  const chosen: string[] = [];
  for (const need of needs) {
    const near = new Map<string, number>();
    for (let placed = 0; placed < need.count; placed += 1) {
      const best = bestOfAll(stock, draft, need, near);
      if (best === undefined) return undefined;
      draft.take(need, best.node, best.offer, 1);
      const key = best.node.facts?.spreadKey ?? best.node.uid;
      if (isApart) near.set(key, (near.get(key) ?? 0) + 1);
      chosen.push(`${best.node.name} ${best.offer}`);
    }
  }
  return chosen;
}

describe('placing greedily', () => {
  it('puts every replica where looking at all places would put it', () => {
    fc.assert(
      fc.property(cases, fc.constantFrom('apart' as const, 'anywhere' as const), ([world, request], spread) => {
        const stock = stockOf(world);
        const { levels = soldOnce } = optionsOf(world);
        const [units = []] = chosenUnits(classChoices(request, stock.storage, []));
        const needs = needsOf(units, stock.storage, levels);
        const draft = () => new Draft(stock.storage, needs);
        const placed = placeGreedily(stock.index, draft(), needs, spread, new StepBudget(Number.POSITIVE_INFINITY));
        const names = placed?.flatMap(({ options }) => options.map(({ node, offer }) => `${node.name} ${offer}`));
        expect(names).toEqual(placeByLookingAtAll(stock, draft(), needs.needs, spread === 'apart'));
      }),
      { numRuns: 1000 },
    );
  });
});
