import type { NodeInventory } from '../model/node-inventory.ts';
import type { ObservedPod } from '../model/observed.ts';
import type { Allocation } from '../model/snapshot.ts';

/** Everything that is given must fit. */
export interface AllocationFilter {
  readonly node?: string;
  readonly namespace?: string;
  readonly leaseLabels?: Readonly<Record<string, string>>;
}

/** Pods that take room on a known node, with the devices that they are known to hold. */
export function* allocationsOf(
  pods: Iterable<ObservedPod>,
  filter: AllocationFilter,
  viewOf: (node: string) => NodeInventory | undefined,
): Generator<Allocation, undefined> {
  const labels = Object.entries(filter.leaseLabels ?? {});
  for (const pod of pods) {
    if (filter.node !== undefined && pod.node !== filter.node) continue;
    if (filter.namespace !== undefined && pod.namespace !== filter.namespace) continue;
    if (labels.some(([key, value]) => pod.leaseLabels[key] !== value)) continue;
    const view = viewOf(pod.node);
    if (view !== undefined) yield allocationOf(pod, view);
  }
  return undefined;
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
    devices: view.devices.filter(({ holder }) => holder?.podUid === pod.uid).map(({ id }) => id),
  };
}
