import { classesOnNode, type InventoryConfig } from '../config/inventory-config.ts';

/** A storage class that is offered, or of which it is not known whether it is. */
export interface OfferedClass {
  readonly name: string;
  /** The nodes on which it is offered; all of them when absent. */
  readonly nodes?: ReadonlySet<string> | undefined;
  /** The nodes on which nobody can tell; on the others, `nodes` decides. */
  readonly undecided?: 'everywhere' | ReadonlySet<string> | undefined;
}

/** What can be said of storage on one node. Both are sorted. */
export interface NodeClasses {
  readonly offered: readonly string[];
  /** Classes of which nobody can tell; `all` before the classes of the cluster were read. */
  readonly undecided: 'all' | readonly string[];
}

export const noClasses: NodeClasses = { offered: [], undecided: [] };

/** Undefined classes have not been read yet. What the configuration keeps off a node is decided. */
export function nodeClasses(config: InventoryConfig, node: string, classes: readonly OfferedClass[] | undefined): NodeClasses {
  if (classes === undefined) return { offered: [], undecided: 'all' };
  const isUndecided = ({ undecided }: OfferedClass): boolean => undecided === 'everywhere' || undecided?.has(node) === true;
  const names = (of: readonly OfferedClass[]): readonly string[] => classesOnNode(config, node, of.map(({ name }) => name).toSorted());
  return {
    offered: names(classes.filter((each) => !isUndecided(each) && each.nodes?.has(node) !== false)),
    undecided: names(classes.filter(isUndecided)),
  };
}
