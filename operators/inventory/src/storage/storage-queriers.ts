import type { StorageQuerier } from '../model/storage-inventory.ts';
import { rookCephQuerier } from './ceph/rook-ceph-querier.ts';
import { csiCapacityQuerier } from './csi/csi-capacity-querier.ts';
import { localPathQuerier } from './local/local-path-querier.ts';
import type { NodeFilesystems } from './local/node-filesystems.ts';
import { longhornQuerier } from './longhorn/longhorn-querier.ts';
import type { ClusterNodes } from './querier/cluster-nodes.ts';
import type { QuerierContext } from './querier/querier-context.ts';

export interface StorageQueriersOptions {
  readonly filesystems: NodeFilesystems;
  readonly nodes: ClusterNodes;
}

/** Every kind of backend that we know, in the order in which they are asked. A further one is a further line. */
export function storageQueriers({ filesystems, nodes }: StorageQueriersOptions): (context: QuerierContext) => readonly StorageQuerier[] {
  return (context) => {
    // Either has to know what the other has on the same filesystems.
    const longhorn = longhornQuerier({ ...context, filesystems, nodes, locals: () => local.bytesBeside() });
    const local = localPathQuerier({ ...context, filesystems, nodes, others: longhorn.replicas });
    return [rookCephQuerier(context), longhorn, local, csiCapacityQuerier({ ...context, nodes })];
  };
}
