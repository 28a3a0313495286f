import type { GpuFacts } from '@quartermaster/api/node-hardware';
import type { DeviceHolderView, GpuPart } from '../../model/node-inventory.ts';
import type { ObservedDevice, ObservedPod } from '../../model/observed.ts';
import { isPartition, parentOf, textAttribute } from './device-facts.ts';

/** A part as the machine and its driver tell of it; who holds it by the kubelet's account is known apart. */
export interface CardPart extends Omit<GpuPart, 'holder'> {
  readonly claimedBy?: DeviceHolderView | undefined;
}

/** Pods by the device that they hold, whose name the kubelet may follow by the number of a share: `GPU-…::3`. */
export type HeldPieces = ReadonlyMap<string, readonly { readonly id: string; readonly pod: ObservedPod }[]>;

/** What stands between the name of a device and the number of a share of it. */
const shareSeparator = '::';

export const isShare = (deviceId: string): boolean => deviceId.includes(shareSeparator);

/** The name of the device without the number of the share. */
export const sharedDevice = (deviceId: string): string => deviceId.split(shareSeparator)[0] ?? deviceId;

/** What a card is cut into, from the machine itself and from a driver of dynamic resource allocation. Slices that could be made, and are not, are none. */
export function cardParts(gpu: GpuFacts | undefined, partitions: readonly ObservedDevice[]): readonly CardPart[] {
  const parts = new Map<string, CardPart>();
  for (const { uuid, profile, memoryBytes = 0 } of gpu?.mig?.instances ?? [])
    parts.set(uuid, { id: uuid, kind: 'mig', profile, memoryBytes });
  for (const device of partitions) {
    // The driver publishes everything that the card could be cut into; what shares counters comes to be when it is claimed.
    if (device.counters !== undefined && device.isTaken !== true) continue;
    const id = textAttribute(device, 'uuid') || `${device.pool}/${device.device}`;
    const own = { id, kind: 'mig', profile: textAttribute(device, 'profile'), memoryBytes: device.memoryBytes ?? 0 } as const;
    const [holder] = device.holders ?? [];
    parts.set(id, { ...own, ...parts.get(id), claimedBy: holder && { ...holder, source: 'claim' } });
  }
  return [...parts.values()];
}

/** The devices that are parts of a card: it is their parent by name, or they draw on the same counters. */
export function partitionsOf(
  uuid: string,
  card: ObservedDevice | undefined,
  devices: readonly ObservedDevice[],
): readonly ObservedDevice[] {
  const counters = new Set(card?.counters?.map(({ name }) => name));
  return devices.filter(
    (device) =>
      isPartition(device) &&
      ((uuid !== '' && parentOf(device) === uuid) ||
        (device.driver === card?.driver && device.pool === card.pool && device.counters?.some(({ name }) => counters.has(name)) === true)),
  );
}

/** The parts of a card with their holders; empty for a card that one pod has as a whole. */
export function heldParts(
  {
    id,
    aliases,
    parts,
    sharedBy,
  }: { id: string; aliases: readonly string[]; parts: readonly CardPart[]; sharedBy: readonly DeviceHolderView[] },
  held: HeldPieces,
): readonly GpuPart[] {
  const share = { kind: 'share', profile: '', memoryBytes: 0 } as const;
  return [
    ...parts.flatMap(({ claimedBy, ...part }): GpuPart[] => {
      const pieces = held.get(part.id) ?? [];
      return pieces.length === 0
        ? [{ ...part, holder: claimedBy }]
        : pieces.map((piece) => ({ ...part, id: piece.id, holder: holderOf(piece.pod) }));
    }),
    ...aliases
      .flatMap((alias) => held.get(alias) ?? [])
      .filter((piece) => isShare(piece.id))
      .map((piece) => ({ ...share, id: piece.id, holder: holderOf(piece.pod) })),
    ...sharedBy.map((holder) => ({ ...share, id: `${id}/${holder.namespace}/${holder.pod}`, holder })),
  ];
}

export function holderOf({ namespace, name, uid }: ObservedPod): DeviceHolderView {
  return { namespace, pod: name, podUid: uid, source: 'kubelet' };
}
