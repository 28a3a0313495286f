import { type ObjectMeta, parseQuantity, wholeValue } from '@quartermaster/kernel';
import type { DeviceRequestAllocationResult, ResourceClaimConsumerReference } from '@quartermaster/kube/shapes';
import type { ObservedDevice } from '../model/observed.ts';
import type { DeviceView, SliceView } from './observe-slice.ts';
import { SharedCounters } from './shared-counters.ts';

/*
 * Devices as dynamic resource allocation publishes them. A driver spreads the devices of a pool over slices and
 * raises the generation when it changes them: only the slices of the newest generation count, and only once all of them are there.
 */

/** What is read of a claim. */
export interface ClaimView {
  readonly metadata?: Pick<ObjectMeta, 'name' | 'namespace'> | undefined;
  readonly status?:
    | {
        readonly allocation?: { readonly devices?: { readonly results?: readonly ClaimedDevice[] | undefined } | undefined } | undefined;
        readonly reservedFor?: readonly Pick<ResourceClaimConsumerReference, 'resource' | 'name' | 'uid'>[] | undefined;
      }
    | undefined;
}

type ClaimedDevice = Pick<DeviceRequestAllocationResult, 'driver' | 'pool' | 'device' | 'adminAccess'>;

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
  for (const { slices: pool, isComplete } of currentPools(slices, complete)) {
    for (const observed of devicesOf(pool, taken)) {
      const others = devices.get(observed.node) ?? [];
      devices.set(observed.node, others);
      others.push(isComplete ? observed : { ...observed, isPoolIncomplete: true });
    }
  }
  return devices;
}

function devicesOf(pool: readonly SliceView[], taken: ReadonlyMap<string, Holders>): ObservedDevice[] {
  const all = pool.flatMap(({ spec, nodeUid }) =>
    (spec.devices ?? []).map((device) => ({ spec, nodeUid, device, holders: takenIn(taken, spec, device) })),
  );
  const counters = new SharedCounters(
    pool,
    all.flatMap(({ device, holders }) => (holders === undefined ? [] : [device])),
  );
  return all.flatMap(({ spec, nodeUid, device, holders }) => {
    const node = device.nodeName ?? spec.nodeName;
    return node === undefined ? [] : [{ ...observeDevice(spec, device, holders), node, nodeUid, counters: counters.of(device) }];
  });
}

type Holders = NonNullable<ObservedDevice['holders']>;

function observeDevice(
  { driver, pool }: SliceView['spec'],
  device: DeviceView,
  holders: Holders | undefined,
): Omit<ObservedDevice, 'node'> {
  const memory = device.capacity?.['memory']?.value;
  return {
    driver,
    pool: pool.name,
    device: device.name,
    attributes: attributesOf(device),
    memoryBytes: memory === undefined ? undefined : Number(wholeValue(parseQuantity(memory))),
    taints: (device.taints ?? []).map(({ key, value, effect }) => ({ key, value: value ?? '', effect })),
    isTaken: holders !== undefined,
    holders: holders?.length === 0 ? undefined : holders,
  };
}

function attributesOf({ attributes = {} }: DeviceView): Record<string, string | number | boolean> {
  const values: Record<string, string | number | boolean> = {};
  for (const [name, { string: text, version, int, bool }] of Object.entries(attributes)) {
    const value = text ?? version ?? int ?? bool;
    if (value !== undefined) values[name] = value;
  }
  return values;
}

function* currentPools(
  slices: Iterable<SliceView>,
  complete: CompletePools,
): Generator<{ readonly key: string; readonly slices: readonly SliceView[]; readonly isComplete: boolean }> {
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
    yield { key, slices: complete.get(key) ?? [], isComplete };
  }
}

/** Devices that are not to be had: of every allocated claim, whoever it is reserved for, but for those that only look after devices. */
function takenBy(claims: Iterable<ClaimView>): Map<string, Holders> {
  const taken = new Map<string, Holders>(); // device -> the pods that its claims are reserved for
  for (const { metadata, status } of claims) {
    const pods = (status?.reservedFor ?? []).filter(({ resource }) => resource === 'pods');
    const holders = pods.map(({ name, uid }) => ({ namespace: metadata?.namespace ?? '', pod: name, podUid: uid }));
    for (const { driver, pool, device, adminAccess } of status?.allocation?.devices?.results ?? []) {
      if (adminAccess === true) continue;
      const key = deviceKey(driver, pool, device);
      taken.set(key, [...(taken.get(key) ?? []), ...holders]);
    }
  }
  return taken;
}

function takenIn(taken: ReadonlyMap<string, Holders>, { driver, pool }: SliceView['spec'], device: DeviceView): Holders | undefined {
  return taken.get(deviceKey(driver, pool.name, device.name));
}

const deviceKey = (driver: string, pool: string, device: string): string => `${driver}/${pool}/${device}`;
