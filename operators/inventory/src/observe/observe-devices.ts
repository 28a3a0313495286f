import { parseQuantity, wholeValue } from '@quartermaster/kernel';
import type { Device, ResourceClaim, ResourceSlice } from '@quartermaster/kube/shapes';
import type { ObservedDevice } from '../model/observed.ts';

/*
 * Devices as dynamic resource allocation (resource.k8s.io/v1) publishes them. A driver spreads the devices of a pool over slices and
 * raises the generation when it changes them: only the slices of the newest generation count, and only once all of them are there.
 */

/** What is read of a slice and of a claim. */
export type SliceView = Pick<ResourceSlice, 'spec'>;
export type ClaimView = Pick<ResourceClaim, 'metadata' | 'status'>;

/** driver and pool -> its slices when it was last complete */
export type CompletePools = Map<string, readonly SliceView[]>;

/**
 * Every device that is on a node, with the pod that its claim is reserved for. Node -> its devices. While a driver changes a pool, its
 * devices are what they last were, marked as part of an incomplete pool; `complete` remembers that from one call to the next.
 */
export function observeDevices(
  slices: Iterable<SliceView>,
  claims: Iterable<ClaimView>,
  complete: CompletePools = new Map(),
): Map<string, ObservedDevice[]> {
  const taken = takenBy(claims);
  const devices = new Map<string, ObservedDevice[]>();
  for (const { slice, isComplete } of currentSlices(slices, complete)) {
    for (const device of slice.spec.devices ?? []) {
      const node = device.nodeName ?? slice.spec.nodeName;
      if (node === undefined) continue;
      const observed = observeDevice(node, slice.spec.driver, slice.spec.pool.name, device, taken);
      const others = devices.get(node) ?? [];
      devices.set(node, others);
      others.push(isComplete ? observed : { ...observed, isPoolIncomplete: true });
    }
  }
  return devices;
}

/** A device that a claim has, and the pod that it is reserved for. */
interface Taken {
  readonly holder: ObservedDevice['holder'];
}

function observeDevice(node: string, driver: string, pool: string, device: Device, taken: ReadonlyMap<string, Taken>): ObservedDevice {
  const memory = device.capacity?.['memory']?.value;
  const claim = taken.get(deviceKey(driver, pool, device.name));
  return {
    node,
    driver,
    pool,
    device: device.name,
    attributes: attributesOf(device),
    memoryBytes: memory === undefined ? undefined : Number(wholeValue(parseQuantity(memory))),
    taints: (device.taints ?? []).map(({ key, value, effect }) => ({ key, value: value ?? '', effect })),
    isTaken: claim !== undefined,
    holder: claim?.holder,
  };
}

function attributesOf({ attributes = {} }: Device): Record<string, string | number | boolean> {
  const values: Record<string, string | number | boolean> = {};
  for (const [name, { string: text, version, int, bool }] of Object.entries(attributes)) {
    const value = text ?? version ?? int ?? bool;
    if (value !== undefined) values[name] = value;
  }
  return values;
}

function* currentSlices(
  slices: Iterable<SliceView>,
  complete: CompletePools,
): Generator<{ readonly slice: SliceView; readonly isComplete: boolean }> {
  const pools = new Map<string, SliceView[]>(); // driver and pool -> slices of the newest generation
  for (const slice of slices) {
    const key = `${slice.spec.driver}/${slice.spec.pool.name}`;
    const known = pools.get(key)?.[0]?.spec.pool.generation ?? -1;
    if (slice.spec.pool.generation > known) pools.set(key, [slice]);
    else if (slice.spec.pool.generation === known) pools.get(key)?.push(slice);
  }
  for (const key of complete.keys()) if (!pools.has(key)) complete.delete(key);
  for (const [key, pool] of pools) {
    const isComplete = pool.length === pool[0]?.spec.pool.resourceSliceCount;
    if (isComplete) complete.set(key, pool);
    for (const slice of complete.get(key) ?? []) yield { slice, isComplete };
  }
}

/** Devices that are not to be had: of every allocated claim, whoever it is reserved for, but for those that only look after devices. */
function takenBy(claims: Iterable<ClaimView>): Map<string, Taken> {
  const taken = new Map<string, Taken>(); // device -> by whom
  for (const { metadata, status } of claims) {
    const pod = status?.reservedFor?.find(({ resource }) => resource === 'pods');
    const holder = pod && { namespace: metadata?.namespace ?? '', pod: pod.name, podUid: pod.uid };
    for (const { driver, pool, device, adminAccess } of status?.allocation?.devices?.results ?? []) {
      if (adminAccess !== true) taken.set(deviceKey(driver, pool, device), { holder });
    }
  }
  return taken;
}

const deviceKey = (driver: string, pool: string, device: string): string => `${driver}/${pool}/${device}`;
