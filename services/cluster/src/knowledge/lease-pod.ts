import type { LeasePod as LeasePodMessage } from '@quartermaster/api/inventory';
import type { LeasePod } from '../model/inventory-change.ts';
import { groupKey } from '../placement/card-offer.ts';
import type { CardGroup } from '../placement/stock-facts.ts';
import { cardResources } from './akash-figures.ts';
import type { NodeCards } from './card-pools.ts';
import { safe } from './safe-amount.ts';

/** A pod of a lease as the inventory tells of it. Throws where an amount cannot be read: then nobody may take it for a part of a promise. */
export function leasePod(pod: LeasePodMessage, cards: NodeCards | undefined): LeasePod {
  const { uid, namespace, namespaceUid, name, service, node, devices } = pod;
  const held = cardsOf(pod, cards);
  return {
    uid,
    namespace,
    namespaceUid: namespaceUid || undefined,
    name,
    service,
    node,
    cpuMillis: safe(pod.cpuMillis, 'cpu_millis'),
    memoryBytes: safe(pod.memoryBytes + pod.ramBytes, 'memory_bytes'),
    ephemeralBytes: safe(pod.ephemeralStorageBytes, 'ephemeral_storage_bytes'),
    cards: held,
    cardGroups: groupsOf(pod, held, cards),
    devices,
  };
}

/** What devices count as of which the node does not say whose they are. */
const unknownResource = 'unknown';

/**
 * Where a claim stands behind a resource, the claim counts: the pod has the card once. What its node does not tell of, for a while or any more, is still a card: the pod is
 * of no unit without any.
 */
function cardsOf({ extended, devices }: LeasePodMessage, on: NodeCards | undefined): ReadonlyMap<string, number> {
  const known = devices.flatMap((device) => on?.devices.get(device) ?? []);
  const claimed = known.filter(({ isClaimed }) => isClaimed);
  const isCard = (resource: string): boolean => on?.counted.has(resource) === true || (claimed.length === 0 && cardResources.has(resource));
  const plugged = Object.entries(extended).filter(([resource, pieces]) => pieces > 0n && isCard(resource));
  const cards = new Map(plugged.map(([resource, pieces]) => [resource, safe(pieces, resource)]));
  const add = (resource: string): Map<string, number> => cards.set(resource, (cards.get(resource) ?? 0) + 1);
  for (const { resource } of claimed) add(resource);
  // Those of a device plugin are counted by its resource.
  if (plugged.length === 0) for (const device of devices) if (on?.devices.has(device) !== true) add(unknownResource);
  return cards;
}

/** Those of the devices that it is known to hold; without all of them, of every card that it may have got of the device plugin. */
function groupsOf({ devices }: LeasePodMessage, held: ReadonlyMap<string, number>, on: NodeCards | undefined): readonly CardGroup[] {
  const known = devices.flatMap((device) => on?.devices.get(device) ?? []);
  const groups = [...held].flatMap(([resource, count]) => {
    const own = known.filter((card) => card.resource === resource).map(({ group }) => group);
    return own.length >= count ? own : (on?.counted.get(resource) ?? []);
  });
  return [...new Map(groups.map((group) => [groupKey(group), group])).values()];
}
