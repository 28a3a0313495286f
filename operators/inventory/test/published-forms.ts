import { toBinary } from '@bufbuild/protobuf';
import { ClusterSchema } from '@quartermaster/api/akash-inventory';
import { SnapshotSchema } from '@quartermaster/api/inventory';
import type { Inventory } from '../src/operator/inventory.ts';
import { snapshotOf } from '../src/publish/inventory-feed.ts';
import { snapshotMessage } from '../src/publish/snapshot-message.ts';
import { clusterJson } from '../src/serve/akash-json.ts';
import { akashCluster, akashView, packedAkashCluster } from '../src/serve/akash-messages.ts';

/** The newest snapshot in every form in which somebody reads it; throws where one of them cannot be made. */
export function publishedOf({ feed, views }: Inventory) {
  const snapshot = snapshotOf(feed);
  const message = snapshotMessage(snapshot, 'open');
  const packed = toBinary(SnapshotSchema, snapshotMessage(snapshot, 'packed'));
  const akash = akashView(snapshot);
  const plain = akashCluster(akash);
  return {
    snapshot: message,
    packed,
    akash: toBinary(ClusterSchema, packedAkashCluster(akash)),
    akashJson: clusterJson(plain),
    views: [views.capacity(), views.needs(), views.storage(), views.nodes(), snapshot.nodes.map(({ name }) => views.node(name))],
  };
}
