import type { StorageCard } from '@quartermaster/console';
import type { StorageInventory } from '@quartermaster/inventory';
import { amountView, reasonView } from './node-views.ts';

/** Of a class that lives on thousands of nodes, so many are named. */
const namedNodes = 6;

export function storageCard(storage: StorageInventory): StorageCard {
  const { amount, refusal, performance, replicas, largestVolumeBytes, observedAt } = storage;
  return {
    name: storage.class,
    provisioner: storage.provisioner,
    backend: storage.backend,
    performance,
    refusal: refusal && reasonView(refusal),
    amount: amount && amountView(amount),
    promisedBytes: storage.promisedBytes,
    volumes: storage.volumes,
    replicas,
    sharesSpaceWith: storage.sharesSpaceWith ?? [],
    largestVolumeBytes,
    places: placesOf(storage),
    observedAt,
  };
}

function placesOf({ perNode }: StorageInventory): StorageCard['places'] {
  if (perNode === undefined) return undefined;
  const roomiest = [...perNode]
    .map(([node, { available, capacity }]) => ({ node, available, capacity }))
    .toSorted((a, b) => b.available - a.available || (a.node < b.node ? -1 : 1))
    .slice(0, namedNodes);
  return { count: perNode.size, roomiest };
}
