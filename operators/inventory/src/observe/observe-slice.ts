import type { ResourceType } from '@quartermaster/kube';
import type { Device, ResourceSlice } from '@quartermaster/kube/shapes';

/** What is read of a slice, as resource.k8s.io/v1 writes it. */
export type SliceView = Pick<ResourceSlice, 'spec'>;

/** Of v1beta1, which keeps all of a device but its name in `basic`. v1beta2 writes slices as v1 does. */
type OlderDevice = Device & { readonly basic?: Omit<Device, 'name'> | undefined };

/** Kubernetes 1.33 serves v1beta2 and no v1, 1.32 nothing newer than v1beta1. Claims differ in their specs alone, which nobody reads here. */
export function olderVersions(type: ResourceType): readonly ResourceType[] {
  return ['v1beta2', 'v1beta1'].map((version) => ({ ...type, version }));
}

/** A slice of any of the versions. */
export function observeSlice({ spec }: SliceView): SliceView {
  return spec.devices?.some((device) => 'basic' in device) === true ? { spec: { ...spec, devices: spec.devices.map(flat) } } : { spec };
}

const flat = ({ basic, ...device }: OlderDevice): Device => ({ ...basic, ...device });
