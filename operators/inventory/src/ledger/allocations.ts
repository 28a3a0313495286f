import type { NodeInventory } from '../model/node-inventory.ts';
import type { ObservedPod } from '../model/observed.ts';
import type { Allocation } from '../model/snapshot.ts';
import { compareNames } from '../model/sorted-by-name.ts';
import { firstInOrder } from './first-in-order.ts';

/** Everything that is given must fit. */
export interface AllocationFilter {
  readonly node?: string | undefined;
  readonly namespace?: string | undefined;
  /** Any value when `value` is absent. */
  readonly leaseLabel?: { readonly key: string; readonly value?: string | undefined } | undefined;
  /** The id of a card that is known to be held. */
  readonly device?: string | undefined;
}

/** At most `limit` of those that come after a key. */
export interface AllocationPage {
  readonly after: string;
  readonly limit: number;
}

type PodName = Pick<ObservedPod, 'namespace' | 'name' | 'uid'>;

/** Where an allocation stands in the order of all: by namespace, pod and UID. */
export const allocationKey = ({ namespace, pod, podUid }: Allocation): string => `${namespace}/${pod}/${podUid}`;

/** Pods that take room on a known node, with the devices that they are known to hold, in order of their keys. What is on no page costs next to nothing. */
export function allocationsOf(
  pods: Iterable<ObservedPod>,
  filter: AllocationFilter,
  viewOf: (node: string) => NodeInventory | undefined,
  { after, limit }: AllocationPage = { after: '', limit: Number.POSITIVE_INFINITY },
): readonly Allocation[] {
  const first = firstInOrder(chosen(pods, filter, viewOf, podName(after)), limit, comparePods);
  return first.flatMap((pod) => {
    const view = viewOf(pod.node);
    return view === undefined ? [] : [allocationOf(pod, view)];
  });
}

function* chosen(
  pods: Iterable<ObservedPod>,
  { node, namespace, leaseLabel, device }: AllocationFilter,
  viewOf: (node: string) => NodeInventory | undefined,
  after: PodName,
): Generator<ObservedPod> {
  for (const pod of pods) {
    if (node !== undefined && pod.node !== node) continue;
    if (namespace !== undefined && pod.namespace !== namespace) continue;
    if (leaseLabel !== undefined && !hasLabel(pod, leaseLabel)) continue;
    if (comparePods(pod, after) <= 0) continue;
    const view = viewOf(pod.node);
    if (view !== undefined && (device === undefined || devicesOf(pod, view).includes(device))) yield pod;
  }
}

function podName(key: string): PodName {
  const [namespace = '', name = '', uid = ''] = key.split('/');
  return { namespace, name, uid };
}

function comparePods(a: PodName, b: PodName): number {
  return compareNames(a.namespace, b.namespace) || compareNames(a.name, b.name) || compareNames(a.uid, b.uid);
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
    devices: devicesOf(pod, view),
  };
}

/** Ids of the cards and parts of cards that the pod is known to hold. */
export function devicesOf({ uid }: ObservedPod, { devices }: NodeInventory): readonly string[] {
  return devices.flatMap(({ id, holder, parts = [] }) =>
    [{ id, holder }, ...parts].filter((each) => each.holder?.podUid === uid).map((each) => each.id),
  );
}
