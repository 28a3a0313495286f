export type { ClusterNodes, LabelledNode } from './cluster-nodes.ts';
export { volumesInEphemeral, withoutEphemeral } from './ephemeral-share.ts';
export type { NodeFilesystems } from './local/node-filesystems.ts';
export { performanceLabel } from './performance-class.ts';
export type { QuerierContext } from './querier-context.ts';
export { type StorageQueriersOptions, storageQueriers } from './storage-queriers.ts';
export { type StorageReasonCode, storageReason, storageReasons } from './storage-reasons.ts';
export { StorageWatch, type StorageWatchOptions } from './storage-watch.ts';
