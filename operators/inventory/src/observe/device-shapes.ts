import type { ClaimView } from './observe-devices.ts';
import type { DeviceView, OwnerView, SliceView, WrittenSlice } from './observe-slice.ts';
import { flag, integer, listOf, mapOf, object, optional, quantity, type Shape, text, whole } from './shape.ts';

const counters = mapOf(object<{ readonly value: string }>({ value: quantity }));
const attribute = object<NonNullable<DeviceView['attributes']>[string]>({
  string: optional(text),
  version: optional(text),
  int: optional(integer),
  bool: optional(flag),
});
const taint = object<NonNullable<DeviceView['taints']>[number]>({ key: text, value: optional(text), effect: text });
const ofDevice = {
  nodeName: optional(text),
  attributes: optional(mapOf(attribute)),
  capacity: optional(counters),
  taints: optional(listOf(taint)),
  consumesCounters: optional(listOf(object<NonNullable<DeviceView['consumesCounters']>[number]>({ counterSet: text, counters }))),
};
const device = object<NonNullable<WrittenSlice['spec']['devices']>[number]>({
  name: text,
  ...ofDevice,
  basic: optional(object<Omit<DeviceView, 'name'>>(ofDevice)),
});

const owner = object<OwnerView>({ kind: text, name: text, uid: text });

/** What is read of a ResourceSlice. */
export const sliceShape: Shape<WrittenSlice> = object({
  metadata: optional(object<NonNullable<WrittenSlice['metadata']>>({ ownerReferences: optional(listOf(owner)) })),
  spec: object<WrittenSlice['spec']>({
    driver: text,
    pool: object<SliceView['spec']['pool']>({ name: text, generation: whole, resourceSliceCount: whole }),
    nodeName: optional(text),
    devices: optional(listOf(device)),
    sharedCounters: optional(listOf(object<NonNullable<SliceView['spec']['sharedCounters']>[number]>({ name: text, counters }))),
  }),
});

type ClaimStatus = NonNullable<ClaimView['status']>;
type Allocation = NonNullable<ClaimStatus['allocation']>;
type Result = NonNullable<NonNullable<Allocation['devices']>['results']>[number];

/** What is read of a ResourceClaim. */
export const claimShape: Shape<ClaimView> = object({
  metadata: optional(object<NonNullable<ClaimView['metadata']>>({ name: optional(text), namespace: optional(text) })),
  status: optional(
    object<ClaimStatus>({
      allocation: optional(
        object<Allocation>({
          devices: optional(
            object<NonNullable<Allocation['devices']>>({
              results: optional(listOf(object<Result>({ driver: text, pool: text, device: text, adminAccess: optional(flag) }))),
            }),
          ),
        }),
      ),
      reservedFor: optional(listOf(object<NonNullable<ClaimStatus['reservedFor']>[number]>({ resource: text, name: text, uid: text }))),
    }),
  ),
});
