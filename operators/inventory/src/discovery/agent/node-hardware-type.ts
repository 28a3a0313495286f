import type { NodeHardware } from '@quartermaster/api/node-hardware';
import { type ResourceType, resourceType } from '@quartermaster/kube';

/** The kind of what agents write: cluster-scoped, one object per node, with the node's name. */
export const nodeHardwareType: ResourceType<NodeHardware> = resourceType<NodeHardware>({
  group: 'quartermaster.dev',
  version: 'v1alpha1',
  kind: 'NodeHardware',
  plural: 'nodehardwares',
  namespaced: false,
});
