import { anything, both, fields, flag, listOf, mapOf, quantity, required, text, whole } from './shape.ts';

const counters = mapOf(fields({ value: quantity }));
const ofDevice = {
  nodeName: text,
  attributes: mapOf(fields({ string: text, version: text, int: anything, bool: flag })),
  capacity: mapOf(fields({ value: quantity })),
  taints: listOf(both(required({ key: text, effect: text }), fields({ value: text }))),
  consumesCounters: listOf(both(required({ counterSet: text }), fields({ counters }))),
};
// v1beta1 keeps all of a device but its name in `basic`.
const device = both(required({ name: text }), fields({ ...ofDevice, basic: fields(ofDevice) }));

/** What is read of a ResourceSlice. */
export const sliceShape = both(
  fields({ metadata: fields({ ownerReferences: listOf(required({ kind: text, name: text, uid: text })) }) }),
  required({
    spec: both(
      required({ driver: text, pool: required({ name: text, generation: whole, resourceSliceCount: whole }) }),
      fields({ nodeName: text, devices: listOf(device), sharedCounters: listOf(both(required({ name: text }), fields({ counters }))) }),
    ),
  }),
);

/** What is read of a ResourceClaim. */
export const claimShape = fields({
  status: fields({
    allocation: fields({
      devices: fields({ results: listOf(both(required({ driver: text, pool: text, device: text }), fields({ adminAccess: flag }))) }),
    }),
    reservedFor: listOf(required({ resource: text, name: text, uid: text })),
  }),
});
