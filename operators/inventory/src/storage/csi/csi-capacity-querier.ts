import { isRead, kinds } from '@quartermaster/kube';
import type { CSIStorageCapacity, LabelSelector, LabelSelectorRequirement } from '@quartermaster/kube/shapes';
import type { StorageQuerier } from '../../model/storage-inventory.ts';
import { FollowedSources } from '../../observe/followed-sources.ts';
import { identity, listOf, mapOf, object, optional, quantity, type Read, shaped, text } from '../../observe/shape.ts';
import { type ClusterNodes, nodeFinder } from '../querier/cluster-nodes.ts';
import type { QuerierContext } from '../querier/querier-context.ts';
import { unread } from '../querier/storage-reasons.ts';
import { wholeBytes } from '../querier/whole-bytes.ts';
import { type CapacityFacts, segmentsOf } from './csi-segments.ts';
import { type CsiPromise, readCsiClass } from './read-csi-class.ts';

const selector = object<LabelSelector>({
  matchLabels: optional(mapOf(text)),
  matchExpressions: optional(listOf(object<LabelSelectorRequirement>({ key: text, operator: text, values: optional(listOf(text)) }))),
});
const capacityShape = object<Read<CSIStorageCapacity>>({
  metadata: identity,
  storageClassName: text,
  nodeTopology: optional(selector),
  capacity: optional(quantity),
  maximumVolumeSize: optional(quantity),
});

const capacityFacts = shaped(
  capacityShape,
  ({ metadata, storageClassName, nodeTopology, capacity, maximumVolumeSize }): CapacityFacts => ({
    key: `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`,
    class: storageClassName,
    topology: nodeTopology,
    freeBytes: wholeBytes(capacity),
    maximumVolumeBytes: wholeBytes(maximumVolumeSize),
  }),
);

/** Answers for every class of which a CSI driver publishes what is left: TopoLVM, LVM and others. To be asked last. */
export function csiCapacityQuerier(context: QuerierContext & { readonly nodes: ClusterNodes }): StorageQuerier {
  const { caches, nodes, volumes, changed, clock } = context;
  const capacities = caches.open({
    name: 'csi-storage-capacities',
    type: kinds.csiStorageCapacities,
    fields: { storageClassName: true, nodeTopology: true, capacity: true, maximumVolumeSize: true },
    project: capacityFacts,
    indexes: { class: ({ value }) => [value.class] },
  });
  const sources = new FollowedSources([capacities], clock);
  sources.subscribe(changed, nodes);
  return {
    name: 'csi-capacity',
    sources,
    // Any driver may publish capacities, and nothing else tells which do: before they are read, it may be any.
    handles: ({ name }) => capacities.byIndex('class', name).length > 0 || !isRead(capacities.status()),
    read(storageClass) {
      const early = unread(sources, 'the capacities that CSI drivers publish');
      if (early !== undefined) return early;
      const all = [...nodes.nodes()];
      const nodeOf = nodeFinder(all);
      const promised = new Map<string, CsiPromise>();
      for (const { node = '', bytes, driver } of volumes.groupsOf(storageClass.name)) {
        const name = nodeOf(node);
        const before = promised.get(name) ?? { bytes: 0, waitingBytes: 0 };
        promised.set(name, { bytes: before.bytes + bytes, waitingBytes: before.waitingBytes + (driver === '' ? bytes : 0) });
      }
      const facts = capacities.byIndex('class', storageClass.name).map(({ value }) => value);
      return readCsiClass(storageClass, {
        segments: segmentsOf(facts, all),
        promised,
        observedAt: capacities.status().lastContactAt ?? clock.now(),
      });
    },
  };
}
