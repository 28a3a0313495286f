import type { StorageCard } from '@quartermaster/api/inventory-views';
import type { NodeInventory } from '../model/node-inventory.ts';
import type { StorageInventory } from '../model/storage-inventory.ts';
import { classDivision } from './class-division.ts';
import { amountView, reasonView } from './node-views.ts';

/** Of a class that lives on thousands of nodes, so many are named. */
const namedNodes = 6;

export function storageCard(storage: StorageInventory, nodeOf: (name: string) => NodeInventory | undefined): StorageCard {
  const { amount, refusal, performance, replicas, largestVolumeBytes, observedAt } = storage;
  return {
    name: storage.class,
    provisioner: storage.provisioner,
    backend: storage.backend,
    performance,
    refusal: refusal && reasonView(refusal),
    amount: amount && amountView(amount),
    ...classDivision(storage, nodeOf),
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
