import type { FilesystemFacts } from '@quartermaster/api/node-hardware';
import { named } from '../../model/named.ts';
import type { StaleSource } from '../../model/node-inventory.ts';
import { ephemeralFilesystem, type FolderVolumes, filesystemsAt } from '../local/local-view.ts';
import type { LabelledNode } from '../querier/cluster-nodes.ts';
import { wholeBytes } from '../querier/whole-bytes.ts';
import type { LonghornDisk, LonghornNodeFacts } from './longhorn-disks.ts';

/**
 * Where a disk is: `shared` with pods' ephemeral storage or `apart` from it, by the agent that measured both; on a filesystem or device of its `own`;
 * or `unknown`, which counts as shared and has to be told.
 */
export type DiskPlace = 'shared' | 'apart' | 'own' | 'unknown';

export type PlaceOf = (node: string, disk: LonghornDisk) => DiskPlace;

export function diskPlaces(
  nodes: Iterable<LabelledNode>,
  filesystemsOf: (node: string) => readonly FilesystemFacts[] | undefined,
): PlaceOf {
  // Made once there is a disk: few clusters have Longhorn.
  let sizes: ReadonlyMap<string, string | undefined> | undefined;
  return (node, disk) => {
    sizes ??= new Map(Array.from(nodes, ({ name, ephemeralSize }) => [name, ephemeralSize]));
    const ephemeralBytes = wholeBytes(sizes.get(node));
    const isEmpty = disk.maximumBytes === 0 && disk.scheduledBytes === 0;
    if (disk.engine === 'v2' || ephemeralBytes === undefined || isEmpty) return 'own';
    const reported = filesystemsOf(node);
    const kubelet = ephemeralFilesystem(reported);
    const [found] = filesystemsAt({ kind: 'own', paths: [disk.path] }, reported);
    if (found !== undefined && kubelet !== undefined) return found.device === kubelet.device ? 'shared' : 'apart';
    // A filesystem of another size is another one. A disk that is not ready has none.
    return disk.maximumBytes === 0 || disk.maximumBytes === (kubelet?.sizeBytes ?? ephemeralBytes) ? 'unknown' : 'own';
  };
}

/** Whether it counts as a part of the node's ephemeral storage. */
export const isShared = (place: DiskPlace): boolean => place === 'shared' || place === 'unknown';

/** What lies in folders of nodes on filesystems that may hold something else. */
export function replicasInFolders(nodes: readonly LonghornNodeFacts[], placeOf: PlaceOf): FolderVolumes[] {
  return nodes.flatMap(({ name, allDisks }) =>
    allDisks
      .filter((disk) => placeOf(name, disk) !== 'own')
      .map(({ path, scheduledBytes }) => ({ node: name, folder: path, bytes: scheduledBytes })),
  );
}

/** Not silently both: space that is sold once, to be safe, may be two. */
export function unknownPlaces(nodes: readonly LonghornNodeFacts[], placeOf: PlaceOf): StaleSource[] {
  const unknown = nodes.flatMap(({ name, allDisks }) =>
    allDisks.filter((disk) => placeOf(name, disk) === 'unknown').map(({ path }) => `${path} of ${name}`),
  );
  if (unknown.length === 0) return [];
  const what = `no agent tells whether ${named(unknown.toSorted())} is in the ephemeral storage of its node, and it counts as if it were`;
  const hint = 'let the agents run there, and name the path in discovery-paths, as quartermaster manifests --discovery-path does';
  return [{ source: 'longhorn-filesystems', lastContactAt: undefined, reason: `${what}: ${hint}` }];
}
