import { posix } from 'node:path';
import type { FilesystemFacts } from '@quartermaster/api/node-hardware';
import type { StorageClassFacts } from '../../model/storage-inventory.ts';
import type { LocalPlaces } from './local-path-config.ts';

/** All that is known of node-local storage at one moment. */
export interface LocalView {
  readonly nodes: readonly string[];
  /** Undefined while no agent has reported. */
  filesystemsOf(node: string): readonly FilesystemFacts[] | undefined;
  /** Undefined while nobody can tell. */
  placesOf(storageClass: StorageClassFacts, node: string): LocalPlaces | undefined;
  /** Node -> volumes in its folders, of all node-local classes and of others; under the empty name those that have no node, yet or at all. */
  readonly volumes: ReadonlyMap<string, readonly LocalVolumes[]>;
  readonly observedAt: number;
}

/** Volumes that are no node-local class's and lie in a folder of a node all the same, as the replicas of Longhorn do. */
export interface FolderVolumes {
  readonly node: string;
  readonly folder: string;
  readonly bytes: number;
}

/** Volumes of one class in one folder of one node. */
export interface LocalVolumes {
  /** Empty for those of no node-local class. */
  readonly className: string;
  /** Undefined once the class is deleted; its volumes are still there. */
  readonly storageClass?: StorageClassFacts | undefined;
  /** Where they are; undefined for claims that have no volume yet. */
  readonly folder?: string | undefined;
  readonly bytes: number;
}

/** For agents that do not say which folder is the kubelet's. */
const usualKubeletPath = '/var/lib/kubelet';

/** The filesystems behind the paths, each once. */
export function filesystemsAt(places: LocalPlaces | undefined, reported: readonly FilesystemFacts[] | undefined): FilesystemFacts[] {
  const paths = new Set((places === undefined ? [] : pathsOf(places)).map(trimmed));
  const found = (reported ?? []).filter(({ path }) => paths.has(trimmed(path)));
  return [...new Map(found.map((each) => [each.device, each])).values()];
}

export function pathsOf(places: LocalPlaces): readonly string[] {
  return places.kind === 'shared' ? [places.path] : places.paths;
}

/** The devices on which volumes of a node may lie; undefined when they may lie on any. What a volume says itself outlasts every configuration. */
export function devicesOf({ folder, storageClass }: LocalVolumes, node: string, view: LocalView): ReadonlySet<string> | undefined {
  const reported = view.filesystemsOf(node) ?? [];
  const around = folder === undefined ? undefined : nearest(folder, reported);
  if (around !== undefined) return new Set([around.device]);
  const places = folder !== undefined || storageClass === undefined ? undefined : view.placesOf(storageClass, node);
  const devices = filesystemsAt(places, reported).map(({ device }) => device);
  return devices.length === 0 ? undefined : new Set(devices);
}

/** The volumes that may take space of a node: its own, and those of a filesystem that all nodes share, also where this one does not say on which device it has that. */
export function volumesOn(node: string, view: LocalView): readonly LocalVolumes[] {
  return [...(view.volumes.get(node) ?? []), ...(view.volumes.get('') ?? []).filter((each) => isSharedOn(each, node, view))];
}

/** The volumes that take space of no node that is known yet. */
export function unplacedVolumes(view: LocalView): readonly LocalVolumes[] {
  return (view.volumes.get('') ?? []).filter((each) => !view.nodes.some((node) => isSharedOn(each, node, view)));
}

/** A volume that is a folder and has no node is in that folder of every node; a claim without a node may still get one, unless all nodes share what it gets. */
function isSharedOn({ folder, storageClass }: LocalVolumes, node: string, view: LocalView): boolean {
  return folder !== undefined || (storageClass !== undefined && view.placesOf(storageClass, node)?.kind === 'shared');
}

/** Whether pods' ephemeral storage is on one of these devices of a node; yes while nobody says where it is. */
export function holdsEphemeral(devices: ReadonlySet<string> | undefined, reported: readonly FilesystemFacts[] | undefined): boolean {
  const kubelet = ephemeralFilesystem(reported);
  return devices === undefined || kubelet === undefined || devices.has(kubelet.device);
}

/** The filesystem with pods' ephemeral storage; undefined while nobody says which that is. */
export function ephemeralFilesystem(reported: readonly FilesystemFacts[] | undefined): FilesystemFacts | undefined {
  const told = (reported ?? []).filter((each) => each.holdsEphemeral === true);
  return told[0] ?? (reported ?? []).find(({ path }) => trimmed(path) === usualKubeletPath);
}

function nearest(folder: string, reported: readonly FilesystemFacts[]): FilesystemFacts | undefined {
  const own = `${trimmed(folder)}/`;
  const around = reported.filter(({ path }) => own.startsWith(`${trimmed(path)}/`));
  return around.toSorted((a, b) => b.path.length - a.path.length)[0];
}

/** Configurations are written by hand: /data/ is /data. */
const trimmed = (path: string): string => posix.normalize(path).replace(/\/$/, '');
