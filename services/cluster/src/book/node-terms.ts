import type { NodeFigures, Taint } from '../model/inventory-change.ts';
import type { InventoryKnowledge } from '../model/knowledge.ts';

/** What the inventory says of nodes on which pods of leases are to start. */
export interface NodeTerms {
  /** Taints that they are to tolerate. */
  toleratedTaints(node: string): readonly Taint[];
  /** Whether the inventory holds it back: nothing new may start there, whatever Kubernetes would do. */
  isHeldBack(node: string): boolean;
}

/** Reasons to promise nothing of a node that say nothing against it: nobody could read it. */
const unread: ReadonlySet<string> = new Set(['FiguresUnreadable', 'NodeLeftOut']);

/** As it is when it is asked. What the inventory does not tell, or told before it fell silent, keeps no pod from starting: Kubernetes says whether it can. */
export const nodeTerms = (figures: ReadonlyMap<string, NodeFigures>, knowledge: () => InventoryKnowledge): NodeTerms => ({
  toleratedTaints: (node) => figures.get(node)?.toleratedTaints ?? [],
  isHeldBack: (node) =>
    knowledge().problem === undefined && figures.get(node)?.facts.heldBack.some(({ code }) => !unread.has(code)) === true,
});
