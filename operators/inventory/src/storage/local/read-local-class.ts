import type { FilesystemFacts } from '@quartermaster/api/node-hardware';
import { type Amount, amount } from '../../model/amount.ts';
import type { StorageClassFacts, StorageReading } from '../../model/storage-inventory.ts';
import { noFigures } from '../querier/storage-reasons.ts';
import { sumOfNodes } from '../querier/sum-of-nodes.ts';
import type { LocalPlaces } from './local-path-config.ts';
import { devicesOf, filesystemsAt, holdsEphemeral, type LocalView, type LocalVolumes, pathsOf } from './local-view.ts';

/** What one class can hold, node by node. Pure: all that it knows is in the view. */
export function readLocalClass(storageClass: StorageClassFacts, view: LocalView): StorageReading {
  const shared = view.nodes.map((node) => view.placesOf(storageClass, node)).find((places) => places?.kind === 'shared');
  if (shared?.kind === 'shared') return readSharedClass(storageClass, view, shared.path);
  const perNode = new Map<string, Amount>();
  const ephemeralNodes: string[] = [];
  const devicesByNode: string[] = [];
  for (const node of view.nodes.toSorted()) {
    const reported = view.filesystemsOf(node);
    const own = filesystemsAt(view.placesOf(storageClass, node), reported);
    if (own.length === 0) continue;
    const devices = new Set(own.map(({ device }) => device));
    const draws = (each: LocalVolumes): boolean => [...(devicesOf(each, node, view) ?? devices)].some((device) => devices.has(device));
    perNode.set(node, amountOf(storageClass, own, reported ?? [], (view.volumes.get(node) ?? []).filter(draws)));
    devicesByNode.push(`${node}=${[...devices].toSorted().join('+')}`);
    if (holdsEphemeral(devices, reported)) ephemeralNodes.push(node);
  }
  if (perNode.size === 0) return whyNothing(storageClass, view);
  const unplaced = bytesOf(view.volumes.get('') ?? [], isOf(storageClass));
  return {
    known: true,
    amount: sumOfNodes(perNode.values(), unplaced),
    perNode,
    replicas: 1,
    space: `local/${devicesByNode.join(',')}`,
    ephemeralNodes,
    silentNodes: view.nodes.filter((node) => view.filesystemsOf(node) === undefined).toSorted(),
    largestVolumeBytes: Math.max(...[...perNode.values()].map(({ available }) => available)),
    observedAt: view.observedAt,
  };
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

/** One filesystem that every node mounts: its size counts once. */
function readSharedClass(storageClass: StorageClassFacts, view: LocalView, path: string): StorageReading {
  const mounts = view.nodes.flatMap((node) => filesystemsAt({ kind: 'shared', path }, view.filesystemsOf(node)));
  // Nodes may have looked at different times: the one with the least left counts.
  const [least] = mounts.toSorted((a, b) => a.sizeBytes - (a.usedBytes ?? 0) - (b.sizeBytes - (b.usedBytes ?? 0)));
  if (least === undefined) return whyNothing(storageClass, view);
  const isThere = ({ storageClass: holder, className }: LocalVolumes): boolean =>
    className === storageClass.name || (holder !== undefined && isAt(view.placesOf(holder, view.nodes[0] ?? ''), path));
  const volumes = [...view.volumes.values()].flat().filter(isThere);
  return {
    known: true,
    amount: amountOf(storageClass, [least], [least], volumes),
    space: `local-shared/${path}`,
    observedAt: view.observedAt,
  };
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

const isAt = (places: LocalPlaces | undefined, path: string): boolean => places?.kind === 'shared' && places.path === path;

function whyNothing(storageClass: StorageClassFacts, view: LocalView): StorageReading {
  if (view.nodes.every((node) => view.filesystemsOf(node) === undefined)) {
    return noFigures('AgentMissing', `no discovery agent has reported the filesystems behind class ${storageClass.name}`);
  }
  const paths = new Set(
    view.nodes.flatMap((node) => {
      const places = view.placesOf(storageClass, node);
      return places === undefined ? [] : pathsOf(places);
    }),
  );
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
