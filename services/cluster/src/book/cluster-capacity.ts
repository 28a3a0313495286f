import type { ClassFigures, NodeAmounts, NodeFigures } from '../model/inventory-change.ts';
import { type CommitLevel, promisable } from '../placement/commit-level.ts';
import { copiesOnNode, freeByNode, isWideInEphemeral } from '../placement/storage-classes.ts';
import type { Capacity } from './pending-limits.ts';

/** What all nodes have of each resource, as PendingTally names them, whether or not they take new work now. */
export function nodeCapacity(nodes: Iterable<NodeFigures>): ReadonlyMap<string, Capacity> {
  const capacity = new Map<string, Capacity>();
  const add = (resource: string, amount: number): void => {
    const { total = 0, largestNode = 0 } = capacity.get(resource) ?? {};
    capacity.set(resource, { total: total + amount, largestNode: Math.max(largestNode, amount) });
  };
  for (const { allocatable } of nodes) {
    add('cpu', allocatable.cpuMillis);
    add('memory', allocatable.memoryBytes);
    add('ephemeral-storage', allocatable.ephemeralBytes);
    // Of a node whose limit nobody knows, any number: then no share of them is too much.
    add('pods', allocatable.pods ?? Number.POSITIVE_INFINITY);
    for (const [group, count] of allocatable.cards) add(`gpu/${group}`, count);
  }
  return capacity;
}

/**
 * Undefined while nobody knows. Where volumes may come to lie in the ephemeral storage of any of several nodes, each node keeps room for all of them: several that
 * are pending must leave others some of it.
 */
export function classCapacity(
  figures: ClassFigures | undefined,
  level: CommitLevel,
  nodes: ReadonlyMap<string, NodeFigures>,
): Capacity | undefined {
  if (figures?.allocatableBytes === undefined) return undefined;
  let largestNode = 0;
  for (const free of freeByNode(figures.facts).values()) largestNode = Math.max(largestNode, free);
  const total = promisable(figures.allocatableBytes, level);
  if (!isWideInEphemeral(figures.facts)) return { total, largestNode };
  const copies = copiesOnNode(figures.facts);
  const ephemeral = Math.floor(ephemeralOnAverage(figures.facts.ephemeralNodes ?? [], nodes) / copies);
  const each = copies === 1 ? '' : ` for each of the ${copies} copies that one may keep`;
  return { total, largestNode, together: { total: ephemeral, of: `of ephemeral storage that its nodes have on average${each}` } };
}

/** Of the nodes that are there. */
function ephemeralOnAverage(names: Iterable<string>, nodes: ReadonlyMap<string, NodeFigures>): number {
  let [count, sum] = [0, 0];
  for (const name of names) {
    const node = nodes.get(name);
    if (node === undefined) continue;
    count += 1;
    sum += node.allocatable.ephemeralBytes;
  }
  return count === 0 ? Number.POSITIVE_INFINITY : Math.floor(sum / count);
}

/** Whether two nodes have the same: most changes of a node are of what pods take. */
export function sameAmounts(a: NodeAmounts | undefined, b: NodeAmounts | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return (
    a.cpuMillis === b.cpuMillis &&
    a.memoryBytes === b.memoryBytes &&
    a.ephemeralBytes === b.ephemeralBytes &&
    a.pods === b.pods &&
    a.cards.size === b.cards.size &&
    [...a.cards].every(([group, count]) => b.cards.get(group) === count)
  );
}
