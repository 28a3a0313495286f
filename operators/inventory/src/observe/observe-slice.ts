import type { ResourceType } from '@quartermaster/kube';
import type { Device, ResourceSlice } from '@quartermaster/kube/shapes';

/** What is read of a slice, as resource.k8s.io/v1 writes it. */
export interface SliceView extends Pick<ResourceSlice, 'spec'> {
  /** The UID of the node, where the slice belongs to it. */
  readonly nodeUid?: string | undefined;
}

/** Of v1beta1, which keeps all of a device but its name in `basic`. v1beta2 writes slices as v1 does. */
type OlderDevice = Device & { readonly basic?: Omit<Device, 'name'> | undefined };

/** Kubernetes 1.33 serves v1beta2 and no v1, 1.32 nothing newer than v1beta1. Claims differ in their specs alone, which nobody reads here. */
export function olderVersions(type: ResourceType): readonly ResourceType[] {
  return ['v1beta2', 'v1beta1'].map((version) => ({ ...type, version }));
}

/** A slice of any of the versions. */
export function observeSlice({ metadata, spec }: Pick<ResourceSlice, 'metadata' | 'spec'>): SliceView {
  const nodeUid = metadata?.ownerReferences?.find(({ kind, name }) => kind === 'Node' && name === spec.nodeName)?.uid;
  if (spec.devices?.some((device) => 'basic' in device) !== true) return { spec, nodeUid };
  return { spec: { ...spec, devices: spec.devices.map(flat) }, nodeUid };
}

const flat = ({ basic, ...device }: OlderDevice): Device => ({ ...basic, ...device });
