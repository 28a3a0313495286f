import type { QuerierContext } from '../querier/querier-context.ts';
import { type CephPlace, cephPlaceOf, isCephProvisioner } from './ceph-place.ts';

/** What is promised on a pool. */
export interface PoolPromises {
  readonly totalBytes: number;
  readonly byClass: ReadonlyMap<string, ClassPromises>;
}

/** What volumes of one class are promised. */
export interface ClassPromises {
  readonly bytes: number;
  /** Of the volumes. */
  readonly places: readonly string[];
}

/**
 * Pool name -> what is promised on it, in the cluster of one namespace. Volumes tell themselves where they lie, so that they count even when
 * their class is gone or was made anew elsewhere; claims that wait for a volume lie where their class says.
 */
export function promisesByPool(
  { volumes, classOf }: Pick<QuerierContext, 'volumes' | 'classOf'>,
  namespace: string,
  poolOf: (place: CephPlace) => string | undefined,
): ReadonlyMap<string, PoolPromises> {
  const found = new Map<string, { totalBytes: number; byClass: Map<string, ClassPromises> }>();
  for (const { class: className, driver, attributes, bytes, place: volumePlace } of volumes.groups()) {
    const storageClass = classOf(className);
    const byVolume = isCephProvisioner(driver) ? cephPlaceOf(driver, attributes) : undefined;
    const byClass =
      storageClass !== undefined && isCephProvisioner(storageClass.provisioner) && (driver === '' || driver === storageClass.provisioner)
        ? cephPlaceOf(storageClass.provisioner, storageClass.parameters)
        : undefined;
    const place = byVolume ?? byClass;
    if (place?.clusterId !== namespace) continue;
    const pool = poolOf(place);
    if (pool === undefined) continue;
    const promises = found.get(pool) ?? { totalBytes: 0, byClass: new Map<string, ClassPromises>() };
    promises.totalBytes += bytes;
    const own = promises.byClass.get(className);
    promises.byClass.set(className, { bytes: (own?.bytes ?? 0) + bytes, places: [...(own?.places ?? []), volumePlace] });
    found.set(pool, promises);
  }
  return found;
}
