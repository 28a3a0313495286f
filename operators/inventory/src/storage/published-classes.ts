import type { NodeInventory } from '../model/node-inventory.ts';
import type { StorageInventory } from '../model/storage-inventory.ts';
import { withoutEphemeral } from './ephemeral-share.ts';
import type { StorageWatch } from './storage-watch.ts';
import { withoutWithheld } from './withheld-space.ts';

/**
 * Every class beside the nodes. What lies on the filesystem of nodes' ephemeral storage is taken off both ways, so that no byte is sold twice, and what lies on
 * nodes that are not sold is not offered.
 */
export function publishedClasses(
  storage: Pick<StorageWatch, 'current' | 'volumesInEphemeral'>,
  nodeOf: (name: string) => NodeInventory | undefined,
): readonly StorageInventory[] {
  const { bytes: volumes } = storage.volumesInEphemeral();
  const without = (each: StorageInventory) => withoutEphemeral(each, (node) => nodeOf(node)?.ephemeralStorage, volumes);
  return storage.current().map((each) => withoutWithheld(without(each), nodeOf));
}
