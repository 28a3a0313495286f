import type { ResourceType } from '@quartermaster/kube';
import type { Device, DeviceAttribute, DeviceTaint, ResourceSlice } from '@quartermaster/kube/shapes';

/** What is read of a device, as resource.k8s.io/v1 writes it. */
export interface DeviceView extends Pick<Device, 'name' | 'nodeName' | 'consumesCounters'> {
  readonly attributes?: Readonly<Record<string, Pick<DeviceAttribute, 'string' | 'version' | 'int' | 'bool'>>> | undefined;
  readonly capacity?: Readonly<Record<string, { readonly value: string }>> | undefined;
  readonly taints?: readonly Pick<DeviceTaint, 'key' | 'value' | 'effect'>[] | undefined;
}

type SpecView<D> = Pick<ResourceSlice['spec'], 'driver' | 'pool' | 'nodeName' | 'sharedCounters'> & {
  readonly devices?: readonly D[] | undefined;
};

/** What is read of who owns a slice. */
export interface OwnerView {
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

/** What is read of a slice, as resource.k8s.io/v1 writes it. */
export interface SliceView {
  readonly spec: SpecView<DeviceView>;
  /** The UID of the node, where the slice belongs to it. */
  readonly nodeUid?: string | undefined;
}

/** The same of any version. v1beta1 keeps all of a device but its name in `basic`; v1beta2 writes slices as v1 does. */
export interface WrittenSlice {
  readonly metadata?: { readonly ownerReferences?: readonly OwnerView[] | undefined } | undefined;
  readonly spec: SpecView<DeviceView & { readonly basic?: Omit<DeviceView, 'name'> | undefined }>;
}

/** Kubernetes 1.33 serves v1beta2 and no v1, 1.32 nothing newer than v1beta1. Claims differ in their specs alone, which nobody reads here. */
export function olderVersions(type: ResourceType): readonly ResourceType[] {
  return ['v1beta2', 'v1beta1'].map((version) => ({ ...type, version }));
}

/** A slice of any of the versions. */
export function observeSlice({ metadata, spec }: WrittenSlice): SliceView {
  const { devices } = spec;
  const nodeUid = metadata?.ownerReferences?.find(({ kind, name }) => kind === 'Node' && name === spec.nodeName)?.uid;
  if (devices?.some(({ basic }) => basic !== undefined) !== true) return { spec, nodeUid };
  return { spec: { ...spec, devices: devices.map(({ basic, ...device }) => ({ ...basic, ...device })) }, nodeUid };
}
