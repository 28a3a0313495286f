import type { OfferedClass } from '../ledger/node-classes.ts';
import type { StorageInventory } from '../model/storage-inventory.ts';
import type { StorageReasonCode } from './querier/storage-reasons.ts';

/** Reasons that say only that nobody can tell. The others are statements about the class. */
const ignorance: ReadonlySet<string> = new Set<StorageReasonCode>(['CapacityUnknown', 'AgentMissing']);

/**
 * The classes that are offered, node-local ones only where they have room, and those of which it is not known yet. `unread`: names of classes that could not be read;
 * undefined, like the answer, while nobody knows which classes there are.
 */
export function offeredClasses(
  storage: readonly StorageInventory[],
  unread: readonly string[] | undefined,
): readonly OfferedClass[] | undefined {
  const known = storage.flatMap(({ class: name, refusal, perNode, silentNodes }): OfferedClass[] => {
    if (refusal === undefined) return [{ name, nodes: perNode && new Set(perNode.keys()), undecided: silentNodes && new Set(silentNodes) }];
    return ignorance.has(refusal.code) ? [{ name, undecided: 'everywhere' }] : [];
  });
  return unread && [...known, ...unread.map((name): OfferedClass => ({ name, undecided: 'everywhere' }))];
}
