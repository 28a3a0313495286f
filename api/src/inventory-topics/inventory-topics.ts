import { createHash } from 'node:crypto';
import { stateTopic } from '@quartermaster/kernel';
import { ClusterStateSchema, NodeStateSchema, StorageStateSchema } from '../generated/quartermaster/inventory/v1/topics_pb.ts';
import { messageCodec } from '../message-codec.ts';

/** One value per node, under `stateKey(cluster, node)`. A node that is gone stays as a value without a node. */
export const nodesTopic = stateTopic('inventory.nodes', messageCodec(NodeStateSchema));

/** One value per storage class, under `stateKey(cluster, class)`. */
export const storageTopic = stateTopic('inventory.storage', messageCodec(StorageStateSchema));

/** Totals and completeness, under the cluster's id. */
export const clusterTopic = stateTopic('inventory.cluster', messageCodec(ClusterStateSchema));

const maxKeyBytes = 255;

/** `<cluster>/<name>`; where that is too long for a key, its end is a hash of the whole. */
export function stateKey(clusterId: string, name: string): string {
  const key = `${clusterId}/${name}`;
  if (Buffer.byteLength(key) <= maxKeyBytes) return key;
  const hash = createHash('sha256').update(key).digest('hex').slice(0, 32);
  return `${Buffer.from(key)
    .subarray(0, 200)
    .toString('utf8')
    .replace(/\uFFFD/g, '')}-${hash}`;
}
