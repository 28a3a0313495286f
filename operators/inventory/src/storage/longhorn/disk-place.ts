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
  const { engine, path, maximumBytes, scheduledBytes } = disk;
  // A device of its own, or nothing that could be anywhere.
  if (engine === 'v2' || (maximumBytes === 0 && scheduledBytes === 0)) return nowhere;
  return placeOn(reported, { paths: [path], sizeBytes: maximumBytes }, wholeBytes(ephemeralSize));
}

/** What lies in folders of nodes. */
export function replicasInFolders(nodes: readonly LonghornNodeFacts[], placeOf: PlaceOf): FolderVolumes[] {
  return nodes.flatMap(({ name: node, allDisks }) =>
    allDisks.map((disk) => ({ node, place: placeOf(node, disk), bytes: disk.scheduledBytes })),
  );
}

/** Not silently both: space that is sold once, to be safe, may be two. */
export function unknownPlaces(nodes: readonly LonghornNodeFacts[], placeOf: PlaceOf): StaleSource[] {
  const unknown = nodes.flatMap(({ name, allDisks }) =>
    allDisks.filter((disk) => !placeOf(name, disk).isCertain).map(({ path }) => `${path} of ${name}`),
  );
  if (unknown.length === 0) return [];
  const what = `no agent tells whether ${named(unknown.toSorted())} is in the ephemeral storage of its node, or on another filesystem there, and it counts as being wherever it may be`;
  const hint = 'let the agents run there, and name the path in discovery-paths, as quartermaster manifests --discovery-path does';
  return [{ source: 'longhorn-filesystems', lastContactAt: undefined, reason: `${what}: ${hint}` }];
}
