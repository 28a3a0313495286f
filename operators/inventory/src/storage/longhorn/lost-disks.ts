import type { Place } from '../local/place-on-node.ts';
import { isUntold, type PlaceOf } from './disk-place.ts';
import type { LonghornNodeFacts } from './longhorn-disks.ts';

interface Told {
  readonly place: Place;
  readonly maximumBytes: number;
}

/**
 * Where disks were that Longhorn tells nothing of any more. A data disk that is lost leaves its folder behind, on the root filesystem: its replicas are not there, and
 * ephemeral storage is not to be held back for them. Known while this process runs; one that has just started takes such a disk for being wherever its folder is.
 */
export class LostDisks {
  /** By node and path: disks that were certainly not in ephemeral storage when they were last told of. */
  #apart: ReadonlyMap<string, Told> = new Map();

  placesOf(nodes: readonly LonghornNodeFacts[], placeOf: PlaceOf): PlaceOf {
    const apart = new Map<string, Told>();
    for (const { name, allDisks } of nodes) {
      for (const disk of allDisks) {
        const key = `${name} ${disk.path}`;
        const before = this.#apart.get(key);
        const place = placeOf(name, disk);
        const isApart = !isUntold(disk) && place.isCertain && !place.inEphemeral;
        // The agent may see that the mount is gone before Longhorn does.
        const isSame = isUntold(disk) || before?.maximumBytes === disk.maximumBytes;
        if (isApart) apart.set(key, { place, maximumBytes: disk.maximumBytes });
        else if (before !== undefined && isSame) apart.set(key, before);
      }
    }
    this.#apart = apart;
    return (node, disk) => (isUntold(disk) ? apart.get(`${node} ${disk.path}`)?.place : undefined) ?? placeOf(node, disk);
  }
}
