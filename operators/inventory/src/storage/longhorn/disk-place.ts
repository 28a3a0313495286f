import type { FilesystemFacts } from '@quartermaster/api/node-hardware';
import { named } from '../../model/named.ts';
import type { StaleSource } from '../../model/node-inventory.ts';
import type { FolderVolumes } from '../local/local-view.ts';
import type { NodeFilesystems } from '../local/node-filesystems.ts';
import { nowhere, type Place, placeOn } from '../local/place-on-node.ts';
import type { LabelledNode } from '../querier/cluster-nodes.ts';
import { wholeBytes } from '../querier/whole-bytes.ts';
import type { LonghornDisk, LonghornNodeFacts } from './longhorn-disks.ts';

export type PlaceOf = (node: string, disk: LonghornDisk) => Place;

interface KnownPlace {
  readonly reported: readonly FilesystemFacts[] | undefined;
  readonly ephemeralSize: string | undefined;
  readonly place: Place;
}

// A disk is where it was until it, what is reported of its node, or the size there changes.
const known = new WeakMap<LonghornDisk, KnownPlace>();

export function diskPlaces(nodes: Iterable<LabelledNode>, filesystemsOf: NodeFilesystems['of']): PlaceOf {
  // Made once there is a disk: few clusters have Longhorn.
  let sizes: ReadonlyMap<string, string | undefined> | undefined;
  return (node, disk) => {
    sizes ??= new Map(Array.from(nodes, ({ name, ephemeralSize }) => [name, ephemeralSize]));
    const ephemeralSize = sizes.get(node);
    const reported = filesystemsOf(node);
    const last = known.get(disk);
    if (last !== undefined && last.reported === reported && last.ephemeralSize === ephemeralSize) return last.place;
    const place = placeOfDisk(disk, reported, ephemeralSize);
    known.set(disk, { reported, ephemeralSize, place });
    return place;
  };
}

function placeOfDisk(disk: LonghornDisk, reported: KnownPlace['reported'], ephemeralSize: string | undefined): Place {
  const { engine, path, maximumBytes } = disk;
  // A device of its own.
  if (engine === 'v2') return nowhere;
  return placeOn(reported, { paths: [path], sizeBytes: maximumBytes }, wholeBytes(ephemeralSize));
}

/** What lies in folders of nodes. */
export function replicasInFolders(nodes: readonly LonghornNodeFacts[], placeOf: PlaceOf): FolderVolumes[] {
  return nodes.flatMap(({ name: node, allDisks }) =>
    allDisks.map((disk) => ({ node, place: placeOf(node, disk), bytes: disk.scheduledBytes, isUntold: isUntold(disk) })),
  );
}

/** Not silently both, nor nothing: space that is sold once, or not at all, to be safe, may be two, or free. */
export function unknownDisks(nodes: readonly LonghornNodeFacts[], placeOf: PlaceOf): StaleSource[] {
  const disksThat = (isMeant: (node: string, disk: LonghornDisk) => boolean): string[] =>
    nodes.flatMap(({ name, allDisks }) => allDisks.filter((disk) => isMeant(name, disk)).map(({ path }) => `${path} of ${name}`));
  const sourceOf = (source: string, disks: readonly string[], reasonFor: (names: string) => string): StaleSource[] =>
    disks.length === 0 ? [] : [{ source, lastContactAt: undefined, reason: reasonFor(named(disks.toSorted())) }];
  return [
    ...sourceOf(
      'longhorn-filesystems',
      disksThat((node, disk) => !placeOf(node, disk).isCertain),
      (names) =>
        `no agent tells whether ${names} is in the ephemeral storage of its node, or on another filesystem there, and it counts as being wherever it may be: let the agents run there, and name the path in discovery-paths, as quartermaster manifests --discovery-path does`,
    ),
    ...sourceOf(
      'longhorn-disks',
      disksThat((_, disk) => isUntold(disk)),
      (names) =>
        `Longhorn does not tell what replicas ${names} has while it is not ready, and nothing more is sold of the filesystem on which it may be: repair the disk, or remove it from its node of Longhorn`,
    ),
  ];
}

/** Whether Longhorn tells neither its size nor its replicas. */
export const isUntold = ({ engine, maximumBytes }: LonghornDisk): boolean => engine === 'v1' && maximumBytes === 0;
