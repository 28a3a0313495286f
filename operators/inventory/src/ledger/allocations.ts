import type { NodeInventory } from '../model/node-inventory.ts';
import type { ObservedPod } from '../model/observed.ts';
import type { Allocation } from '../model/snapshot.ts';

/** Everything that is given must fit. */
export interface AllocationFilter {
  readonly node?: string | undefined;
  readonly namespace?: string | undefined;
  /** Any value when `value` is absent. */
  readonly leaseLabel?: { readonly key: string; readonly value?: string | undefined } | undefined;
  /** The id of a card that is known to be held. */
  readonly device?: string | undefined;
}

/** Pods that take room on a known node, with the devices that they are known to hold. */
export function* allocationsOf(
  pods: Iterable<ObservedPod>,
  { node, namespace, leaseLabel, device }: AllocationFilter,
  viewOf: (node: string) => NodeInventory | undefined,
): Generator<Allocation> {
  for (const pod of pods) {
    if (node !== undefined && pod.node !== node) continue;
    if (namespace !== undefined && pod.namespace !== namespace) continue;
    if (leaseLabel !== undefined && !hasLabel(pod, leaseLabel)) continue;
    const view = viewOf(pod.node);
    const allocation = view === undefined ? undefined : allocationOf(pod, view);
    if (allocation !== undefined && (device === undefined || allocation.devices.includes(device))) yield allocation;
  }
}

function hasLabel({ leaseLabels }: ObservedPod, { key, value }: NonNullable<AllocationFilter['leaseLabel']>): boolean {
  return value === undefined ? key in leaseLabels : leaseLabels[key] === value;
}

function allocationOf(pod: ObservedPod, view: NodeInventory): Allocation {
  const { requests } = pod;
  return {
    podUid: pod.uid,
    namespace: pod.namespace,
    pod: pod.name,
    node: pod.node,
    leaseLabels: pod.leaseLabels,
    cpuMillis: requests.cpuMillis,
    memoryBytes: requests.memoryBytes,
    ramBytes: pod.ramBytes,
    ephemeralStorageBytes: requests.ephemeralStorageBytes,
    extended: requests.extended,
    devices: view.devices.flatMap(({ id, holder, parts = [] }) =>
      [{ id, holder }, ...parts].filter((each) => each.holder?.podUid === pod.uid).map((each) => each.id),
    ),
  };
}
