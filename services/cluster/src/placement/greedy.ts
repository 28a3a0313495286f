import type { Option } from './candidates.ts';
import type { Draft } from './draft.ts';
import { Frontier } from './frontier.ts';
import type { Need, Needs } from './needs.ts';
import type { NodeIndex } from './node-index.ts';
import type { StepBudget } from './step-budget.ts';

/** Whether replicas of a unit are kept apart while that wastes nothing. What is accepted does not depend on it. */
export type SpreadPolicy = 'apart' | 'anywhere';

/** Where the replicas of a need go. */
export interface PlacedNeed {
  readonly need: Need;
  readonly options: Option[];
}

/** Places that take about as long to look at as one step of a search. */
export const placesPerStep = 16;

/** The best place for each replica, one after another. Undefined when one finds none, which proves nothing if there are several needs. */
export function placeGreedily(
  index: NodeIndex,
  draft: Draft,
  { needs }: Needs,
  spread: SpreadPolicy,
  budget: StepBudget,
): readonly PlacedNeed[] | undefined {
  const placed: PlacedNeed[] = [];
  for (const need of needs) {
    const options: Option[] = [];
    const frontier = new Frontier(index, draft, need, spread === 'apart' && need.count > 1 ? new Map() : undefined);
    while (options.length < need.count) {
      const option = frontier.take();
      if (option === undefined) break;
      options.push(option);
    }
    budget.note(options.length + frontier.looked / placesPerStep);
    if (options.length < need.count) return undefined;
    placed.push({ need, options });
    if (placed.length < needs.length) frontier.settle();
  }
  return placed;
}
