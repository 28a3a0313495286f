import { parseQuantity, wholeValue } from '@quartermaster/kernel';
import { type KubeObject, resourceType } from '@quartermaster/kube';
import type { ObservedDevice } from '../model/observed.ts';

/*
 * Devices as dynamic resource allocation (resource.k8s.io/v1) publishes them. A driver spreads the devices of a pool over slices and
 * raises the generation when it changes them: only the slices of the newest generation count, and only once all of them are there.
 */

export interface ResourceSlice extends KubeObject {
  readonly spec?: {
    readonly driver: string;
    readonly nodeName?: string;
    readonly pool: { readonly name: string; readonly generation: number; readonly resourceSliceCount: number };
    readonly devices?: readonly SliceDevice[];
  };
}

interface SliceDevice {
  readonly name: string;
  readonly nodeName?: string;
  readonly attributes?: Readonly<Record<string, AttributeValue>>;
  readonly capacity?: Readonly<Record<string, { readonly value: string }>>;
  readonly taints?: readonly { readonly key: string; readonly value?: string; readonly effect: string }[];
}

interface AttributeValue {
  readonly string?: string;
  readonly version?: string;
  readonly int?: number;
  readonly bool?: boolean;
}

export interface ResourceClaim extends KubeObject {
  readonly status?: {
    readonly allocation?: {
      readonly devices?: {
        readonly results?: readonly { readonly driver: string; readonly pool: string; readonly device: string }[];
      };
    };
    readonly reservedFor?: readonly { readonly resource: string; readonly name: string; readonly uid: string }[];
  };
}

export const resourceSlices = resourceType<ResourceSlice>({
  group: 'resource.k8s.io',
  version: 'v1',
  kind: 'ResourceSlice',
  plural: 'resourceslices',
  namespaced: false,
});

export const resourceClaims = resourceType<ResourceClaim>({
  group: 'resource.k8s.io',
  version: 'v1',
  kind: 'ResourceClaim',
  plural: 'resourceclaims',
  namespaced: true,
});

/** Every device that is on a node, with the pod that its claim is reserved for. Node -> its devices. */
export function observeDevices(slices: Iterable<ResourceSlice>, claims: Iterable<ResourceClaim>): Map<string, ObservedDevice[]> {
  const holders = holdersOf(claims);
  const devices = new Map<string, ObservedDevice[]>();
  for (const slice of currentSlices(slices)) {
    for (const device of slice.spec?.devices ?? []) {
      const node = device.nodeName ?? slice.spec?.nodeName;
      if (node === undefined || slice.spec === undefined) continue;
      const observed = observeDevice(node, slice.spec.driver, slice.spec.pool.name, device, holders);
      const others = devices.get(node);
      if (others === undefined) devices.set(node, [observed]);
      else others.push(observed);
    }
  }
  return devices;
}

function observeDevice(
  node: string,
  driver: string,
  pool: string,
  device: SliceDevice,
  holders: ReadonlyMap<string, NonNullable<ObservedDevice['holder']>>,
): ObservedDevice {
  const memory = device.capacity?.['memory']?.value;
  const holder = holders.get(deviceKey(driver, pool, device.name));
  return {
    node,
    driver,
    pool,
    device: device.name,
    attributes: attributesOf(device),
    ...(memory === undefined ? {} : { memoryBytes: Number(wholeValue(parseQuantity(memory))) }),
    taints: (device.taints ?? []).map(({ key, value, effect }) => ({ key, value: value ?? '', effect })),
    ...(holder === undefined ? {} : { holder }),
  };
}

function attributesOf({ attributes = {} }: SliceDevice): Record<string, string | number | boolean> {
  const values: Record<string, string | number | boolean> = {};
  for (const [name, { string: text, version, int, bool }] of Object.entries(attributes)) {
    const value = text ?? version ?? int ?? bool;
    if (value !== undefined) values[name] = value;
  }
  return values;
}

function* currentSlices(slices: Iterable<ResourceSlice>): Generator<ResourceSlice> {
  const pools = new Map<string, ResourceSlice[]>(); // driver and pool -> slices of the newest generation
  for (const slice of slices) {
    if (slice.spec === undefined) continue;
    const key = `${slice.spec.driver}/${slice.spec.pool.name}`;
    const known = pools.get(key)?.[0]?.spec?.pool.generation ?? -1;
    if (slice.spec.pool.generation > known) pools.set(key, [slice]);
    else if (slice.spec.pool.generation === known) pools.get(key)?.push(slice);
  }
  for (const pool of pools.values()) {
    if (pool.length === pool[0]?.spec?.pool.resourceSliceCount) yield* pool;
  }
}

function holdersOf(claims: Iterable<ResourceClaim>): Map<string, NonNullable<ObservedDevice['holder']>> {
  const holders = new Map<string, NonNullable<ObservedDevice['holder']>>(); // device -> pod
  for (const { metadata, status } of claims) {
    const pod = status?.reservedFor?.find(({ resource }) => resource === 'pods');
    if (pod === undefined) continue;
    const holder = { namespace: metadata?.namespace ?? '', pod: pod.name, podUid: pod.uid };
    for (const { driver, pool, device } of status?.allocation?.devices?.results ?? []) holders.set(deviceKey(driver, pool, device), holder);
  }
  return holders;
}

const deviceKey = (driver: string, pool: string, device: string): string => `${driver}/${pool}/${device}`;
