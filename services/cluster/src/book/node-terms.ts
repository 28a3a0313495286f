import type { NodeFigures, Taint } from '../model/inventory-change.ts';

/** What the inventory says of nodes on which pods of leases are to start. */
export interface NodeTerms {
  /** Taints that they are to tolerate. */
  toleratedTaints(node: string): readonly Taint[];
  /** Whether what is new may start there: not on a node that is held back, nor on another machine than the one that was planned, where `uid` names that. */
  takesNew(node: string, uid?: string): boolean;
}

/** As the figures are when it is asked. Of what the inventory does not tell, the cluster has to. */
export const nodeTerms = (figures: ReadonlyMap<string, NodeFigures>): NodeTerms => ({
  toleratedTaints: (node) => figures.get(node)?.toleratedTaints ?? [],
  takesNew: (node, uid) => {
    const facts = figures.get(node)?.facts;
    return facts === undefined || ((uid === undefined || facts.uid === uid) && facts.heldBack.length === 0);
  },
});
