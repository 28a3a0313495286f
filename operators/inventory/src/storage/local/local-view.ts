import type { FilesystemFacts } from '@quartermaster/api/node-hardware';
import type { UnreadNodes } from '../../model/node-inventory.ts';
import type { StorageClassFacts } from '../../model/storage-inventory.ts';
import type { LocalPlaces } from './local-path-config.ts';
import { haveCommon, type Place, placeOn, trimmed } from './place-on-node.ts';

/** All that is known of node-local storage at one moment. */
export interface LocalView {
  readonly nodes: readonly string[];
  /** Undefined while no agent has reported. */
  filesystemsOf(node: string): readonly FilesystemFacts[] | undefined;
  /** Undefined while nobody can tell. */
  placesOf(storageClass: StorageClassFacts, node: string): LocalPlaces | undefined;
  /** Node -> volumes in its folders, of all node-local classes and of others; under the empty name those that have no node, yet or at all. */
  readonly volumes: ReadonlyMap<string, readonly LocalVolumes[]>;
  /** Where there may be more than these, of others than node-local classes. */
  readonly unread: UnreadNodes;
  readonly observedAt: number;
}

/** Volumes that are no node-local class's and lie in a folder of a node all the same, as the replicas of Longhorn do. */
export interface FolderVolumes {
  readonly node: string;
  readonly place: Place;
  readonly bytes: number;
  /** Whether there may be more than these bytes, which nobody tells. */
  readonly isUntold?: boolean | undefined;
}

/** All such volumes of a backend. */
export interface BackendVolumes {
  volumes(): readonly FolderVolumes[];
  /** Where there may be any more. */
  unread(): UnreadNodes;
}

/** Bytes of volumes beside what has this place on a node. */
export type BytesBeside = (node: string, place: Place) => number;

/** Volumes of one class in one folder of one node. */
export interface LocalVolumes {
  /** Empty for those of no node-local class. */
  readonly className: string;
  /** Undefined once the class is deleted; its volumes are still there. */
  readonly storageClass?: StorageClassFacts | undefined;
  /** Where they are; undefined for claims that have no volume yet. */
  readonly folder?: string | undefined;
  /** Of those of no node-local class. */
  readonly place?: Place | undefined;
  readonly bytes: number;
  /** Whether there may be more than these bytes, which nobody tells. */
  readonly isUntold?: boolean | undefined;
  /** Empty while they have none, or where all nodes have them. */
  readonly node: string;
  /** As the ledger of volumes has them together. Undefined for those of no node-local class. */
  readonly group?: string | undefined;
}

/** The filesystems behind the paths, each once. */
export function filesystemsAt(places: LocalPlaces | undefined, reported: readonly FilesystemFacts[] | undefined): FilesystemFacts[] {
  const paths = new Set(pathsOf(places).map(trimmed));
  const found = (reported ?? []).filter(({ path }) => paths.has(trimmed(path)));
  return [...new Map(found.map((each) => [each.device, each])).values()];
}

export function pathsOf(places: LocalPlaces | undefined): readonly string[] {
  return places?.kind === 'shared' ? [places.path] : (places?.paths ?? []);
}

/** Where volumes of a node may lie. What a volume says itself outlasts every configuration. */
export function placeOfVolumes({ folder, storageClass, place }: LocalVolumes, node: string, view: LocalView): Place {
  if (place !== undefined) return place;
  const places = storageClass && view.placesOf(storageClass, node);
  return placeOn(view.filesystemsOf(node), { paths: folder === undefined ? pathsOf(places) : [folder] }, 0);
}

/** The volumes that may take space of a node: its own, and those of a filesystem that all nodes share, also where this one does not say on which device it has that. */
export function volumesOn(node: string, view: LocalView): readonly LocalVolumes[] {
  return [...(view.volumes.get(node) ?? []), ...(view.volumes.get('') ?? []).filter((each) => isSharedOn(each, node, view))];
}

/** What volumes were promised where something else on a node has this place. Where that is measured, those of which nobody knows where they are do not count: they would on every disk. */
export function bytesBeside(node: string, place: Place, view: LocalView): number {
  return volumesOn(node, view).reduce((sum, each) => {
    const theirs = placeOfVolumes(each, node, view);
    const isThere = (theirs.isMeasured || !place.isMeasured) && haveCommon(theirs.devices, place.devices);
    return sum + (isThere ? each.bytes : 0);
  }, 0);
}

/** The volumes that take space of no node that is known yet. */
export function unplacedVolumes(view: LocalView): readonly LocalVolumes[] {
  return (view.volumes.get('') ?? []).filter((each) => !view.nodes.some((node) => isSharedOn(each, node, view)));
}

/** A volume that is a folder and has no node is in that folder of every node; a claim without a node may still get one, unless all nodes share what it gets. */
function isSharedOn({ folder, storageClass }: LocalVolumes, node: string, view: LocalView): boolean {
  return folder !== undefined || (storageClass !== undefined && view.placesOf(storageClass, node)?.kind === 'shared');
}
