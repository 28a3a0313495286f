import type { ClassFacts } from '../placement/stock-facts.ts';
import { freeByNode, isLocal } from '../placement/storage-classes.ts';

/**
 * A class with what was last told of where its space is. While nobody can read it, the inventory says neither how much is free nor what that is shared with; of a node
 * whose agent is silent likewise. What is promised of the class goes on taking of it: ephemeral storage and other classes must not be sold beside it.
 */
export function withLastKnown(told: ClassFacts, before: ClassFacts | undefined, hasNode: (name: string) => boolean): ClassFacts {
  if (before === undefined) return told;
  if (told.freeBytes === undefined) {
    const { replicas, replicasPerNode, sharesSpaceWith, ephemeralNodes } = before;
    return { ...told, isNodeLocal: isLocal(before), replicas, replicasPerNode, sharesSpaceWith, ephemeralNodes };
  }
  if (!isLocal(told) || !isLocal(before)) return told;
  const silent = [...(before.ephemeralNodes ?? [])].filter((node) => !freeByNode(told).has(node) && hasNode(node));
  return silent.length === 0 ? told : { ...told, ephemeralNodes: new Set([...(told.ephemeralNodes ?? []), ...silent]) };
}
