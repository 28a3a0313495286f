import type { Draft } from './draft.ts';
import { Frontier, type Near, spreadKeyOf } from './frontier.ts';
import { type PlacedNeed, placesPerStep, type SpreadPolicy } from './greedy.ts';
import type { NodeIndex } from './node-index.ts';
import type { StepBudget } from './step-budget.ts';

/**
 * Moves each replica to the best place that there is now. A search takes the first placement that holds; this makes it one that keeps replicas apart and wastes
 * nothing, as far as the budget goes. The place of a replica is free while it is moved, so that it always finds one.
 */
export function resettle(index: NodeIndex, draft: Draft, placed: readonly PlacedNeed[], spread: SpreadPolicy, budget: StepBudget): void {
  for (const { need, options } of placed) {
    const near: Near = new Map();
    for (const { node } of options) near.set(spreadKeyOf(node), (near.get(spreadKeyOf(node)) ?? 0) + 1);
    for (const [at, { node, offer }] of options.entries()) {
      if (budget.isSpent) return;
      draft.take(need, node, offer, -1);
      near.set(spreadKeyOf(node), (near.get(spreadKeyOf(node)) ?? 0) - 1);
      const frontier = new Frontier(index, draft, need, spread === 'apart' ? near : undefined);
      const better = frontier.take();
      if (better === undefined) throw new Error(`no place was left for a replica that node ${node.name} had room for`);
      frontier.settle();
      options[at] = better;
      budget.note(frontier.looked / placesPerStep);
    }
  }
}
