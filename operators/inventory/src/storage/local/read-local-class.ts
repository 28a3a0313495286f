import type { FilesystemFacts } from '@quartermaster/api/node-hardware';
import { type Amount, amount } from '../../model/amount.ts';
import type { StorageClassFacts, StorageReading } from '../../model/storage-inventory.ts';
import { noFigures } from '../querier/storage-reasons.ts';
import { sumOfNodes } from '../querier/sum-of-nodes.ts';
import type { LocalPlaces } from './local-path-config.ts';

/** All that is known of node-local storage at one moment. */
export interface LocalView {
  readonly nodes: readonly string[];
  /** Undefined while no agent has reported. */
  filesystemsOf(node: string): readonly FilesystemFacts[] | undefined;
  placesOf(storageClass: StorageClassFacts, node: string): LocalPlaces;
  /** Node -> volumes of all node-local classes there; under the empty name those that have no node yet. */
  readonly volumes: ReadonlyMap<string, readonly LocalVolumes[]>;
  readonly observedAt: number;
}

/** Volumes of one class on one node. */
export interface LocalVolumes {
  readonly storageClass: StorageClassFacts;
  readonly bytes: number;
}

/** Where pods' ephemeral storage lies. */
const kubeletPath = '/var/lib/kubelet';

/** What one class can hold, node by node. Pure: all that it knows is in the view. */
export function readLocalClass(storageClass: StorageClassFacts, view: LocalView): StorageReading {
  const shared = view.nodes.map((node) => view.placesOf(storageClass, node)).find(({ kind }) => kind === 'shared');
  if (shared?.kind === 'shared') return readSharedClass(storageClass, view, shared.path);
  const perNode = new Map<string, Amount>();
  const ephemeralNodes: string[] = [];
  const devicesByNode: string[] = [];
  for (const node of view.nodes.toSorted()) {
    const places = view.placesOf(storageClass, node);
    const own = filesystemsAt(places, view.filesystemsOf(node));
    if (own.length === 0) continue;
    const devices = new Set(own.map(({ device }) => device));
    perNode.set(node, amountOnNode(storageClass, view, node, own));
    devicesByNode.push(`${node}=${[...devices].toSorted().join('+')}`);
    const kubelet = view.filesystemsOf(node)?.find(({ path }) => path === kubeletPath);
    if (kubelet !== undefined && devices.has(kubelet.device)) ephemeralNodes.push(node);
  }
  if (perNode.size === 0) return whyNothing(storageClass, view);
  const unplaced = bytesOf(view.volumes.get('') ?? [], ({ name }) => name === storageClass.name);
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

/** The filesystems behind the paths, each once. */
function filesystemsAt(places: LocalPlaces, reported: readonly FilesystemFacts[] | undefined): FilesystemFacts[] {
  const paths: readonly string[] = places.kind === 'shared' ? [places.path] : places.paths;
  const found = (reported ?? []).filter(({ path }) => paths.includes(path));
  return [...new Map(found.map((each) => [each.device, each])).values()];
}

function amountOnNode(storageClass: StorageClassFacts, view: LocalView, node: string, own: readonly FilesystemFacts[]): Amount {
  const devices = new Set(own.map(({ device }) => device));
  const held = view.volumes.get(node) ?? [];
  const drawsOnThem = (holder: StorageClassFacts): boolean =>
    filesystemsAt(view.placesOf(holder, node), view.filesystemsOf(node)).some(({ device }) => devices.has(device));
  const ownBytes = bytesOf(held, ({ name }) => name === storageClass.name);
  const otherBytes = bytesOf(held, (holder) => holder.name !== storageClass.name && drawsOnThem(holder));
  const capacity = own.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  return amount(capacity, Math.max(capacity - otherBytes, 0), ownBytes);
}

/** One filesystem that every node mounts: its size counts once. */
function readSharedClass(storageClass: StorageClassFacts, view: LocalView, path: string): StorageReading {
  const sizes = view.nodes.flatMap((node) =>
    (view.filesystemsOf(node) ?? []).filter((each) => each.path === path).map(({ sizeBytes }) => sizeBytes),
  );
  if (sizes.length === 0) return whyNothing(storageClass, view);
  const all = [...view.volumes.values()].flat();
  const own = bytesOf(all, ({ name }) => name === storageClass.name);
  const others = bytesOf(all, (holder) => holder.name !== storageClass.name && isAt(view.placesOf(holder, view.nodes[0] ?? ''), path));
  const capacity = Math.min(...sizes);
  return {
    known: true,
    amount: amount(capacity, Math.max(capacity - others, 0), own),
    space: `local-shared/${path}`,
    observedAt: view.observedAt,
  };
}

function bytesOf(volumes: readonly LocalVolumes[], isWanted: (holder: StorageClassFacts) => boolean): number {
  return volumes.reduce((sum, { storageClass, bytes }) => (isWanted(storageClass) ? sum + bytes : sum), 0);
}

const isAt = (places: LocalPlaces, path: string): boolean => places.kind === 'shared' && places.path === path;

function whyNothing(storageClass: StorageClassFacts, view: LocalView): StorageReading {
  if (view.nodes.every((node) => view.filesystemsOf(node) === undefined)) {
    return noFigures('AgentMissing', `no discovery agent has reported the filesystems behind class ${storageClass.name}`);
  }
  const paths = new Set(
    view.nodes.flatMap((node) => {
      const places = view.placesOf(storageClass, node);
      return places.kind === 'shared' ? [places.path] : places.paths;
    }),
  );
  if (paths.size === 0) {
    const hint = 'list a path for them in nodePathMap of the ConfigMap local-path-config';
    return noFigures('PoolMissing', `class ${storageClass.name} has no path on any node`, hint);
  }
  const what = `no discovery agent reports the size of ${[...paths].toSorted().join(', ')}, where class ${storageClass.name} puts its volumes`;
  return noFigures('CapacityUnknown', what, 'let the agents look at that path, and see that it exists on the nodes');
}
