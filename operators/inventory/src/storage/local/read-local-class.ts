import type { FilesystemFacts } from '@quartermaster/api/node-hardware';
import { type Amount, amount } from '../../model/amount.ts';
import { named } from '../../model/named.ts';
import { isUnread } from '../../model/node-inventory.ts';
import type { StorageClassFacts, StorageReading } from '../../model/storage-inventory.ts';
import { noFigures } from '../querier/storage-reasons.ts';
import { sumOfNodes } from '../querier/sum-of-nodes.ts';
import { filesystemsAt, type LocalView, type LocalVolumes, pathsOf, placeOfVolumes, unplacedVolumes, volumesOn } from './local-view.ts';
import { haveCommon, holdsEphemeral } from './place-on-node.ts';

/** What one class can hold, node by node, or once where all nodes share its filesystem. Pure: all that it knows is in the view. */
export function readLocalClass(storageClass: StorageClassFacts, view: LocalView): StorageReading {
  const perNode = new Map<string, Amount>();
  const drawnOn = new Map<string, readonly LocalVolumes[]>();
  const ephemeralNodes: string[] = [];
  const devicesByNode: string[] = [];
  const unread = new Set(view.nodes.filter((node) => isUnread(view.unread, node)));
  let sharedPath: string | undefined;
  for (const node of view.nodes.toSorted()) {
    const reported = view.filesystemsOf(node);
    const places = view.placesOf(storageClass, node);
    if (places?.kind === 'shared') sharedPath = places.path;
    const own = filesystemsAt(places, reported);
    if (own.length === 0) continue;
    const devices = new Set(own.map(({ device }) => device));
    const draws = (each: LocalVolumes): boolean => haveCommon(placeOfVolumes(each, node, view).devices, devices);
    if (holdsEphemeral(devices, reported)) ephemeralNodes.push(node);
    const drawn = volumesOn(node, view).filter(draws);
    if (drawn.some(({ isUntold }) => isUntold)) unread.add(node);
    if (unread.has(node)) continue;
    drawnOn.set(node, drawn.filter(isOf(storageClass)));
    perNode.set(node, amountOf(storageClass, own, reported ?? [], drawn));
    devicesByNode.push(`${node}=${[...devices].toSorted().join('+')}`);
  }
  if (perNode.size === 0) return whyNothing(storageClass, view, unread);
  const unplaced = unplacedVolumes(view).filter(isOf(storageClass));
  const unplacedBytes = bytesOf(unplaced, () => true);
  const reading = { known: true, space: `local/${devicesByNode.join(',')}`, observedAt: view.observedAt } as const;
  if (sharedPath !== undefined) {
    if (ephemeralNodes.length > 0) return notShared(sharedPath, ephemeralNodes);
    // Nodes may have looked at different times: the one with the least left counts.
    const least = [...perNode].toSorted(([, a], [, b]) => a.available - b.available).slice(0, 1);
    const counted = [...least.flatMap(([node]) => drawnOn.get(node) ?? []), ...unplaced];
    const amounts = least.map(([, each]) => each);
    return { ...reading, amount: sumOfNodes(amounts, unplacedBytes), counted: placesOf(counted, () => '') };
  }
  return {
    ...reading,
    amount: sumOfNodes(perNode.values(), unplacedBytes),
    perNode,
    // What all nodes have in a folder of the same name is on each of them, and none of it is one node's.
    counted: placesOf(
      [...drawnOn.values()].flat().filter(({ node }) => node !== ''),
      ({ node }) => node,
    ),
    replicas: 1,
    ephemeralNodes,
    silentNodes: view.nodes.filter((node) => view.filesystemsOf(node) === undefined || unread.has(node)).toSorted(),
    largestVolumeBytes: Math.max(...[...perNode.values()].map(({ available }) => available)),
  };
}

function placesOf(volumes: readonly LocalVolumes[], nodeOf: (each: LocalVolumes) => string): ReadonlyMap<string, string> {
  return new Map(volumes.flatMap((each) => (each.group === undefined ? [] : [[each.group, nodeOf(each)]])));
}

/** What is left for a class of filesystems that hold these volumes: without what others were promised, and what is written that is no volume's. */
function amountOf(
  storageClass: StorageClassFacts,
  own: readonly FilesystemFacts[],
  reported: readonly FilesystemFacts[],
  volumes: readonly LocalVolumes[],
): Amount {
  const ownBytes = bytesOf(volumes, isOf(storageClass));
  const allBytes = bytesOf(volumes, () => true);
  const capacity = sum(own, ({ sizeBytes }) => sizeBytes);
  const others = allBytes - ownBytes + foreignBytes(own, reported, allBytes);
  return amount(capacity, Math.max(capacity - others, 0), ownBytes);
}

/**
 * What is written on the filesystems and belongs to no volume: the system, images, logs. Of what lies in the folders of volumes, no more than they were promised
 * is theirs. Where nobody counted that, all that is written counts beside the promises: too little is sold rather than the same space twice.
 */
function foreignBytes(own: readonly FilesystemFacts[], reported: readonly FilesystemFacts[], promised: number): number {
  const devices = new Set(own.map(({ device }) => device));
  const folders = reported.filter(({ device, folderBytes }) => devices.has(device) && folderBytes !== undefined);
  const outermost = folders.filter(({ path }) => !folders.some((other) => other.path !== path && `${path}/`.startsWith(`${other.path}/`)));
  const written = sum(outermost, ({ folderBytes = 0 }) => folderBytes);
  const used = sum(own, ({ usedBytes = 0 }) => usedBytes);
  return Math.max(used - Math.min(written, promised), 0);
}

const isOf =
  ({ name }: StorageClassFacts) =>
  ({ className }: LocalVolumes): boolean =>
    className === name;

const bytesOf = (volumes: readonly LocalVolumes[], isWanted: (each: LocalVolumes) => boolean): number =>
  sum(volumes.filter(isWanted), ({ bytes }) => bytes);

function sum<T>(values: readonly T[], of: (value: T) => number): number {
  return values.reduce((total, value) => total + of(value), 0);
}

/** A filesystem that is not mounted leaves its folder on that of the node: volumes there would be promised what pods are promised, too. */
function notShared(path: string, nodes: readonly string[]): StorageReading {
  const what = `sharedFileSystemPath ${path} is not known to be apart from the ephemeral storage of ${named(nodes)}`;
  const hint = 'mount the shared filesystem there, and let pod-resources-socket of the agents name the folder of the kubelet';
  return noFigures('CapacityUnknown', what, hint);
}

function whyNothing(storageClass: StorageClassFacts, view: LocalView, unread: ReadonlySet<string>): StorageReading {
  if (unread.size > 0) {
    const what = `the disks of Longhorn on ${named([...unread].toSorted())}, which may be where class ${storageClass.name} puts its volumes, could not be read`;
    return noFigures('CapacityUnknown', what, 'look at what is stale or left out');
  }
  if (view.nodes.every((node) => view.filesystemsOf(node) === undefined)) {
    return noFigures('AgentMissing', `no discovery agent has reported the filesystems behind class ${storageClass.name}`);
  }
  const paths = new Set(view.nodes.flatMap((node) => pathsOf(view.placesOf(storageClass, node))));
  if (paths.size === 0) {
    const hint = 'list a path for them in nodePathMap of the ConfigMap local-path-config';
    return noFigures('PoolMissing', `class ${storageClass.name} has no path on any node`, hint);
  }
  const what = `no discovery agent reports the size of ${[...paths].toSorted().join(', ')}, where class ${storageClass.name} puts its volumes`;
  return noFigures(
    'CapacityUnknown',
    what,
    'name the path in discovery-paths of the agents, as quartermaster manifests --discovery-path does',
  );
}
