export { withoutEphemeral } from './ephemeral-share.ts';
export type { NodeFilesystems } from './local/node-filesystems.ts';
export type { ClusterNodes, LabelledNode } from './querier/cluster-nodes.ts';
export { performanceLabel } from './querier/performance-class.ts';
export type { QuerierContext } from './querier/querier-context.ts';
export { type StorageReasonCode, storageReason, storageReasons } from './querier/storage-reasons.ts';
export { type StorageQueriersOptions, storageQueriers } from './storage-queriers.ts';
export { StorageWatch, type StorageWatchOptions } from './storage-watch.ts';
