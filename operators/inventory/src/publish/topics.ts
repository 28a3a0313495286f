import { createHash } from 'node:crypto';
import { type DescMessage, fromBinary, type MessageShape, toBinary } from '@bufbuild/protobuf';
import { ClusterStateSchema, NodeStateSchema, StorageStateSchema } from '@quartermaster/api/inventory';
import { type Codec, stateTopic } from '@quartermaster/bus';
import { encodeNodeState } from './encode-node-state.ts';

function messageCodec<D extends DescMessage>(schema: D): Codec<MessageShape<D>> {
  return { encode: (value) => toBinary(schema, value), decode: (bytes) => fromBinary(schema, bytes) };
}

/** One value per node, under `stateKey(cluster, node)`. A node that is gone stays as a value without a node. */
export const nodesTopic = stateTopic('inventory.nodes', { ...messageCodec(NodeStateSchema), encode: encodeNodeState });

/** One value per storage class, under `stateKey(cluster, class)`. */
export const storageTopic = stateTopic('inventory.storage', messageCodec(StorageStateSchema));

/** Totals and completeness, under the cluster's id. */
export const clusterTopic = stateTopic('inventory.cluster', messageCodec(ClusterStateSchema));

const longestKeyBytes = 255;

/** `<cluster>/<name>`; where that is too long for a key, its end is a hash of the whole. */
export function stateKey(clusterId: string, name: string): string {
  const key = `${clusterId}/${name}`;
  if (Buffer.byteLength(key) <= longestKeyBytes) return key;
  const hash = createHash('sha256').update(key).digest('hex').slice(0, 32);
  return `${Buffer.from(key)
    .subarray(0, 200)
    .toString('utf8')
    .replace(/\uFFFD/g, '')}-${hash}`;
}
