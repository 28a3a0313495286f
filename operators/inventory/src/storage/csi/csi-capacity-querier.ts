import { isRead, kinds } from '@quartermaster/kube';
import type { CSIStorageCapacity, LabelSelector, LabelSelectorRequirement } from '@quartermaster/kube/shapes';
import type { StorageQuerier } from '../../model/storage-inventory.ts';
import { FollowedSources } from '../../observe/followed-sources.ts';
import { identity, listOf, mapOf, object, optional, quantity, type Read, shaped, text } from '../../observe/shape.ts';
import { type ClusterNodes, type LabelledNode, nodeFinder } from '../querier/cluster-nodes.ts';
import type { QuerierContext } from '../querier/querier-context.ts';
import { unread } from '../querier/storage-reasons.ts';
import type { VolumeGroup } from '../querier/volume-ledger.ts';
import { wholeBytes } from '../querier/whole-bytes.ts';
import { type CapacityFacts, objectsByNode, segmentsOf } from './csi-segments.ts';
import { type CsiPromise, nothing, readCsiClass, spaceOf } from './read-csi-class.ts';
import { type CapacityLook, UnpublishedVolumes } from './unpublished-volumes.ts';

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

/** What is published of a class, and which objects speak of a node. Of one that none selects, any may. */
function publishedOf(facts: readonly CapacityFacts[], nodes: readonly LabelledNode[]): Pick<CapacityLook, 'published' | 'speakingOf'> {
  const figures = facts.flatMap(({ key, topology, freeBytes }): [string, number][] =>
    topology === undefined || freeBytes === undefined ? [] : [[key, freeBytes]],
  );
  const published = new Map(figures);
  const all = new Set(published.keys());
  const byNode = objectsByNode(
    facts.filter(({ key }) => published.has(key)),
    nodes,
  );
  return { published, speakingOf: (node) => byNode.get(node) ?? all };
}

type FoundGroup = Pick<VolumeGroup, 'class' | 'place' | 'driver' | 'bytes'> & { readonly key: string; readonly node: string };

function groupOf({ class: className, place, driver, bytes, node = '' }: VolumeGroup, nodeOf: (node: string) => string): FoundGroup {
  return { key: `${className} ${place}`, class: className, place, driver, bytes, node: nodeOf(node) };
}

/** Node -> what is promised there, of all classes of a space as one of them sees it. `unseen` has the bytes of groups that are not published yet. */
function promisesTo(className: string, groups: readonly FoundGroup[], unseen: ReadonlyMap<string, number>): Map<string, CsiPromise> {
  const promised = new Map<string, CsiPromise>();
  for (const { key, class: ofClass, place, driver, bytes, node } of groups) {
    const before = promised.get(node) ?? nothing;
    const waiting = driver === '' ? bytes : (unseen.get(key) ?? 0);
    if (ofClass !== className) {
      promised.set(node, { ...before, besideBytes: before.besideBytes + waiting });
      continue;
    }
    const waitingBytes = before.waitingBytes + waiting;
    promised.set(node, { ...before, bytes: before.bytes + bytes, waitingBytes, places: [...before.places, place] });
  }
  return promised;
}

/** Answers for every class of which a CSI driver publishes what is left: TopoLVM, LVM and others. To be asked last. */
export function csiCapacityQuerier(context: QuerierContext & { readonly nodes: ClusterNodes }): StorageQuerier {
  const { caches, nodes, volumes, classes, changed, clock } = context;
  const capacities = caches.open({
    name: 'csi-storage-capacities',
    type: kinds.csiStorageCapacities,
    fields: { storageClassName: true, nodeTopology: true, capacity: true, maximumVolumeSize: true },
    project: capacityFacts,
    indexes: { class: ({ value }) => [value.class] },
  });
  const unpublished = new UnpublishedVolumes();
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
      const facts = capacities.byIndex('class', storageClass.name).map(({ value }) => value);
      const space = spaceOf(storageClass);
      const sharing = Array.from(classes()).filter((each) => each.provisioner === storageClass.provisioner && spaceOf(each) === space);
      const names = new Set([storageClass.name, ...sharing.map(({ name }) => name)]);
      const groups = [...names].flatMap((name) => Array.from(volumes.groupsOf(name), (group) => groupOf(group, nodeOf)));
      const made = groups.filter(({ driver }) => driver !== '');
      const unseen = unpublished.see(storageClass.name, {
        classes: names,
        groups: made,
        ...publishedOf(facts, all),
        madeSince: (name, time) => volumes.madeSince(name, time),
        now: clock.now(),
      });
      return readCsiClass(storageClass, {
        segments: segmentsOf(facts, all),
        promised: promisesTo(storageClass.name, groups, unseen),
        observedAt: capacities.status().lastContactAt ?? clock.now(),
      });
    },
  };
}
